import type { ObjectId } from 'mongodb';
import type { Deps } from '../../base/deps.ts';
import { type MessageState, states } from '../../outbox/states.ts';
import type { Campaign, CampaignCounts, CampaignStatus } from '../model.ts';
import { isUnderWay } from '../status.ts';

/** A snapshot of the ledger: an ordinary read misses messages that change their state while it runs. */
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

type Db = Pick<Deps, 'db'>;
type Tenant = Pick<Campaign, '_id' | 'projectId'>;

export async function ledgerCounts(deps: Db, { _id, projectId }: Tenant): Promise<LedgerCounts> {
  const groups = await deps.db.messages
    .aggregate<{ _id: MessageState; count: number }>(
      [{ $match: { campaignId: _id, projectId } }, { $group: { _id: '$state', count: { $sum: 1 } } }],
      { hint: 'campaign', readConcern: { level: 'snapshot' } },
    )
    .toArray();
  const of = (state: MessageState) => groups.find((group) => group._id === state)?.count ?? 0;
  const total = groups.reduce((sum, { count }) => sum + count, 0);
  return {
    total,
    suppressed: of(states.suppressed),
    failed: of(states.failed),
    sent: of(states.sent) + of(states.bounced),
    bounced: of(states.bounced),
    unknown: of(states.unknown),
    pending: of(states.queued) + of(states.committing) + of(states.deferred),
    deferred: of(states.deferred),
    inFlight: of(states.committing),
  };
}

/** Counting a million takes half a second, so a count is shown again for ten times as long as it took. */
const SHOWN_FACTOR = 10;
const KEPT_MAX = 1_000;

interface Kept {
  counts: Promise<LedgerCounts>;
  freshUntilMs: number;
  /** Of the campaign: after a decision everything is counted again. */
  updatedAt: Date;
}

const kept = new WeakMap<object, Map<string, Kept>>();

/** Counts for watchers: at most a tenth of the time is spent on counting, however many ask. */
export function shownCounts(deps: Db, campaign: Campaign): Promise<LedgerCounts> {
  const known = kept.get(deps.db) ?? new Map<string, Kept>();
  kept.set(deps.db, known);
  const key = campaign._id.toHexString();
  const entry = known.get(key);
  if (entry && entry.updatedAt >= campaign.updatedAt && performance.now() < entry.freshUntilMs) return entry.counts;
  if (known.size >= KEPT_MAX) known.clear();
  const begun = performance.now();
  const counts = ledgerCounts(deps, campaign);
  const made = { counts, freshUntilMs: Number.POSITIVE_INFINITY, updatedAt: campaign.updatedAt };
  known.set(key, made);
  counts.then(
    () => {
      made.freshUntilMs = begun + (performance.now() - begun) * SHOWN_FACTOR;
    },
    () => known.delete(key),
  );
  return counts;
}

/** Recipients without a reply of the relay yet. */
export function countInFlight(deps: Db, { _id, projectId }: Tenant): Promise<number> {
  return deps.db.messages.countDocuments(
    { campaignId: _id, projectId, state: states.committing },
    { hint: 'campaign' },
  );
}

/**
 * When the next message is sent: now (null) while the campaign is sending, at its start, its next slice or the first deferred
 * message.
 */
export async function nextAtOf(
  deps: Db,
  campaign: Campaign,
  { pending, deferred }: Pick<LedgerCounts, 'pending' | 'deferred'>,
): Promise<Date | null> {
  const { status, startsAt, nextBatchAt } = campaign;
  if (status === 'scheduled') return startsAt;
  if (!isUnderWay(campaign)) return null;
  const deferredUntil = deferred > 0 ? await firstDeferredUntil(deps, campaign) : null;
  if (status === 'sending') return deferred < pending ? null : deferredUntil;
  if (deferred === pending) return deferredUntil;
  return deferredUntil && nextBatchAt && deferredUntil < nextBatchAt ? deferredUntil : nextBatchAt;
}

export async function firstDeferredUntil(deps: Db, { _id, projectId }: Tenant): Promise<Date | null> {
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
  deps: Pick<Deps, 'db' | 'clock'>,
  campaign: Tenant,
  counted?: LedgerCounts,
): Promise<CampaignCounts> {
  const { _id, projectId } = campaign;
  const counts = await countNow(deps, campaign, counted);
  await deps.db.campaigns.updateOne(
    { _id, projectId, $or: [{ 'freeze.isDone': { $ne: true } }, { 'freeze.written': { $lte: counts.totalContacts } }] },
    { $set: { counts, refreshedAt: deps.clock.now() } },
  );
  return counts;
}

type EngagementCounts = Pick<CampaignCounts, 'opened' | 'humanOpened' | 'clicked' | 'unsubscribed' | 'spamReported'>;

/** Unique recipients: one document for each message with any engagement. */
async function engagementCounts(deps: Db, { _id, projectId }: Tenant): Promise<EngagementCounts> {
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

export interface Reconciliation {
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
