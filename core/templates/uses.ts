import type { Deps } from '../base/deps.ts';
import type { Project } from '../base/model.ts';
import type { Template } from './model.ts';

/** The uses that deleting the template would break, in words, or null. */
export async function useOfTemplate(
  deps: Deps,
  project: Pick<Project, '_id'>,
  { templateId }: Pick<Template, 'templateId'>,
): Promise<string | null> {
  const projectId = project._id;
  const inCampaign = { projectId, templateId, status: { $in: ['draft' as const, 'scheduled' as const] } };
  const inAutomation = { projectId, status: 'active' as const, 'steps.email.templateId': templateId };
  const [campaign, automation] = await Promise.all([
    deps.db.campaigns.findOne(inCampaign, { projection: { name: 1, status: 1 } }),
    deps.db.automations.findOne(inAutomation, { projection: { name: 1 } }),
  ]);
  if (campaign) return `the ${campaign.status === 'draft' ? 'draft' : 'scheduled campaign'} "${campaign.name}"`;
  return automation ? `the active automation "${automation.name}"` : null;
}
