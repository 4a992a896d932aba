import type { Project } from '../base/model.ts';
import { done } from '../jobs/document-queue.ts';
import type { JobQueue } from '../jobs/queue.ts';
import { carryOverStarts, startQueue } from '../jobs/starts.ts';
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

/** Runs that are due, of the time when the campaign itself had the dates. Returns how many there were. */
export async function carryOverCampaignStarts(
  deps: Pick<CampaignsDeps, 'db'>,
  { _id: projectId }: Pick<Project, '_id'>,
): Promise<number> {
  const of = { projectId, documents: deps.db.campaigns };
  const sending = await carryOverStarts(deps, 'campaign', { ...of, field: 'startDueAt' });
  return sending + (await carryOverStarts(deps, 'metrics', { ...of, field: 'metricsDueAt' }));
}
