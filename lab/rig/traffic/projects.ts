import { ObjectId } from 'mongodb';
import { createApiKey } from '../../../core/accounts/api-keys.ts';
import { createProject } from '../../../core/accounts/projects.ts';
import { seedVerifiedDomain } from '../../../core/domains/domains.ts';
import type { DrillContext } from '../context.ts';

/** The same installation, as a further project of it sees it: with a key and a sending domain of its own. */
export async function addProject(context: DrillContext, name: string): Promise<DrillContext> {
  const { deps } = context;
  const { organizationId } = context.project;
  const project = await createProject(deps, organizationId, { name });
  const domain = `${name.toLowerCase()}.example.com`;
  await seedVerifiedDomain(deps, project, domain, new ObjectId());
  const { key } = await createApiKey(deps, { organizationId, projectId: project._id, name: 'drill' });
  return { ...context, project, key, sender: `drill@${domain}` };
}
