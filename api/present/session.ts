import type { MemberSession } from '../../core/accounts/model.ts';
import type { OwnOrganization } from '../../core/accounts/sign-in/organizations.ts';
import { isInRole, operationNames } from '../../schemas/operations.ts';

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
