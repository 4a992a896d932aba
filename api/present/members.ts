import type { Member } from '../../core/accounts/model.ts';

export function presentMember(member: Member) {
  const { _id, email, role, createdBy = null, createdAt, updatedAt } = member;
  return { id: _id, email, role, createdBy, createdAt, updatedAt };
}
