import type { ObjectId } from 'mongodb';
import type { Deps } from '../../base/deps.ts';
import { messageIdOf } from '../../composing/links.ts';
import { type Ledger, openLedger } from '../../outbox/ledger.ts';
import { settleOrphans } from '../../outbox/settle-orphans.ts';
import { ORPHAN_STATES, states } from '../../outbox/states.ts';
import type { Campaign } from '../model.ts';

type OrphanDeps = Pick<Deps, 'db' | 'clock' | 'log' | 'evidence' | 'config'>;
type Tenant = Pick<Campaign, '_id' | 'projectId'>;

/** An empty ledger, for callers that settle orphans but hold no claims. */
const EMPTY_LEDGER = openLedger(() => 0);
const AT_ONCE_MAX = 1_000;

/**
 * Messages of a process that died are queued again, or become unknown, when their lease is over. Called by ranges, by the run
 * before it ends, parks or waits, and by calls that wait for messages in flight, so nothing stays `committing` whatever is down.
 */
export async function settleCampaignOrphans(
  deps: OrphanDeps,
  campaign: Tenant,
  { ledger = EMPTY_LEDGER, seqs }: { ledger?: Ledger; seqs?: { fromSeq: number; toSeq: number } } = {},
): Promise<void> {
  const { _id, projectId } = campaign;
  const lost = await deps.db.messages
    .find(
      {
        campaignId: _id,
        projectId,
        state: { $in: ORPHAN_STATES },
        ...(seqs ? { seq: { $gte: seqs.fromSeq, $lte: seqs.toSeq } } : {}),
        dueAt: { $exists: true },
        $expr: { $lte: ['$dueAt', '$$NOW'] },
      },
      { projection: { _id: 1 }, hint: 'campaign', limit: AT_ONCE_MAX },
    )
    .toArray();
  if (lost.length === 0) return;
  const ids = lost.map((message) => message._id);
  const domain = await domainOf(deps, campaign);
  const messageIdFor = async (messageId: ObjectId) => domain && `<${messageIdOf({ messageId }, domain)}>`;
  const settled = await settleOrphans(deps, ledger, { projectId, ids, messageIdOf: messageIdFor });
  deps.log.warn({ campaignId: _id, ...settled }, 'settled orphaned mails');
}

export interface Unsettled {
  count: number;
  /** Since the oldest claim, by the database's clock. */
  ageMs: number;
}

/** Messages in flight, and unknown ones for as long as evidence can still be had. */
export async function unsettledOf({ db }: Pick<Deps, 'db'>, { _id, projectId }: Tenant): Promise<Unsettled> {
  const [found] = await db.messages
    .aggregate<Unsettled>(
      [
        {
          $match: {
            campaignId: _id,
            projectId,
            $or: [{ state: states.committing }, { state: states.unknown, dueAt: { $exists: true } }],
          },
        },
        { $group: { _id: null, count: { $sum: 1 }, oldest: { $min: '$claimedAt' } } },
        { $project: { _id: 0, count: 1, ageMs: { $subtract: ['$$NOW', { $ifNull: ['$oldest', '$$NOW'] }] } } },
      ],
      { hint: 'campaign' },
    )
    .toArray();
  return found ?? { count: 0, ageMs: 0 };
}

async function domainOf({ db }: OrphanDeps, { _id, projectId }: Tenant): Promise<string | null> {
  const content = await db.campaignContents.findOne({ _id, projectId }, { projection: { domainName: 1 } });
  return content?.domainName ?? null;
}
