import type { Context, Next } from 'koa';
import { MongoError, MongoServerError } from 'mongodb';
import { causeOf, isBrokenConnection } from '../../core/base/database/transactions.ts';
import type { Deps } from '../../core/base/deps.ts';
import { AppError, type ErrorKind, unavailableDatabase } from '../../core/base/errors.ts';

const statuses: Record<ErrorKind, number> = {
  invalid: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  too_large: 413,
  unsupported_media_type: 415,
  unprocessable: 422,
  rate_limited: 429,
  failed: 500,
  unavailable: 503,
};

/** MongoDB cannot be reached right now: the caller may repeat the request. */
const retryableErrors = new Set([
  'MongoNetworkError',
  'MongoNetworkTimeoutError',
  'MongoServerSelectionError',
  'MongoWaitQueueTimeoutError',
  'MongoPoolClearedError',
  'PoolClearedOnNetworkError',
  'MongoTopologyClosedError',
  'MongoNotConnectedError',
  'MongoOperationTimeoutError',
  'MongoExpiredSessionError',
  'MongoStalePrimaryError',
  'MongoClientClosedError',
  'MongoUnexpectedServerResponseError',
]);
/**
 * Hosts and networks, time limits, a change of primary, a server that has just started (94, 134, 246 and 251), and one whose disk takes no more:
 * 14031, and 8 when the engine finds out while it writes.
 */
const retryableCodes = new Set([
  6, 7, 8, 50, 89, 91, 94, 112, 134, 189, 246, 251, 262, 9001, 10107, 11600, 11602, 13435, 13436, 14031,
]);

/** The one place that turns an error into a status and the envelope. */
export function translateErrors(deps: Deps) {
  return async (context: Context, next: Next): Promise<void> => {
    try {
      await next();
    } catch (error) {
      respondWithError(deps, context, error);
    }
  };
}

function respondWithError(deps: Deps, context: Context, error: unknown): void {
  const { status, headers, body } = errorAnswerOf(faultOf(deps, context.state as Failed, error));
  context.status = status;
  context.set(headers);
  context.type = 'application/json';
  context.body = body;
}

/** The answer that an error becomes, for pages that add headers of their own. */
export function errorAnswerOf({ kind, message, code, details, retryAfterSeconds }: AppError) {
  const headers: Record<string, string> =
    retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) };
  return {
    status: statuses[kind],
    headers,
    body: JSON.stringify({ success: false, error: { message, code, details } }),
  };
}

interface Failed {
  requestId: string;
  route?: string;
  codeless?: boolean;
}

/** The fault as callers may see it. An unexpected one is logged. */
export function faultOf(deps: Pick<Deps, 'log'>, { requestId, route, codeless }: Failed, error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (isRetryable(error)) return unavailableDatabase();
  deps.log.error({ requestId, route, error: describe(error) }, 'request failed');
  return unexpected(codeless === true);
}

export function isRetryable(error: unknown): boolean {
  if (isBrokenConnection(error)) return true;
  const cause = causeOf(error);
  if (
    cause instanceof MongoServerError &&
    (retryableCodes.has(Number(cause.code)) || cause.hasErrorLabel('TransientTransactionError'))
  )
    return true;
  return cause instanceof MongoError && retryableErrors.has(cause.name);
}

function unexpected(isCodeless: boolean): AppError {
  const code = isCodeless ? undefined : 'SERVER_ERROR';
  return new AppError('failed', 'Something went wrong on our side; the log has this request under its X-Request-Id.', {
    code,
  });
}

/** Names and stack positions, never values: a message of the driver may quote a document. */
function describe(error: unknown): object {
  if (!(error instanceof Error)) return { name: typeof error };
  const message = error instanceof MongoError ? `code ${String(error.code)}` : error.message.slice(0, 300);
  return { name: error.name, message, stack: error.stack?.split('\n').slice(1, 8).join('\n') };
}
