import type { ErrorCode, Resource } from '../../schemas/error-codes.ts';

/** The kinds of faults in the product's words; api/http/errors.ts maps them to HTTP. */
export type ErrorKind =
  | 'invalid'
  | 'unauthorized'
  | 'forbidden'
  | 'not_found'
  | 'conflict'
  | 'unprocessable'
  | 'too_large'
  | 'unsupported_media_type'
  | 'method_not_allowed'
  | 'rate_limited'
  | 'unavailable'
  | 'failed';

interface ErrorExtras {
  code?: ErrorCode | undefined;
  details?: string | undefined;
  retryAfterSeconds?: number | undefined;
}

export class AppError extends Error {
  readonly kind: ErrorKind;
  readonly code: ErrorCode | undefined;
  readonly details: string | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(kind: ErrorKind, message: string, extras: ErrorExtras = {}) {
    super(message);
    this.name = 'AppError';
    this.kind = kind;
    this.code = extras.code;
    this.details = extras.details;
    this.retryAfterSeconds = extras.retryAfterSeconds;
  }
}

/** Nothing was stored. After any other error that is not known: the database may have committed although its answer was lost. */
export function isRefusal(error: unknown): error is AppError {
  return error instanceof AppError && error.kind !== 'unavailable' && error.kind !== 'failed';
}

/** A limit of work on bytes that a caller or a sender chose. */
export type WorkLimit = 'time' | 'memory' | 'waiting';

const WORK_LIMITS: Record<WorkLimit, string> = {
  time: 'takes more processor time than it may',
  memory: 'takes more memory than it may',
  waiting: 'has to wait, since too much is waiting already',
};

/** Work was not done, since it is over a limit. Each edge turns it into an answer for the sender of the bytes. */
export class TooMuch extends Error {
  readonly limit: WorkLimit;

  constructor(limit: WorkLimit) {
    super(`This ${WORK_LIMITS[limit]}.`);
    this.name = 'TooMuch';
    this.limit = limit;
  }
}

export function invalid(message: string, details?: string, code: ErrorCode | undefined = 'VALIDATION_ERROR'): AppError {
  return new AppError('invalid', message, { code, details });
}

/** The caller is known, and may not make this call. */
export function permissionDenied(message: string, details: string): AppError {
  return new AppError('forbidden', message, { code: 'PERMISSION_DENIED', details });
}

/**
 * `field` is given when the id was in a body. The id itself is never repeated: a foreign and a random one get the same answer.
 */
export function notFound(resource: Resource, field?: string): AppError {
  const noun = resource.toLowerCase().replaceAll('_', ' ');
  return new AppError('not_found', `There is no such ${noun} in this project.`, {
    code: `${resource}_NOT_FOUND`,
    details: field === undefined ? undefined : `${field}: names no ${noun} of this project`,
  });
}

export function conflict(code: ErrorCode, message: string, details?: string): AppError {
  return new AppError('conflict', message, { code, details });
}

export function unprocessable(code: ErrorCode | undefined, message: string, details?: string): AppError {
  return new AppError('unprocessable', message, { code, details });
}

export function unavailable(message: string, retryAfterSeconds = 1): AppError {
  return new AppError('unavailable', message, { code: 'UNAVAILABLE', retryAfterSeconds });
}

export function unavailableDatabase(): AppError {
  return unavailable('The database cannot be reached at the moment; repeat the request.');
}
