import type { Project } from '../base/model.ts';
import type { DomainsDeps } from './deps.ts';
import type { Domain } from './model.ts';

/** The domains of each project, oldest first: the first verified one is the project's `domain`. */
export async function domainsOfProjects(deps: DomainsDeps, projects: Project[]): Promise<Map<string, Domain[]>> {
  const projectIds = projects.map(({ _id }) => _id);
  const domains = await deps.db.domains
    .find({ projectId: { $in: projectIds } }, { hint: 'domain_name' })
    .sort({ _id: 1 })
    .toArray();
  return Map.groupBy(domains, ({ projectId }) => projectId.toHexString());
}
