import { cancellationSignal, heartbeat } from '@temporalio/activity';
import type { Deps } from '../core/base/deps.ts';
import { type MetricsStep, refreshMetrics } from '../core/campaigns/numbers/metrics.ts';
import { freezeAudience } from '../core/campaigns/run/freeze.ts';
import { advanceCampaign, type CampaignRef, type CampaignStep, readCampaign } from '../core/campaigns/run/next-step.ts';
import { type CampaignRange, type RangeResult, sendRange } from '../core/campaigns/send/range.ts';
import type { Sending } from '../core/delivery/sending.ts';

export interface CampaignActivities {
  advanceCampaign(ref: CampaignRef): Promise<CampaignStep & { details: string }>;
  freezeCampaignAudience(ref: CampaignRef): Promise<void>;
  refreshCampaignMetrics(ref: CampaignRef): Promise<MetricsStep>;
}

export interface CampaignRangeActivities {
  sendCampaignPage(page: CampaignRange): Promise<RangeResult>;
}

/** Run by the lane `campaign` only: it keeps the connections to the relay. */
export function campaignPageActivities(sending: Sending): CampaignRangeActivities {
  return {
    /** May run twice, even at the same time: each message is claimed before it is sent. */
    async sendCampaignPage(page) {
      let ended = 0;
      const beat = setInterval(() => heartbeat(ended), BEAT_EVERY_MS);
      const onProgress = (count: number) => {
        ended = count;
      };
      try {
        return await sendRange(sending, page, { signal: cancellationSignal(), onProgress });
      } finally {
        clearInterval(beat);
      }
    },
  };
}

const BEAT_EVERY_MS = 1_000;

export function campaignActivities(deps: Deps): CampaignActivities {
  return {
    advanceCampaign: (ref) => advanceCampaign(deps, ref),
    refreshCampaignMetrics: (ref) => refreshMetrics(deps, ref),
    /** May run twice: the campaign stores how far the freeze has come, and ids are derived. */
    async freezeCampaignAudience(ref) {
      const campaign = await readCampaign(deps, ref);
      const beat = setInterval(() => heartbeat(), BEAT_EVERY_MS);
      try {
        if (campaign) await freezeAudience(deps, campaign, { signal: cancellationSignal(), onProgress: heartbeat });
        cancellationSignal().throwIfAborted();
      } finally {
        clearInterval(beat);
      }
    },
  };
}
