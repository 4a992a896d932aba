import { isInRole, type OperationName, operations, ROLES } from '../../schemas/operations.ts';
import { permissionDenied } from '../base/errors.ts';
import type { Member } from './model.ts';

/** Decided by the table of operations and the member that was read for authentication: no query. */
export function requireRole({ role }: Pick<Member, 'role'>, operation: OperationName): void {
  if (isInRole(role, operation)) return;
  const { role: least } = operations[operation];
  if (least === null)
    throw permissionDenied(`${operation} takes an API key, not a session.`, 'session: is not taken here');
  const others = ROLES.slice(ROLES.indexOf(least)).join(' or ');
  throw permissionDenied(
    `Your role is ${role}, which does not include ${operation}; it takes the role ${others}.`,
    `role: ${role} does not include ${operation}`,
  );
}
