import type { ObjectId } from 'mongodb';
import { isInScope, type OperationName, operations, type Scope } from '../../schemas/operations.ts';
import { permissionDenied } from '../base/errors.ts';
import { emailDomain, normalizeEmail } from '../base/text/addresses.ts';
import type { MailOrigin } from '../mail/accept/inputs.ts';
import type { ApiKey } from './model.ts';

/** A key without a stored scope may do everything. */
export function scopeOf({ scope }: Pick<ApiKey, 'scope'>): Scope {
  return scope ?? 'full';
}

/** Decided by the table of operations and the key that was read for authentication: no query. */
export function requireScope(apiKey: ApiKey, operation: OperationName): void {
  const scope = scopeOf(apiKey);
  if (isInScope(scope, operation)) return;
  const others = ['full', ...operations[operation].scopes].join(' or ');
  throw permissionDenied(
    `This key has the scope ${scope}, which does not include ${operation}; use a key with the scope ${others}.`,
    `scope: ${scope} does not include ${operation}`,
  );
}

/** Of the mail of the call, or of each of its mails. A malformed or missing From is left to the endpoint, which says what is wrong with it. */
export function requireDomain({ domainName }: ApiKey, body: unknown): void {
  if (domainName === undefined) return;
  const { from, mails } = (body ?? {}) as { from?: unknown; mails?: unknown };
  requireFrom(domainName, from, 'from/email');
  if (!Array.isArray(mails)) return;
  for (const [index, mail] of mails.entries()) requireFrom(domainName, mail?.from, `mails/${index}/from/email`);
}

function requireFrom(domainName: string, from: unknown, field: string): void {
  const given = (from as { email?: unknown } | null | undefined)?.email;
  const email = typeof given === 'string' ? normalizeEmail(given) : null;
  if (email === null || emailDomain(email) === domainName) return;
  throw permissionDenied(
    `This key sends mail from ${domainName} only, and from.email is on ${emailDomain(email)}.`,
    `${field}: must be on ${domainName}`,
  );
}

export function originOf({ at, seed, by }: MailOrigin, apiKey: ApiKey | null): MailOrigin {
  return { at, seed, by, keyId: sendKeyId(apiKey) };
}

/** The filter of the mails that a caller may read: a key with scope send reads its own. */
export function readableMails(apiKey: ApiKey | null): { keyId: ObjectId | undefined } {
  return { keyId: sendKeyId(apiKey) };
}

/** null: a member calls with a session. */
function sendKeyId(apiKey: ApiKey | null): ObjectId | undefined {
  return apiKey?.scope === 'send' ? apiKey._id : undefined;
}
