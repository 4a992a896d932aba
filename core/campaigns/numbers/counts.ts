import type { ObjectId } from 'mongodb';
import { oncePerCore } from '../../base/deps.ts';
import type { Session } from '../../base/model.ts';
import { costlyCache } from '../../base/work/cache.ts';
import { countClaims, countOpen } from '../../mail/ledger/blocks/counts.ts';
import { ALL_STATES, type MessageState, states } from '../../mail/ledger/states.ts';
import type { CampaignsDeps } from '../deps.ts';
import type { Campaign, CampaignCounts, CampaignStatus } from '../model.ts';
import { OVER } from '../status.ts';
import { heldFrom } from '../variants/waiting.ts';
import { sentByRelease } from './zones.ts';

/** The recipients of a campaign at one moment: each part is counted, so that a missing recipient shows in the total. */
export interface LedgerCounts {
  total: number;
  suppressed: number;
  failed: number;
  sent: number;
  bounced: number;
  unknown: number;
  pending: number;
  deferred: number;
  inFlight: number;
}

const NOT_SENT = ALL_STATES.filter((state) => state !== states.sent);

/** Smaller campaigns are counted for each watcher, in some milliseconds. */
const KEPT_FROM_TOTAL = 5_000;
/** At most a tenth of the time is spent on counting, however many watch. */
const keptCounts = oncePerCore(() => costlyCache<LedgerCounts>({ sizeMax: 1_000 }));

type Db = Pick<CampaignsDeps, 'db' | 'mongo'>;
type Tenant = Pick<Campaign, '_id' | 'projectId'>;

/**
 * Rows, and the recipients of blocks without a row, in one snapshot: else a row that lands between two reads is counted twice.
 * `exact: false` takes claims instead of the rows of what was sent: each claimed recipient has a row or is in flight, and those with another
 * state than sent are few. A missing row shows in exact counts alone, so nothing is decided by others.
 */
export async function ledgerCounts(deps: Db, campaign: Tenant, { exact } = { exact: true }): Promise<LedgerCounts> {
  const session = deps.mongo.startSession({ snapshot: true });
  try {
    return await countParts(deps, campaign, { exact, session });
  } finally {
    await session.endSession();
  }
}

/**
 * Counts for watchers, which may be some moments old for a large campaign. After a decision, and when the audience is written,
 * everything is counted again.
 */
export async function shownCounts(deps: Db & Pick<CampaignsDeps, 'state'>, campaign: Campaign): Promise<LedgerCounts> {
  const { _id, updatedAt, freeze } = campaign;
  const count = () => ledgerCounts(deps, campaign, { exact: false });
  if ((freeze?.frozen?.total ?? freeze?.written ?? 0) < KEPT_FROM_TOTAL) return count();
  const key = `${_id.toHexString()} ${updatedAt.getTime()} ${freeze?.frozen ? 'frozen' : 'freezing'}`;
  return keptCounts(deps).get(key, count);
}

async function countParts(
  deps: Db,
  { _id, projectId }: Tenant,
  { exact, session }: { exact: boolean; session: Session },
): Promise<LedgerCounts> {
  // The first read sets the moment of the others.
  const campaign = await deps.db.campaigns.findOne({ _id, projectId }, { session, projection: { freeze: 1 } });
  const { run, frozen, written = 0 } = campaign?.freeze ?? {};
  const byClaims = !exact && run ? frozen : null;
  const [rows, claims] = await Promise.all([
    countRows(deps, { _id, projectId }, { states: byClaims ? NOT_SENT : ALL_STATES, session }),
    run ? countClaims(deps, { projectId, campaignId: _id }, session) : { claimed: 0, inFlight: 0 },
  ]);
  const of = (...some: MessageState[]) => sumOf(rows.filter(({ state }) => some.includes(state)));
  const answered = claims.claimed - claims.inFlight;
  const sent = byClaims ? answered - sumOf(rows.filter(({ isOfBlock }) => isOfBlock)) : of(states.sent);
  const inBlocks = run ? (frozen?.inBlocks ?? Math.max(0, written - of(states.suppressed))) : 0;
  const inFlight = claims.inFlight + of(states.committing);
  const parts = {
    suppressed: of(states.suppressed),
    failed: of(states.failed),
    sent: sent + of(states.bounced),
    unknown: of(states.unknown),
    pending: inBlocks - claims.claimed + inFlight + of(states.queued, states.deferred),
  };
  const sum = parts.suppressed + parts.failed + parts.sent + parts.unknown + parts.pending;
  const total = byClaims?.total ?? sum;
  return { total, ...parts, bounced: of(states.bounced), deferred: of(states.deferred), inFlight };
}

interface Rows {
  state: MessageState;
  /** People who were suppressed in the freeze are in no block. */
  isOfBlock: boolean;
  count: number;
}

/** From keys alone. */
async function countRows(
  { db }: Db,
  { _id, projectId }: Tenant,
  { states: counted, session }: { states: readonly MessageState[]; session: Session },
): Promise<Rows[]> {
  const groups = await db.messages
    .aggregate<{ _id: Omit<Rows, 'count'>; count: number }>(
      [
        { $match: { campaignId: _id, projectId, state: { $in: counted } } },
        { $group: { _id: { state: '$state', isOfBlock: { $gt: ['$seq', 0] } }, count: { $sum: 1 } } },
      ],
      { hint: 'campaign', session },
    )
    .toArray();
  return groups.map(({ _id: group, count }) => ({ ...group, count }));
}

function sumOf(rows: readonly Rows[]): number {
  return rows.reduce((sum, { count }) => sum + count, 0);
}

/**
 * Recipients without a reply of the relay yet, and those of claims that are not closed. An ordinary read of the primary: after a
 * change of the status it sees every claim that was made before the change.
 */
export async function countInFlight(deps: Db, { _id, projectId }: Tenant): Promise<number> {
  const committing = { campaignId: _id, projectId, state: states.committing };
  const [open, rows] = await Promise.all([
    countOpen(deps, { projectId, campaignId: _id }),
    deps.db.messages.countDocuments(committing, { hint: 'campaign' }),
  ]);
  return open + rows;
}

/**
 * When the next message is sent: now (null) while the campaign is sending, at its start, its next slice or the first deferred
 * message.
 */
export async function nextAtOf(
  deps: Db & Pick<CampaignsDeps, 'clock'>,
  campaign: Campaign,
  { pending, deferred }: Pick<LedgerCounts, 'pending' | 'deferred'>,
): Promise<Date | null> {
  const { status, startsAt } = campaign;
  if (status === 'scheduled') return startsAt;
  if (status !== 'sending' && status !== 'sending_gradual') return null;
  const nextBatchAt = status === 'sending' ? nextZoneAt(deps, campaign, pending - deferred) : campaign.nextBatchAt;
  if (status === 'sending' && !nextBatchAt && deferred < pending) return null;
  const deferredUntil = deferred > 0 ? await firstDeferredUntil(deps, campaign) : null;
  if (!nextBatchAt || deferred === pending) return deferredUntil;
  return deferredUntil && nextBatchAt && deferredUntil < nextBatchAt ? deferredUntil : nextBatchAt;
}

/** Of a campaign at local time, or with a test: null while it sends to people whose time has come. */
function nextZoneAt({ clock }: Pick<CampaignsDeps, 'clock'>, campaign: Campaign, waiting: number): Date | null {
  const released = heldFrom(campaign, clock.now());
  const ahead = (campaign.freeze?.frozen?.inBlocks ?? 0) + 1 - (released?.upTo ?? 0);
  return released && waiting <= ahead ? released.nextBatchAt : null;
}

async function firstDeferredUntil(deps: Db, { _id, projectId }: Tenant): Promise<Date | null> {
  const [first] = await deps.db.messages
    .aggregate<{ dueAt: Date | null }>(
      [
        { $match: { campaignId: _id, projectId, state: states.deferred } },
        { $group: { _id: null, dueAt: { $min: '$dueAt' } } },
      ],
      { hint: 'campaign' },
    )
    .toArray();
  return first?.dueAt ?? null;
}

/** The counts of the ledger and the engagements now; `counted` is the ledger's part, if it was read a moment ago. */
export async function countNow(deps: Db, campaign: Tenant, counted?: LedgerCounts): Promise<CampaignCounts> {
  const [ledger, engaged] = await Promise.all([
    counted ?? ledgerCounts(deps, campaign),
    engagementCounts(deps, campaign),
  ]);
  const { total, suppressed, failed, sent, bounced, unknown, pending } = ledger;
  return { totalContacts: total, suppressed, failed, sent, bounced, unknown, pending, ...engaged };
}

/**
 * Stores the numbers that `metrics` and analytics return. They outlive the messages: once retention has begun to remove them,
 * nothing is counted any more.
 */
export async function refreshCounts(
  deps: Db & Pick<CampaignsDeps, 'clock'>,
  campaign: Tenant,
  counted?: LedgerCounts,
): Promise<CampaignCounts> {
  const { _id, projectId } = campaign;
  const counts = await countNow(deps, campaign, counted);
  const isOver = { status: { $in: [...OVER] }, 'freeze.written': { $ne: counts.totalContacts } };
  const now = { counts, refreshedAt: deps.clock.now() };
  const after = await deps.db.campaigns.findOneAndUpdate(
    { _id, projectId, $nor: [isOver] },
    { $set: now },
    { projection: { projectId: 1, freeze: 1 } },
  );
  if (after?.freeze?.releases) await refreshZones(deps, after);
  return counts;
}

async function refreshZones(deps: Db, campaign: Pick<Campaign, '_id' | 'projectId' | 'freeze'>): Promise<void> {
  const { _id, projectId } = campaign;
  const sent = await sentByRelease(deps, campaign);
  const same = { _id, projectId, 'freeze.releases': { $exists: true } };
  await deps.db.campaigns.updateOne(same, { $set: { 'freeze.sentByRelease': sent } });
}

type EngagementCounts = Pick<CampaignCounts, 'opened' | 'humanOpened' | 'clicked' | 'unsubscribed' | 'spamReported'>;

/** Unique recipients: one document for each message with any engagement. */
export async function engagementCounts(deps: Db, { _id, projectId }: Tenant): Promise<EngagementCounts> {
  const one = (field: string) => ({ $sum: { $cond: [{ $ne: [{ $ifNull: [`$${field}`, null] }, null] }, 1, 0] } });
  const [counts] = await deps.db.engagements
    .aggregate<EngagementCounts & { _id: ObjectId }>(
      [
        { $match: { projectId, campaignId: _id } },
        {
          $group: {
            _id: null,
            opened: one('openedAt'),
            humanOpened: one('humanOpenedAt'),
            clicked: one('clickedAt'),
            unsubscribed: one('unsubscribedAt'),
            spamReported: one('complainedAt'),
          },
        },
        { $project: { _id: 0 } },
      ],
      { hint: 'campaign' },
    )
    .toArray();
  return counts ?? { opened: 0, humanOpened: 0, clicked: 0, unsubscribed: 0, spamReported: 0 };
}

interface Reconciliation {
  status: CampaignStatus;
  ledger: Record<string, number>;
  stored: Record<string, number>;
  differences: Array<{ count: string; ledger: number; stored: number }>;
  isBalanced: boolean;
}

/**
 * The differences between the stored numbers and a recount; while the campaign is sending that is the change since the last
 * refresh. Every recipient of the frozen audience must be counted.
 */
export async function reconcileCampaign(deps: Db, campaign: Campaign): Promise<Reconciliation> {
  const ledger: Record<string, number> = { ...(await countNow(deps, campaign)) };
  const stored: Record<string, number> = { ...campaign.counts };
  const differences = Object.keys(ledger)
    .filter((count) => ledger[count] !== stored[count])
    .map((count) => ({ count, ledger: ledger[count] ?? 0, stored: stored[count] ?? 0 }));
  const { totalContacts = 0, suppressed = 0, failed = 0, sent = 0, unknown = 0, pending = 0 } = ledger;
  const isComplete = !campaign.freeze?.isDone || totalContacts === campaign.freeze.written;
  const isBalanced = isComplete && totalContacts === suppressed + failed + sent + unknown + pending;
  return { status: campaign.status, ledger, stored, differences, isBalanced };
}
