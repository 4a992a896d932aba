import { documentQueue, done } from '../jobs/document-queue.ts';
import type { JobQueue } from '../jobs/queue.ts';
import { CAMPAIGN_METRICS, CAMPAIGN_STARTS } from './definition/campaigns.ts';
import type { CampaignsDeps } from './deps.ts';
import type { Campaign } from './model.ts';

/** Starts runs, and wakes running ones after a decision. */
export function campaignQueue(deps: CampaignsDeps): JobQueue {
  return documentQueue<Campaign>(deps, {
    name: CAMPAIGN_STARTS,
    collection: deps.db.campaigns,
    field: 'startDueAt',
    concurrencyMax: 16,
    run: async ({ _id, projectId }) => {
      await deps.workflows.sendCampaign({ projectId: projectId.toHexString(), campaignId: _id.toHexString() });
      return done;
    },
  });
}

/** The numbers are refreshed after the campaign is over too, so this run is separate. */
export function campaignMetrics(deps: CampaignsDeps): JobQueue {
  return documentQueue<Campaign>(deps, {
    name: CAMPAIGN_METRICS,
    collection: deps.db.campaigns,
    field: 'metricsDueAt',
    concurrencyMax: 8,
    run: async ({ _id, projectId }) => {
      await deps.workflows.refreshMetrics({ projectId: projectId.toHexString(), campaignId: _id.toHexString() });
      return done;
    },
  });
}
