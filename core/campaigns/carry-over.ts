import type { Project } from '../base/model.ts';
import { carryOverStarts } from '../jobs/starts.ts';
import type { CampaignsDeps } from './deps.ts';

/** Campaigns of before there were audiences of other campaigns, and runs of the time when a campaign had their dates itself. */
export async function carryOverCampaigns(
  deps: CampaignsDeps,
  { _id: projectId }: Pick<Project, '_id'>,
): Promise<{ campaigns: number; starts: number }> {
  const { campaigns: documents } = deps.db;
  const old = { projectId, audience: { $exists: false } };
  const { modifiedCount: campaigns } = await documents.updateMany(old, { $set: { audience: null } });
  const sending = await carryOverStarts(deps, 'campaign', { projectId, documents, field: 'startDueAt' });
  const metrics = await carryOverStarts(deps, 'metrics', { projectId, documents, field: 'metricsDueAt' });
  return { campaigns, starts: sending + metrics };
}
