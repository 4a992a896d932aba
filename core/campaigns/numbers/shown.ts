import { oncePerCore } from '../../base/deps.ts';
import type { Session } from '../../base/model.ts';
import { costlyCache } from '../../base/work/cache.ts';
import { countClaims } from '../../mail/ledger/blocks/counts.ts';
import { ALL_STATES, type MessageState, states } from '../../mail/ledger/states.ts';
import type { CampaignsDeps } from '../deps.ts';
import type { Campaign } from '../model.ts';
import { type LedgerCounts, ledgerCounts } from './counts.ts';

type Db = Pick<CampaignsDeps, 'db' | 'mongo'>;

const NOT_SENT = ALL_STATES.filter((state) => state !== states.sent);
/** Smaller campaigns are counted for each watcher, in some milliseconds. */
const KEPT_FROM_TOTAL = 5_000;
/** At most a tenth of the time is spent on counting, however many watch. */
const keptCounts = oncePerCore(() => costlyCache<LedgerCounts>({ sizeMax: 1_000 }));

/**
 * Counts for watchers, which may be some moments old for a large campaign. After a decision, and when the audience is written,
 * everything is counted again.
 */
export async function shownCounts(deps: Db & Pick<CampaignsDeps, 'state'>, campaign: Campaign): Promise<LedgerCounts> {
  const { _id, updatedAt, freeze } = campaign;
  if ((freeze?.frozen?.total ?? freeze?.written ?? 0) < KEPT_FROM_TOTAL) return quickCounts(deps, campaign);
  const key = `${_id.toHexString()} ${updatedAt.getTime()} ${freeze?.frozen ? 'frozen' : 'freezing'}`;
  return keptCounts(deps).get(key, () => quickCounts(deps, campaign));
}

/**
 * The same as ledgerCounts, of claims instead of rows where there are claims: each claimed recipient has a row or is in flight, and
 * those with another state than sent are few. A missing row shows in ledgerCounts alone, so nothing is decided by these.
 */
export async function quickCounts(deps: Db, campaign: Pick<Campaign, '_id' | 'projectId'>): Promise<LedgerCounts> {
  const session = deps.mongo.startSession({ snapshot: true });
  try {
    return (await countByClaims(deps, campaign, session)) ?? (await ledgerCounts(deps, campaign));
  } finally {
    await session.endSession();
  }
}

/** null: it is not written down in blocks, or not any more. */
async function countByClaims(
  deps: Db,
  { _id, projectId }: Pick<Campaign, '_id' | 'projectId'>,
  session: Session,
): Promise<LedgerCounts | null> {
  // The first read sets the moment of the others.
  const now = await deps.db.campaigns.findOne({ _id, projectId }, { session, projection: { freeze: 1 } });
  const { run, frozen } = now?.freeze ?? {};
  if (!run || !frozen) return null;
  const [rows, claims] = await Promise.all([
    countOthers(deps, { _id, projectId }, session),
    countClaims(deps, { projectId, campaignId: _id }, session),
  ]);
  const ofBlocks = rows.filter(({ isOfBlock }) => isOfBlock).reduce((sum, { count }) => sum + count, 0);
  const of = (...some: MessageState[]) =>
    rows.reduce((sum, { state, count }) => sum + (some.includes(state) ? count : 0), 0);
  const sent = claims.claimed - claims.inFlight - ofBlocks + of(states.bounced);
  const inFlight = claims.inFlight + of(states.committing);
  const pending = frozen.inBlocks - claims.claimed + inFlight + of(states.queued, states.deferred);
  return {
    total: frozen.total,
    suppressed: of(states.suppressed),
    failed: of(states.failed),
    sent,
    bounced: of(states.bounced),
    unknown: of(states.unknown),
    pending,
    deferred: of(states.deferred),
    inFlight,
  };
}

interface Others {
  state: MessageState;
  /** People who were suppressed in the freeze are in no block. */
  isOfBlock: boolean;
  count: number;
}

/** From keys alone. */
async function countOthers(
  { db }: Pick<CampaignsDeps, 'db'>,
  { _id, projectId }: Pick<Campaign, '_id' | 'projectId'>,
  session: Session,
): Promise<Others[]> {
  const groups = await db.messages
    .aggregate<{ _id: Omit<Others, 'count'>; count: number }>(
      [
        { $match: { campaignId: _id, projectId, state: { $in: NOT_SENT } } },
        { $group: { _id: { state: '$state', isOfBlock: { $gt: ['$seq', 0] } }, count: { $sum: 1 } } },
      ],
      { hint: 'campaign', session },
    )
    .toArray();
  return groups.map(({ _id: group, count }) => ({ ...group, count }));
}
