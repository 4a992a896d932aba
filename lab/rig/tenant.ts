import { ObjectId } from 'mongodb';
import { createApiKey } from '../../core/accounts/api-keys.ts';
import { createProject } from '../../core/accounts/projects.ts';
import type { Deps } from '../../core/base/deps.ts';
import type { Project } from '../../core/base/model.ts';
import { seedVerifiedDomain } from '../../core/domains/domains.ts';

/** A project with a key and a sending domain of its own. */
export async function createTenant(
  deps: Deps,
  { organizationId, name, domain }: { organizationId: ObjectId; name: string; domain: string },
): Promise<{ project: Project; key: string }> {
  const project = await createProject(deps, organizationId, { name });
  await seedVerifiedDomain(deps, project, domain, new ObjectId());
  const { key } = await createApiKey(deps, { organizationId, projectId: project._id, name: 'drill' });
  return { project, key };
}
