import type { ApiKey, Member, MemberSession } from '../../core/accounts/model.ts';
import { scopeOf } from '../../core/accounts/scopes.ts';
import type { OwnOrganization } from '../../core/accounts/sign-in/organizations.ts';
import type { Project } from '../../core/base/model.ts';
import { LANGUAGE_PROPERTY } from '../../core/base/text/languages/index.ts';
import type { Domain } from '../../core/domains/model.ts';
import { DKIM_ALGORITHMS } from '../../schemas/accounts/account.ts';
import { isInRole, operationNames } from '../../schemas/operations.ts';

export function presentProject(project: Project, domains: Domain[]) {
  const { _id, name, createdAt, updatedAt = createdAt, trackingOpen, trackingClick } = project;
  const { sandboxAddresses = false, sandboxSuppressions = false, dkimAlgorithms = DKIM_ALGORITHMS } = project;
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
    updatedAt,
    trackingOpen,
    trackingClick,
    sandboxAddresses,
    sandboxSuppressions,
    dkimAlgorithms,
    ...zonesOf(project),
    frequencyCap: project.frequencyCap ?? null,
    ...publicFieldsOf(project),
    ...(inbound ? { inboundEmailDomain: inbound.domainName } : {}),
  };
}

function zonesOf({ timezone = 'UTC', timezoneProperty = null }: Project) {
  return { timezone, timezoneProperty };
}

function publicFieldsOf(project: Project) {
  const { publicName, logoUrl, color, postalAddress, publicFrom } = project;
  return {
    publicName: publicName ?? null,
    logoUrl: logoUrl ?? null,
    color: color ?? null,
    postalAddress: postalAddress ?? null,
    languageProperty: project.languageProperty ?? LANGUAGE_PROPERTY,
    consentAddress: project.consentAddress ?? 'shortened',
    publicFrom: publicFrom ?? null,
  };
}

export function presentApiKey(apiKey: ApiKey) {
  const { _id, name, domainName = null, createdBy = null, createdAt, lastUsedAt = null } = apiKey;
  return { id: _id, name, scope: scopeOf(apiKey), domainName, createdBy, createdAt, lastUsedAt };
}

export function presentMember(member: Member) {
  const { _id, email, role, createdBy = null, createdAt, updatedAt } = member;
  return { id: _id, email, role, createdBy, createdAt, updatedAt };
}

export function presentCurrentSession(
  { _id, email, createdAt, expiresAt }: MemberSession,
  organizations: OwnOrganization[],
) {
  return { id: _id, email, createdAt, expiresAt, organizations: organizations.map(presentOrganization) };
}

function presentOrganization({ member, organization, projects }: OwnOrganization) {
  return {
    id: organization._id,
    name: organization.name,
    memberId: member._id,
    role: member.role,
    operations: operationNames.filter((name) => isInRole(member.role, name)),
    projects: projects.map(({ _id, name }) => ({ id: _id, name })),
  };
}

export function presentSession(session: MemberSession, current: Pick<MemberSession, '_id'>) {
  const { _id, userAgent, createdAt, lastUsedAt, expiresAt } = session;
  return { id: _id, current: _id.equals(current._id), userAgent, createdAt, lastUsedAt, expiresAt };
}
