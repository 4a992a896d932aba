import type { Project } from '../base/model.ts';
import { carryOverStarts } from '../jobs/starts.ts';
import type { CampaignsDeps } from './deps.ts';

/** Campaigns of before there were audiences of other campaigns. Returns how many there were. */
export async function carryOverCampaigns({ db }: CampaignsDeps, { _id }: Pick<Project, '_id'>): Promise<number> {
  const old = { projectId: _id, audience: { $exists: false } };
  const { modifiedCount } = await db.campaigns.updateMany(old, { $set: { audience: null } });
  return modifiedCount;
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
