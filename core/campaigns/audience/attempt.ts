import { ObjectId } from 'mongodb';
import { inTransaction } from '../../base/database/transactions.ts';
import type { Session } from '../../base/model.ts';
import { removeBlocksOfRun } from '../../mail/ledger/blocks/changes.ts';
import { states } from '../../mail/ledger/states.ts';
import { removeFrozenRows } from '../../mail/messages/of-campaigns.ts';
import type { CampaignsDeps } from '../deps.ts';
import type { Campaign, CampaignFreeze, Release } from '../model.ts';

type Tenant = Pick<Campaign, '_id' | 'projectId'>;

const ROWS_AT_ONCE = 1_000;

/** One attempt to write the audience down. The campaign names it as `freeze.run`: everything it writes counts only while it does. */
export interface Attempt {
  campaign: Tenant;
  at: Date;
  run: ObjectId;
}

/** Another attempt has begun since, or the campaign is gone: this one must write nothing more. */
export class LostAttempt extends Error {
  override name = 'LostAttempt';
}

/** Takes the campaign for a new attempt, which starts from nothing; null when its audience is written. */
export async function beginAttempt(deps: CampaignsDeps, { _id, projectId }: Tenant): Promise<Attempt | null> {
  const former = (await deps.db.campaigns.findOne({ _id, projectId }, { projection: { freeze: 1 } }))?.freeze ?? null;
  if (former?.isDone) return null;
  const at = former?.at ?? deps.clock.now();
  const attempt = await take(deps, { campaign: { _id, projectId }, at, run: new ObjectId() }, former);
  await removeRows(deps, attempt);
  if (former?.run) await removeBlocks(deps, attempt, former.run);
  return attempt;
}

/** A new run for a copy of what `attempt` has written. */
export function succeed(deps: CampaignsDeps, attempt: Attempt): Promise<Attempt> {
  return take(deps, { ...attempt, run: new ObjectId() }, attempt);
}

async function take(
  deps: CampaignsDeps,
  attempt: Attempt,
  former: Pick<CampaignFreeze, 'run'> | null,
): Promise<Attempt> {
  const { at, run, campaign } = attempt;
  const freeze: CampaignFreeze = { at, run, written: 0, isDone: false, frozen: null };
  const unchanged = former
    ? { 'freeze.isDone': false, 'freeze.run': former.run ?? { $exists: false } }
    : { freeze: null };
  const { matchedCount } = await deps.db.campaigns.updateOne({ ...campaign, ...unchanged }, { $set: { freeze } });
  if (matchedCount === 0) throw new LostAttempt();
  return attempt;
}

/** Progress, for people; ends an attempt that another one has replaced. */
export async function keepWritten(deps: CampaignsDeps, attempt: Attempt, written: number): Promise<void> {
  const { matchedCount } = await deps.db.campaigns.updateOne(ours(attempt), { $set: { 'freeze.written': written } });
  if (matchedCount === 0) throw new LostAttempt();
}

/**
 * A transaction that only this attempt can commit. It changes the campaign, so that it conflicts with the beginning of another attempt:
 * reading it would not.
 */
export async function asOurs(
  deps: CampaignsDeps,
  attempt: Attempt,
  change: { written?: number },
  work: (session: Session) => Promise<unknown>,
): Promise<void> {
  const set = change.written === undefined ? {} : { $set: { 'freeze.written': change.written } };
  await inTransaction(deps, async (session) => {
    const update = { ...set, $inc: { 'freeze.writes': 1 } };
    const { matchedCount } = await deps.db.campaigns.updateOne(ours(attempt), update, { session });
    if (matchedCount === 0) throw new LostAttempt();
    await work(session);
  });
}

interface Sizes {
  inBlocks: number;
  suppressed: number;
  releases: Release[] | null;
  holdOut: number;
}

/** The end: from here on the blocks of this run are the audience, and they wait to be counted as accepted. */
export async function endAttempt(
  deps: CampaignsDeps,
  attempt: Attempt,
  { inBlocks, suppressed, providers, releases, holdOut }: Pick<CampaignFreeze, 'providers'> & Sizes,
): Promise<void> {
  const frozen = { total: inBlocks + suppressed, inBlocks };
  const [first] = releases?.filter(({ timezone }) => timezone !== '') ?? [];
  const isTest = releases?.some((release) => release.isTest);
  const tested = releases?.reduce((sum, release) => sum + (release.isTest ? release.total : 0), 0);
  const { matchedCount } = await deps.db.campaigns.updateOne(ours(attempt), {
    $set: {
      ...{ 'freeze.isDone': true, 'freeze.written': frozen.total, 'freeze.frozen': frozen },
      'freeze.providers': providers,
      ...(releases ? { 'freeze.releases': releases } : {}),
      ...(first ? { scheduledAt: first.at } : {}),
      ...(isTest ? { 'freeze.tested': tested } : {}),
      ...(holdOut > 0 ? { 'freeze.holdOut': holdOut } : {}),
      countDueAt: deps.clock.now(),
    },
  });
  if (matchedCount === 0) throw new LostAttempt();
}

/** Rows of former attempts: suppressed people; an older version wrote a row for everybody. */
async function removeRows(deps: CampaignsDeps, attempt: Attempt): Promise<void> {
  const { _id: campaignId, projectId } = attempt.campaign;
  const unsent = [states.queued, states.suppressed];
  for (;;) {
    const found = await deps.db.messages
      .find(
        { campaignId, projectId, state: { $in: unsent } },
        { projection: { _id: 1 }, hint: 'campaign', limit: ROWS_AT_ONCE },
      )
      .toArray();
    if (found.length === 0) return;
    const ids = found.map(({ _id }) => _id);
    await asOurs(deps, attempt, {}, (session) =>
      removeFrozenRows(deps, { projectId, campaignId }, unsent, ids, session),
    );
  }
}

/** Only those of a run that is named: an attempt that was replaced must not remove what its successor writes. */
export async function removeBlocks(deps: CampaignsDeps, { campaign }: Attempt, run: ObjectId): Promise<void> {
  await removeBlocksOfRun(deps, { projectId: campaign.projectId, campaignId: campaign._id, run });
}

function ours({ campaign, run }: Attempt) {
  return { ...campaign, 'freeze.run': run, 'freeze.isDone': false };
}

/** The recipients that the freeze of these campaigns wrote down are counted as accepted. */
export async function markFreezesCounted(
  { db }: Pick<CampaignsDeps, 'db'>,
  projectId: ObjectId,
  ids: ObjectId[],
  session: Session,
): Promise<void> {
  await db.campaigns.updateMany({ _id: { $in: ids }, projectId }, { $unset: { countDueAt: '' } }, { session });
}
