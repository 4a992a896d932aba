import { oncePerCore } from '../../base/deps.ts';
import { costlyCache } from '../../base/work/cache.ts';
import type { CampaignsDeps } from '../deps.ts';
import type { Campaign } from '../model.ts';
import { type LedgerCounts, ledgerCounts } from './counts.ts';

type Db = Pick<CampaignsDeps, 'db' | 'mongo'>;

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
  if ((freeze?.frozen?.total ?? freeze?.written ?? 0) < KEPT_FROM_TOTAL)
    return ledgerCounts(deps, campaign, { exact: false });
  const key = `${_id.toHexString()} ${updatedAt.getTime()} ${freeze?.frozen ? 'frozen' : 'freezing'}`;
  return keptCounts(deps).get(key, () => ledgerCounts(deps, campaign, { exact: false }));
}
