import type { Deps } from '../../../core/base/deps.ts';
import { domainData } from '../../../core/domains/domain-data.ts';
import {
  createDomain,
  deleteDomain,
  disableInbound,
  enableInbound,
  getDomain,
  listDomains,
  updateDomain,
  verifyDomain,
} from '../../../core/domains/domains.ts';
import type { Domain } from '../../../core/domains/model.ts';
import {
  createDomainBody,
  domainAnswer,
  domainsAnswer,
  domainsQuery,
  updateDomainBody,
} from '../../../schemas/domains/domains.ts';
import { Answer, endpoint } from '../../http/endpoint.ts';
import { presentPage } from '../../present/page.ts';

const tag = 'domains';

export const domainRoutes = [
  endpoint({
    operation: 'domains.create',
    method: 'post',
    path: '/domains',
    key: 'token',
    tag,
    summary: 'Add a sending domain; the answer has the DNS records to publish',
    body: createDomainBody,
    answer: domainAnswer,
    status: 201,
    errors: { 409: 'This project has the domain already.' },
    handler: async ({ deps, project, body, request }) => answer(deps, await createDomain(deps, project, body, request)),
  }),
  endpoint({
    operation: 'domains.list',
    method: 'get',
    path: '/domains',
    key: 'token',
    tag,
    summary: 'List sending domains, oldest first',
    query: domainsQuery,
    answer: domainsAnswer,
    handler: async ({ deps, project, query }) =>
      presentPage('domains', await listDomains(deps, project, query), (domain) => domainData(domain, deps.config)),
  }),
  endpoint({
    operation: 'domains.get',
    method: 'get',
    path: '/domains/{domainId}',
    key: 'token',
    tag,
    summary: 'Get a sending domain',
    answer: domainAnswer,
    handler: async ({ deps, project, params }) => answer(deps, await getDomain(deps, project, params.domainId ?? '')),
  }),
  endpoint({
    operation: 'domains.update',
    method: 'patch',
    path: '/domains/{domainId}',
    key: 'token',
    tag,
    summary: 'Change who signs the mail of a domain: this service or the relay',
    body: updateDomainBody,
    answer: domainAnswer,
    handler: async ({ deps, project, params, body }) =>
      answer(deps, await updateDomain(deps, project, params.domainId ?? '', body)),
  }),
  endpoint({
    operation: 'domains.delete',
    method: 'delete',
    path: '/domains/{domainId}',
    key: 'token',
    tag,
    summary: 'Delete a sending domain, with its DKIM key',
    handler: async ({ deps, project, params }) => deleteDomain(deps, project, params.domainId ?? ''),
  }),
  endpoint({
    operation: 'domains.verify',
    method: 'post',
    path: '/domains/{domainId}/verify',
    key: 'token',
    tag,
    summary: 'Check the DNS records of a domain now; a later GET has the result',
    answer: domainAnswer,
    handler: async ({ deps, project, params }) =>
      answer(deps, await verifyDomain(deps, project, params.domainId ?? '')),
  }),
  endpoint({
    operation: 'domains.enableInbound',
    method: 'post',
    path: '/domains/{domainId}/inbound/enable',
    key: 'token',
    tag,
    summary: 'Receive mail for a verified domain; the answer has the MX record to publish',
    answer: domainAnswer,
    errors: { 422: 'The domain is not verified.' },
    codeless: true,
    handler: async ({ deps, project, params }) =>
      answer(deps, await enableInbound(deps, project, params.domainId ?? '')),
  }),
  endpoint({
    operation: 'domains.disableInbound',
    method: 'post',
    path: '/domains/{domainId}/inbound/disable',
    key: 'token',
    tag,
    summary: 'Stop receiving mail for a domain',
    answer: domainAnswer,
    codeless: true,
    handler: async ({ deps, project, params }) =>
      answer(deps, await disableInbound(deps, project, params.domainId ?? '')),
  }),
];

/** The message of a check is also at the top level, where people look first. */
function answer({ config }: Deps, domain: Domain): Answer {
  return new Answer(domainData(domain, config), domain.message ?? undefined);
}
