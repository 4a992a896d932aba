import { done } from '../jobs/document-queue.ts';
import type { JobQueue } from '../jobs/queue.ts';
import { startQueue } from '../jobs/starts.ts';
import type { CampaignsDeps } from './deps.ts';

/** Starts runs, and wakes running ones after a decision. */
export function campaignQueue(deps: CampaignsDeps): JobQueue {
  return startQueue(deps, 'campaign', {
    concurrencyMax: 16,
    run: async ({ subjectId, projectId }) => {
      await deps.workflows.sendCampaign({ projectId: projectId.toHexString(), campaignId: subjectId.toHexString() });
      return done;
    },
  });
}

/** The numbers are refreshed after the campaign is over too, so this run is separate. */
export function campaignMetrics(deps: CampaignsDeps): JobQueue {
  return startQueue(deps, 'metrics', {
    concurrencyMax: 8,
    run: async ({ subjectId, projectId }) => {
      await deps.workflows.refreshMetrics({ projectId: projectId.toHexString(), campaignId: subjectId.toHexString() });
      return done;
    },
  });
}
