import type { Deps } from './deps.ts';
import type { Project, Template } from './model.ts';

/** What would break without the template, in words, or null. */
export async function useOfTemplate(
  deps: Deps,
  project: Pick<Project, '_id'>,
  { templateId }: Pick<Template, 'templateId'>,
): Promise<string | null> {
  const automation = await deps.db.automations.findOne(
    { projectId: project._id, status: 'active', 'steps.email.templateId': templateId },
    { projection: { name: 1 } },
  );
  if (automation) return `the active automation "${automation.name}"`;
  const campaign = await deps.db.campaigns.findOne(
    { projectId: project._id, status: { $in: ['draft', 'scheduled', 'paused'] }, startedAt: null, templateId },
    { projection: { name: 1, status: 1 } },
  );
  return campaign ? `the campaign "${campaign.name}", which is ${campaign.status}` : null;
}
