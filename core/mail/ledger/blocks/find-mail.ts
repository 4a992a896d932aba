import type { ObjectId } from 'mongodb';
import type { MailDeps } from '../../deps.ts';
import type { Message } from '../model.ts';
import type { BlockClaim } from './model.ts';
import { recipientId } from './recipient-id.ts';

type FindDeps = Pick<MailDeps, 'db'>;
type OpenClaim = Pick<BlockClaim, 'campaignId' | 'n' | 'from' | 'to' | 'frozenAt'>;

/**
 * Where a mail is that came back by a signed reference. `inFlight`: it was claimed, and its outcome has no row yet. `gone`: the
 * row was removed, or there never was such a mail.
 */
export async function findMail(
  deps: FindDeps,
  { projectId, messageId }: { projectId: ObjectId; messageId: ObjectId },
): Promise<Message | 'inFlight' | 'gone'> {
  const readRow = () => deps.db.messages.findOne({ _id: messageId, projectId });
  const row = await readRow();
  if (row) return row;
  if ((await inFlightAmong(deps, projectId, [messageId])).size > 0) return 'inFlight';
  // Rows are written before their claim is closed: a claim that was closed since has left its row.
  return (await readRow()) ?? 'gone';
}

/**
 * Those of the ids that belong to recipients of an open claim. Only claims whose freeze began in the second that an id names are
 * looked at. Call it for ids without a row, and look for the rows of all others once more.
 */
export async function inFlightAmong({ db }: FindDeps, projectId: ObjectId, ids: ObjectId[]): Promise<Set<string>> {
  const claims = await openClaims({ db }, projectId, ids);
  if (claims.length === 0) return new Set();
  const places = [...new Map(claims.map((claim) => [placeOf(claim), claim])).values()];
  const blocks = await db.campaignBlocks
    .find({ projectId, $or: places.map(({ campaignId, n }) => ({ campaignId, n })) }, { hint: 'place' })
    .project<{ campaignId: ObjectId; n: number; recipients: Array<{ contactId: ObjectId }> }>({
      campaignId: 1,
      n: 1,
      'recipients.contactId': 1,
    })
    .toArray();
  // Blocks of an abandoned attempt of the freeze may have the same place; they add recipients, and hide none.
  const byPlace = Map.groupBy(blocks, placeOf);
  const wanted = new Set(ids.map((id) => id.toHexString()));
  const claimed = claims.flatMap((claim) =>
    (byPlace.get(placeOf(claim)) ?? []).flatMap(({ recipients }) =>
      recipients
        .slice(claim.from, claim.to)
        .map(({ contactId }) => recipientId(claim.frozenAt, claim.campaignId, contactId).toHexString()),
    ),
  );
  return new Set(claimed.filter((id) => wanted.has(id)));
}

async function openClaims({ db }: FindDeps, projectId: ObjectId, ids: ObjectId[]): Promise<OpenClaim[]> {
  const seconds = new Set(ids.map((id) => id.getTimestamp().getTime()));
  const ranges = [...seconds].map((from) => ({ frozenAt: { $gte: new Date(from), $lt: new Date(from + 1_000) } }));
  if (ranges.length === 0) return [];
  return db.campaignClaims
    .find({ projectId, leaseUntil: { $exists: true }, $or: ranges }, { hint: 'open' })
    .project<OpenClaim>({ campaignId: 1, n: 1, from: 1, to: 1, frozenAt: 1 })
    .toArray();
}

function placeOf({ campaignId, n }: { campaignId: ObjectId; n: number }): string {
  return `${campaignId.toHexString()} ${n}`;
}
