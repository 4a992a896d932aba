import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../base/time/durations.ts';
import { type CampaignRef, readCampaign } from '../definition/campaigns.ts';
import type { CampaignsDeps } from '../deps.ts';
import type { Campaign } from '../model.ts';
import { refreshCounts } from '../numbers/counts.ts';
import { describeCampaign } from '../numbers/progress.ts';
import { refreshVariantCounts } from '../numbers/variants.ts';

const REFRESH_MS = 10 * MINUTE_MS;

export interface MetricsStep {
  status: string;
  /** null: the numbers are final. */
  nextMs: number | null;
  details: string;
}

/** One refresh. A refresh that comes too early, after a restart, counts nothing and waits for the rest of the interval. */
export async function refreshMetrics(deps: CampaignsDeps, ref: CampaignRef): Promise<MetricsStep> {
  const campaign = await readCampaign(deps, ref);
  if (!campaign) return { status: 'deleted', nextMs: null, details: 'The campaign was deleted.' };
  const now = deps.clock.now();
  const intervalMs = intervalOf(campaign, now);
  const sinceMs = campaign.refreshedAt ? now.getTime() - campaign.refreshedAt.getTime() : Number.POSITIVE_INFINITY;
  const early = intervalMs !== null && sinceMs < REFRESH_MS;
  if (!early) {
    await refreshVariantCounts(deps, campaign);
    await refreshCounts(deps, campaign);
  }
  const nextMs = intervalMs === null ? null : early ? REFRESH_MS - sinceMs : intervalMs;
  return { status: campaign.status, nextMs, details: await describeCampaign(deps, campaign) };
}

/** How long until the next refresh; null when the campaign has been over for 20 days, or was never sent. */
function intervalOf({ status, sentAt, abortedAt, startedAt }: Campaign, now: Date): number | null {
  if (status === 'draft' || status === 'failed') return null;
  const end = sentAt ?? abortedAt;
  if (!end) return startedAt ? REFRESH_MS : null;
  const sinceMs = now.getTime() - end.getTime();
  if (sinceMs < DAY_MS) return REFRESH_MS;
  if (sinceMs < 7 * DAY_MS) return HOUR_MS;
  return sinceMs < 20 * DAY_MS ? 6 * HOUR_MS : null;
}
