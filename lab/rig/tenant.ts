import { ObjectId } from 'mongodb';
import { createApiKey } from '../../core/accounts/api-keys.ts';
import { createProject } from '../../core/accounts/projects.ts';
import type { Deps } from '../../core/base/deps.ts';
import type { FrequencyCap, Project } from '../../core/base/model.ts';
import { changeProject } from '../../core/base/projects.ts';
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

/** null: none. Senders that run read it once a second. */
export async function setCap(
  { deps, project }: { deps: Deps; project: Project },
  frequencyCap: FrequencyCap | null,
): Promise<void> {
  const change = frequencyCap
    ? { set: { frequencyCap }, unset: {} }
    : { set: {}, unset: { frequencyCap: '' as const } };
  await deps.mongo.withSession((session) =>
    session.withTransaction(() => changeProject(deps, project, change, session)),
  );
}
