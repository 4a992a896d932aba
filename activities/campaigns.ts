import { cancellationSignal } from '@temporalio/activity';
import type { Deps } from '../core/base/deps.ts';
import { type CampaignRef, readCampaign } from '../core/campaigns/definition/campaigns.ts';
import type { CampaignsDeps } from '../core/campaigns/deps.ts';
import { freezeAudience } from '../core/campaigns/run/freeze.ts';
import { type MetricsStep, refreshMetrics } from '../core/campaigns/run/metrics.ts';
import { advanceCampaign, type CampaignStep } from '../core/campaigns/run/next-step.ts';
import { type CampaignRange, type RangeResult, sendRange } from '../core/campaigns/send/range.ts';
import type { Sending } from '../core/mail/deliver/sending.ts';
import { beating } from './beating.ts';

export interface CampaignActivities {
  advanceCampaign(ref: CampaignRef): Promise<CampaignStep & { details: string }>;
  freezeCampaignAudience(ref: CampaignRef): Promise<void>;
  refreshCampaignMetrics(ref: CampaignRef): Promise<MetricsStep>;
}

export interface CampaignRangeActivities {
  sendCampaignPage(page: CampaignRange): Promise<RangeResult>;
}

/** Run by the role `campaign` only: it keeps the connections to the relay. */
export function campaignPageActivities(sending: Sending<CampaignsDeps>): CampaignRangeActivities {
  return {
    /** May run twice, even at the same time: each message is claimed before it is sent. */
    sendCampaignPage: (page) =>
      beating((onProgress) => sendRange(sending, page, { signal: cancellationSignal(), onProgress })),
  };
}

export function campaignActivities(deps: Deps): CampaignActivities {
  return {
    advanceCampaign: (ref) => beating(() => advanceCampaign(deps, ref)),
    refreshCampaignMetrics: (ref) => beating(() => refreshMetrics(deps, ref)),
    /** May run twice: the campaign stores how far the freeze has come, and ids are derived. */
    async freezeCampaignAudience(ref) {
      const campaign = await readCampaign(deps, ref);
      await beating(async (onProgress) => {
        if (campaign) await freezeAudience(deps, campaign, { signal: cancellationSignal(), onProgress });
        cancellationSignal().throwIfAborted();
      });
    },
  };
}
