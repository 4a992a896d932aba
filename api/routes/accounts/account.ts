import { createApiKeyOnce, listApiKeys, revokeApiKey } from '../../../core/accounts/api-keys.ts';
import { deleteProject } from '../../../core/accounts/deletion.ts';
import {
  createProject,
  findProject,
  getProject,
  listProjects,
  updateProject,
} from '../../../core/accounts/projects.ts';
import type { Deps } from '../../../core/base/deps.ts';
import { derivedId } from '../../../core/base/ids.ts';
import type { Project } from '../../../core/base/model.ts';
import { paginationOf } from '../../../core/base/paging.ts';
import { domainsOfProjects } from '../../../core/domains/of-projects.ts';
import {
  apiKeysAnswer,
  createApiKeyBody,
  createProjectBody,
  newApiKeyAnswer,
  projectAnswer,
  projectsAnswer,
  updateProjectBody,
} from '../../../schemas/accounts/account.ts';
import { pageQuery } from '../../../schemas/common.ts';
import { Answer, endpoint } from '../../http/endpoint.ts';
import { presentApiKey, presentProject } from '../../present/accounts.ts';
import { presentPage } from '../../present/page.ts';

const tag = 'account';

export const accountRoutes = [
  endpoint({
    operation: 'projects.list',
    method: 'get',
    path: '/account/projects',
    key: 'admin',
    tag,
    summary: 'List the projects of the organization',
    query: pageQuery,
    answer: projectsAnswer,
    handler: async ({ deps, organization, query }) => {
      const page = await listProjects(deps, organization._id, query);
      const wire = await presentProjects(deps, page.entries);
      return presentPage('projects', { ...page, entries: wire }, (project) => project);
    },
  }),
  endpoint({
    operation: 'projects.create',
    method: 'post',
    path: '/account/projects',
    key: 'admin',
    tag,
    summary: 'Create a project',
    body: createProjectBody,
    answer: projectAnswer,
    status: 201,
    handler: async ({ deps, organization, body, request }) =>
      presentProject(
        await createProject(deps, organization._id, body, derivedId(request.at, 'project', request.seed.toHexString())),
        [],
      ),
  }),
  endpoint({
    operation: 'projects.get',
    method: 'get',
    path: '/account/projects/{projectId}',
    key: 'admin',
    tag,
    summary: 'Get a project',
    answer: projectAnswer,
    handler: async ({ deps, organization, params }) => {
      const project = await getProject(deps, organization._id, params.projectId ?? '');
      return presentProject(project, await domainsOf(deps, project));
    },
  }),
  endpoint({
    operation: 'projects.update',
    method: 'patch',
    path: '/account/projects/{projectId}',
    key: 'admin',
    tag,
    summary: 'Change a project: its name, its tracking defaults, and the look, language and sender of its public pages',
    body: updateProjectBody,
    answer: projectAnswer,
    errors: { 409: 'It was changed after updatedAt.', 422: 'The domain of `publicFrom` is not verified.' },
    handler: async ({ deps, organization, params: { projectId = '' }, body }) => {
      // Read before the change: once that is stored, nothing can fail.
      const domains = await domainsOf(deps, await findProject(deps, organization._id, projectId));
      return presentProject(await updateProject(deps, organization._id, projectId, body), domains);
    },
  }),
  endpoint({
    operation: 'projects.delete',
    method: 'delete',
    path: '/account/projects/{projectId}',
    key: 'admin',
    tag,
    summary: 'Delete a project; its keys stop working at once',
    handler: async ({ deps, organization, params }) => deleteProject(deps, organization._id, params.projectId ?? ''),
  }),
  endpoint({
    operation: 'apiKeys.list',
    method: 'get',
    path: '/account/projects/{projectId}/api-keys',
    key: 'admin',
    tag,
    summary: 'List the keys of a project',
    answer: apiKeysAnswer,
    handler: async ({ deps, organization, params }) => {
      const project = await findProject(deps, organization._id, params.projectId ?? '');
      const keys = await listApiKeys(deps, organization._id, project._id);
      return { apiKeys: keys.map(presentApiKey), pagination: paginationOf(1, Math.max(1, keys.length), keys.length) };
    },
  }),
  endpoint({
    operation: 'apiKeys.create',
    method: 'post',
    path: '/account/projects/{projectId}/api-keys',
    key: 'admin',
    tag,
    summary: 'Create a project key, which is shown only once',
    body: createApiKeyBody,
    answer: newApiKeyAnswer,
    status: 201,
    secret: 'key',
    handler: async ({ deps, organization, params, body, request }) => {
      const project = await findProject(deps, organization._id, params.projectId ?? '');
      const { name, scope, domainName } = body;
      const { at, seed, by } = request;
      const input = { organizationId: organization._id, projectId: project._id, name, scope, domainName, by };
      const { apiKey, key } = await createApiKeyOnce(deps, input, derivedId(at, 'key', seed.toHexString()));
      // As a repeat is answered whose first answer was kept.
      if (key === null)
        return new Answer(presentApiKey(apiKey), undefined, undefined, { 'Idempotency-Replayed': 'true' });
      return { ...presentApiKey(apiKey), key };
    },
  }),
  endpoint({
    operation: 'apiKeys.delete',
    method: 'delete',
    path: '/account/api-keys/{apiKeyId}',
    key: 'admin',
    tag,
    summary: 'Revoke a key; it stops working within five seconds',
    handler: async ({ deps, organization, params }) => revokeApiKey(deps, organization._id, params.apiKeyId ?? ''),
  }),
];

async function domainsOf(deps: Deps, project: Project) {
  return [...(await domainsOfProjects(deps, [project])).values()].flat();
}

async function presentProjects(deps: Deps, projects: Project[]) {
  const domains = await domainsOfProjects(deps, projects);
  return projects.map((project) => presentProject(project, domains.get(project._id.toHexString()) ?? []));
}
