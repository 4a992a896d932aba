import type { ApiKey, Contact, Domain, Project, Sender, Template } from '../core/model.ts';
import type { PageOf } from '../core/pages.ts';
import { domainRecords } from '../core/rules/domain-records.ts';
import type { Config } from '../schemas/config.ts';

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

export function presentDomain(domain: Domain, config: Pick<Config, 'mailHost' | 'spfRecord'>) {
  const { ownershipVerified, dkimEnabled, mailFromEnabled, dmarcEnabled, dkimSigning, regionKey, message } = domain;
  const { createdAt, lastCheckedAt, verifiedAt, inboundEnabledAt, inboundDomainVerifiedAt } = domain;
  return {
    id: domain._id,
    domainName: domain.domainName,
    verificationStatus: domain.verificationStatus,
    ...{ ownershipVerified, dkimEnabled, mailFromEnabled, dmarcEnabled, dkimSigning },
    dnsRecords: domainRecords(domain, config),
    message,
    createdAt,
    lastCheckedAt,
    ...(verifiedAt ? { verifiedAt } : {}),
    regionKey,
    verificationInProgress: domain.checkRequestedAt !== null,
    inboundEnabledAt,
    inboundDomainVerifiedAt,
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

export function presentTemplate(template: Template) {
  const { _id, templateId, projectId, templateName, subject, previewText, emailTemplate, templateType } = template;
  const { builderType, description, editorJson, parentBodyProperties, isFlagged, source } = template;
  const { trackingClick, trackingOpen, createdAt, updatedAt } = template;
  return {
    id: _id,
    templateId,
    projectId,
    templateName,
    subject,
    previewText,
    emailTemplate,
    templateType,
    builderType,
    description,
    editorJson,
    parentBodyProperties,
    isFlagged,
    source,
    trackingClick,
    trackingOpen,
    createdAt,
    updatedAt,
  };
}

export function presentSender({ _id, email, name, replyTo, createdAt, updatedAt }: Sender) {
  return { id: _id, email, name, replyTo, createdAt, updatedAt };
}

/** {<plural>: [...], pagination} */
export function presentPage<T, Wire>(plural: string, { entries, pagination }: PageOf<T>, present: (entry: T) => Wire) {
  return { [plural]: entries.map(present), pagination };
}
