import type { ObjectId } from 'mongodb';
import { taggedWith } from '../../base/text/tags.ts';
import { messageIdOf } from '../../mail/compose/links.ts';
import { CONTACT_DELETED } from '../../mail/erase/fail-for-deleted.ts';
import { settleClaims } from '../../mail/ledger/blocks/take-over.ts';
import { type Ledger, openLedger } from '../../mail/ledger/ledger.ts';
import type { MessageIdOf } from '../../mail/ledger/resolve-orphan.ts';
import { settleOrphans } from '../../mail/ledger/settle-orphans.ts';
import { ORPHAN_STATES, states } from '../../mail/ledger/states.ts';
import { announceDeliveries, announceRows } from '../../mail/messages/deliveries.ts';
import { publishRows } from '../../mail/messages/events.ts';
import type { CampaignsDeps } from '../deps.ts';
import type { Campaign } from '../model.ts';

type Tenant = Pick<Campaign, '_id' | 'projectId' | 'freeze' | 'tags'>;
interface Scope {
  ledger?: Ledger;
  seqs?: { fromSeq: number; toSeq: number };
}

/** An empty ledger, for callers that settle orphans but hold no claims. */
const EMPTY_LEDGER = openLedger(() => 0);
const AT_ONCE_MAX = 1_000;

/**
 * Messages of a process that died are queued again, or become unknown, when their lease is over. Called by ranges, by the run
 * before it ends, parks or waits, and by calls that wait for messages in flight, so nothing stays in flight whatever is down.
 */
export async function settleCampaignOrphans(deps: CampaignsDeps, campaign: Tenant, scope: Scope = {}): Promise<void> {
  const domain = once(() => domainOf(deps, campaign));
  const messageIdFor = async (messageId: ObjectId) => {
    const name = await domain();
    return name && `<${messageIdOf({ messageId }, name)}>`;
  };
  await settleBlocks(deps, campaign, scope, messageIdFor);
  await settleRows(deps, campaign, scope, messageIdFor);
}

async function settleBlocks(
  deps: CampaignsDeps,
  campaign: Tenant,
  { ledger }: Scope,
  messageIdFor: MessageIdOf,
): Promise<void> {
  const { _id: campaignId, projectId, freeze, tags } = campaign;
  if (!freeze?.run) return;
  const settled = await settleClaims(deps, {
    projectId,
    campaignId,
    run: freeze.run,
    messageIdOf: messageIdFor,
    publish: async (rows) => {
      await publishRows(deps, projectId, rows);
      await announceRows(deps, projectId, rows);
    },
    own: (ledger ?? EMPTY_LEDGER).blocks,
    erasedReason: CONTACT_DELETED,
    ...taggedWith(tags),
  });
  if (Object.values(settled).some((count) => count > 0))
    deps.log.warn({ campaignId, ...settled }, 'settled claims of a process that is gone');
}

async function settleRows(
  deps: CampaignsDeps,
  campaign: Tenant,
  scope: Scope,
  messageIdFor: MessageIdOf,
): Promise<void> {
  const { _id, projectId } = campaign;
  const { ledger = EMPTY_LEDGER, seqs } = scope;
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
  const settled = await settleOrphans(deps, ledger, {
    projectId,
    ids,
    messageIdOf: messageIdFor,
    publish: (rows) => publishRows(deps, projectId, rows),
  });
  if (settled.sent > 0) await announceDeliveries(deps, projectId, ids);
  deps.log.warn({ campaignId: _id, ...settled }, 'settled orphaned mails');
}

interface Unsettled {
  count: number;
  /** Since the oldest claim, by the database's clock. */
  ageMs: number;
}

/** Claims that are not closed, messages in flight, and unknown ones for as long as evidence can still be had. */
export async function unsettledOf({ db }: Pick<CampaignsDeps, 'db'>, { _id, projectId }: Tenant): Promise<Unsettled> {
  const ageMs = { $subtract: ['$$NOW', { $ifNull: ['$oldest', '$$NOW'] }] };
  const oldest = { $min: '$claimedAt' };
  const [rows, claims] = await Promise.all([
    db.messages
      .aggregate<Unsettled>(
        [
          {
            $match: {
              campaignId: _id,
              projectId,
              $or: [{ state: states.committing }, { state: states.unknown, dueAt: { $exists: true } }],
            },
          },
          { $group: { _id: null, count: { $sum: 1 }, oldest } },
          { $project: { _id: 0, count: 1, ageMs } },
        ],
        { hint: 'campaign' },
      )
      .toArray(),
    db.campaignClaims
      .aggregate<Unsettled>(
        [
          { $match: { projectId, campaignId: _id, leaseUntil: { $exists: true } } },
          { $group: { _id: null, count: { $sum: { $subtract: ['$to', '$from'] } }, oldest } },
          { $project: { _id: 0, count: 1, ageMs } },
        ],
        { hint: 'open' },
      )
      .toArray(),
  ]);
  const found = [...rows, ...claims];
  return {
    count: found.reduce((sum, { count }) => sum + count, 0),
    ageMs: Math.max(0, ...found.map((part) => part.ageMs)),
  };
}

function once<T>(read: () => Promise<T>): () => Promise<T> {
  let reading: Promise<T> | undefined;
  return () => {
    reading ??= read();
    return reading;
  };
}

async function domainOf({ db }: Pick<CampaignsDeps, 'db'>, { _id, projectId }: Tenant): Promise<string | null> {
  const content = await db.campaignContents.findOne({ _id, projectId }, { projection: { domainName: 1 } });
  return content?.domainName ?? null;
}
