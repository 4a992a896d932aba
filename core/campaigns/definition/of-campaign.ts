import type { ObjectId } from 'mongodb';
import { AppError, conflict } from '../../base/errors.ts';
import { parseId } from '../../base/ids.ts';
import type { Session } from '../../base/model.ts';
import { mapAhead } from '../../base/work/ahead.ts';
import type { BlockRecipient } from '../../mail/ledger/blocks/model.ts';
import { recipientId } from '../../mail/ledger/blocks/recipient-id.ts';
import { states } from '../../mail/ledger/states.ts';
import { goesToEverybody } from '../../people/global-list.ts';
import type { CampaignsDeps } from '../deps.ts';
import type { Campaign, OtherAudience } from '../model.ts';
import { OVER } from '../status.ts';
import { keptUntil } from './kept.ts';

/** Batches that are looked up while people before them are written. */
const AHEAD = 3;

/**
 * The people of a campaign who did not open it. A recipient who came through lists alone must still be on one of them; a segment is not
 * asked again, since getting or ignoring the mail may be what takes a person out of it.
 */
export function whoDidNotOpen(source: Campaign): OtherAudience {
  const { _id: campaignId, toLists, audience } = source;
  const isByLists = !goesToEverybody(source) && toLists.every(({ type }) => type === 'list');
  const lists = isByLists ? toLists.flatMap(({ id }) => parseId(id) ?? []) : [];
  return { campaignId, did: 'notOpened', listIds: audience?.listIds ?? lists };
}

/** Before the campaign is over, or when retention may have removed its rows, it is not known who got it: 409. */
export async function requireRecipients(deps: Pick<CampaignsDeps, 'config' | 'clock'>, first: Campaign): Promise<void> {
  const { name, status } = first;
  if (!OVER.includes(status))
    throw conflict('INVALID_STATE', `The campaign "${name}" is ${status}: wait until it is over, or abort it.`);
  const until = keptUntil(deps, first);
  if (until && until <= deps.clock.now())
    throw conflict(
      'INVALID_STATE',
      `The mails of the campaign "${name}" are kept until ${until.toISOString()}: it is not known any more who opened it.`,
    );
}

/** The same for a campaign that goes to people of another one. */
export async function requireOtherAudience(
  deps: Pick<CampaignsDeps, 'db' | 'config' | 'clock'>,
  { projectId, audience }: Pick<Campaign, 'projectId' | 'audience'>,
): Promise<void> {
  if (!audience) return;
  const first = await deps.db.campaigns.findOne({ _id: audience.campaignId, projectId });
  if (!first)
    throw conflict('INVALID_STATE', 'The campaign to whose recipients this one goes was deleted; name lists instead.');
  await requireRecipients(deps, first);
}

/** Why the audience cannot be worked out now; null when it can. */
export async function audienceFault(deps: CampaignsDeps, campaign: Campaign): Promise<string | null> {
  try {
    await requireOtherAudience(deps, campaign);
    return null;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return error.message;
  }
}

/** Of these people, those who got the other campaign and neither opened it themselves nor clicked in it; in their order. */
export async function* recipientsOf<Person extends BlockRecipient>(
  deps: Pick<CampaignsDeps, 'db'>,
  { projectId }: Pick<Campaign, 'projectId'>,
  { campaignId }: OtherAudience,
  people: AsyncIterable<Person[]>,
  session: Session | undefined,
): AsyncGenerator<Person[]> {
  const options = session ? { session } : {};
  const first = await deps.db.campaigns.findOne({ _id: campaignId, projectId }, options);
  const frozenAt = first?.freeze?.at;
  if (!frozenAt) return;
  yield* mapAhead(people, AHEAD, async (batch) => {
    const ids = batch.map(({ contactId }) => recipientId(frozenAt, campaignId, contactId));
    const wanted = await notOpened(deps, projectId, ids, session);
    return batch.filter((_, index) => wanted.has((ids[index] as ObjectId).toHexString()));
  });
}

async function notOpened(
  { db }: Pick<CampaignsDeps, 'db'>,
  projectId: ObjectId,
  ids: ObjectId[],
  session: Session | undefined,
): Promise<Set<string>> {
  const options = { projection: { _id: 1 }, hint: '_id_', ...(session ? { session } : {}) } as const;
  const some = { _id: { $in: ids }, projectId };
  const acted = { $or: [{ humanOpenedAt: { $exists: true } }, { clickedAt: { $exists: true } }] };
  const [delivered, opened] = await Promise.all([
    db.messages.find({ ...some, state: states.sent }, options).toArray(),
    db.engagements.find({ ...some, ...acted }, options).toArray(),
  ]);
  const wanted = new Set(delivered.map(({ _id }) => _id.toHexString()));
  for (const { _id } of opened) wanted.delete(_id.toHexString());
  return wanted;
}
