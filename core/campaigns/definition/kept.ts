import { DAY_MS } from '../../base/time/durations.ts';
import type { CampaignsDeps } from '../deps.ts';
import type { Campaign } from '../model.ts';

/** When retention may begin to remove the campaign's rows: their ids have the second in which its freeze began. null before that. */
export function keptUntil(
  { config }: Pick<CampaignsDeps, 'config'>,
  { freeze }: Pick<Campaign, 'freeze'>,
): Date | null {
  return freeze && new Date(freeze.at.getTime() + config.retentionDays * DAY_MS);
}
