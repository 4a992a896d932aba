import type { ObjectId } from 'mongodb';
import { isInScope, type OperationName, operations, type Scope } from '../../schemas/operations.ts';
import { AppError } from '../base/errors.ts';
import { emailDomain, normalizeEmail } from '../base/text/addresses.ts';
import type { Origin } from '../mails/inputs.ts';
import type { ApiKey } from './model.ts';

/** Admin keys, and keys that were made before there were scopes, have none stored. */
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

/** A malformed or missing From is left to the endpoint, which says what is wrong with it. */
export function requireDomain({ domainName }: ApiKey, body: unknown): void {
  if (domainName === undefined) return;
  const given = (body as { from?: { email?: unknown } } | undefined)?.from?.email;
  const email = typeof given === 'string' ? normalizeEmail(given) : null;
  if (email === null || emailDomain(email) === domainName) return;
  throw permissionDenied(
    `This key sends mail from ${domainName} only, and from.email is on ${emailDomain(email)}.`,
    `from/email: must be on ${domainName}`,
  );
}

export function originOf({ at, seed }: Origin, apiKey: ApiKey): Origin {
  return { at, seed, keyId: sendKeyId(apiKey) };
}

/** The filter of the mails that a key may read: a key with scope send reads its own. */
export function readableMails(apiKey: ApiKey): { keyId: ObjectId | undefined } {
  return { keyId: sendKeyId(apiKey) };
}

function sendKeyId({ _id, scope }: ApiKey): ObjectId | undefined {
  return scope === 'send' ? _id : undefined;
}

function permissionDenied(message: string, details: string): AppError {
  return new AppError('forbidden', message, { code: 'PERMISSION_DENIED', details });
}
