import type { Deps } from './deps.ts';
import type { Campaign, CampaignCounts, CampaignStatus, MessageState } from './model.ts';
import { processedOf } from './rules/rates.ts';

/** One consistent look at the ledger: an ordinary read misses messages that change their state while it runs. */
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

export interface CampaignProgress extends Omit<LedgerCounts, 'inFlight'> {
  status: CampaignStatus;
  inFlight: number;
  ratePerSecond: number;
  percent: number;
  etaSeconds: number | null;
  nextAt: Date | null;
}

type Tenant = Pick<Campaign, '_id' | 'projectId'>;

export async function ledgerCounts(deps: Pick<Deps, 'db'>, { _id, projectId }: Tenant): Promise<LedgerCounts> {
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
    suppressed: of('suppressed'),
    failed: of('failed'),
    sent: of('sent') + of('bounced'),
    bounced: of('bounced'),
    unknown: of('unknown'),
    pending: of('queued') + of('committing') + of('deferred'),
    deferred: of('deferred'),
    inFlight: of('committing'),
  };
}

/** Whom the relay has not answered about yet. */
export function countInFlight(deps: Pick<Deps, 'db'>, { _id, projectId }: Tenant): Promise<number> {
  return deps.db.messages.countDocuments({ campaignId: _id, projectId, state: 'committing' }, { hint: 'campaign' });
}

export async function progressOf(deps: Deps, campaign: Campaign): Promise<CampaignProgress> {
  const counts = await ledgerCounts(deps, campaign);
  const { status, startedAt, sentAt, abortedAt } = campaign;
  const isMoving = status === 'sending' || status === 'sending_gradual';
  const seconds = startedAt ? ((sentAt ?? abortedAt ?? deps.clock.now()).getTime() - startedAt.getTime()) / 1000 : 0;
  const rate = seconds > 0 ? counts.sent / seconds : 0;
  const processed = processedOf(counts);
  return {
    status,
    ...counts,
    ratePerSecond: Math.round(rate * 100) / 100,
    percent: counts.total === 0 ? 0 : Math.round((processed / counts.total) * 10_000) / 100,
    etaSeconds: isMoving && rate > 0 && status === 'sending' ? Math.ceil(counts.pending / rate) : null,
    nextAt: await nextAtOf(deps, campaign, counts),
  };
}

/** When something of it is sent next: now (null) while it is sending, at its start, its next slice or the first deferred message. */
export async function nextAtOf(
  deps: Pick<Deps, 'db'>,
  campaign: Campaign,
  { pending, deferred }: Pick<LedgerCounts, 'pending' | 'deferred'>,
): Promise<Date | null> {
  if (campaign.status === 'scheduled') return campaign.startsAt;
  if (campaign.status === 'sending_gradual') return campaign.nextBatchAt;
  if (campaign.status !== 'sending' || deferred === 0 || deferred < pending) return null;
  const { _id, projectId } = campaign;
  const [first] = await deps.db.messages
    .aggregate<{ dueAt: Date | null }>(
      [
        { $match: { campaignId: _id, projectId, state: 'deferred' } },
        { $group: { _id: null, dueAt: { $min: '$dueAt' } } },
      ],
      { hint: 'campaign' },
    )
    .toArray();
  return first?.dueAt ?? null;
}

/** What the ledger and the engagements say now. */
export async function countNow(deps: Pick<Deps, 'db'>, campaign: Tenant): Promise<CampaignCounts> {
  const [ledger, engaged] = await Promise.all([ledgerCounts(deps, campaign), engagementCounts(deps, campaign)]);
  const { total, suppressed, failed, sent, bounced, unknown, pending } = ledger;
  return { totalContacts: total, suppressed, failed, sent, bounced, unknown, pending, ...engaged };
}

/** Stores it: the numbers that `metrics` and analytics answer. */
export async function refreshCounts(deps: Deps, campaign: Tenant): Promise<CampaignCounts> {
  const counts = await countNow(deps, campaign);
  const { _id, projectId } = campaign;
  await deps.db.campaigns.updateOne({ _id, projectId }, { $set: { counts, refreshedAt: deps.clock.now() } });
  return counts;
}

type EngagementCounts = Pick<CampaignCounts, 'opened' | 'humanOpened' | 'clicked' | 'unsubscribed' | 'spamReported'>;

/** Unique recipients: one document for each message that anybody did something with. */
async function engagementCounts(deps: Pick<Deps, 'db'>, { _id, projectId }: Tenant): Promise<EngagementCounts> {
  const one = (field: string) => ({ $sum: { $cond: [{ $ne: [{ $ifNull: [`$${field}`, null] }, null] }, 1, 0] } });
  const [counts] = await deps.db.engagements
    .aggregate<EngagementCounts>(
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

/** What the stored numbers say differently from a recount; while it is sending that is what came since the last refresh. */
export async function reconcileCampaign(deps: Deps, campaign: Campaign): Promise<Reconciliation> {
  const ledger: Record<string, number> = { ...(await countNow(deps, campaign)) };
  const stored: Record<string, number> = { ...campaign.counts };
  const differences = Object.keys(ledger)
    .filter((count) => ledger[count] !== stored[count])
    .map((count) => ({ count, ledger: ledger[count] ?? 0, stored: stored[count] ?? 0 }));
  const { totalContacts = 0, suppressed = 0, failed = 0, sent = 0, unknown = 0, pending = 0 } = ledger;
  const isBalanced = totalContacts === suppressed + failed + sent + unknown + pending;
  return { status: campaign.status, ledger, stored, differences, isBalanced };
}
