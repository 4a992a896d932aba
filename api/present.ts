import type { ApiKey, Contact, Domain, Project } from '../core/model.ts';
import type { PageOf } from '../core/pages.ts';

/** Every wire shape. Dates become ISO 8601 with milliseconds when the answer is written as JSON. */

export function presentProject({ _id, name, createdAt, trackingOpen, trackingClick }: Project, domains: Domain[]) {
  const verified = domains.find(({ verificationStatus }) => verificationStatus === 'VERIFIED');
  const inbound = domains.find(({ inboundEnabledAt }) => inboundEnabledAt !== null);
  return {
    id: _id,
    name,
    domain: verified?.domainName ?? null,
    domains: domains.map(({ _id: id, domainName, verificationStatus, regionKey }) => ({
      id,
      domainName,
      verificationStatus,
      regionKey,
    })),
    createdAt,
    trackingOpen,
    trackingClick,
    ...(inbound ? { inboundEmailDomain: inbound.domainName } : {}),
  };
}

export function presentApiKey({ _id, name, createdAt }: ApiKey) {
  return { id: _id, name, createdAt };
}

export function presentContact(contact: Contact) {
  const { _id, email, firstName, lastName, userId, mobile, contactProperties } = contact;
  const { listIds, segmentIds, projectId, createdAt, updatedAt } = contact;
  const names = { firstName, lastName, userId, mobile };
  return {
    id: _id,
    email,
    ...names,
    contactProperties,
    customFields: contactProperties,
    listIds,
    segmentIds,
    projectId,
    createdAt,
    updatedAt,
  };
}

/** {<plural>: [...], pagination} */
export function presentPage<T, Wire>(plural: string, { entries, pagination }: PageOf<T>, present: (entry: T) => Wire) {
  return { [plural]: entries.map(present), pagination };
}
