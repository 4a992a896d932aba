import type { ErrorCode as ApiErrorCode } from './types.ts';

/** The codes of the client itself; `status` is null for them, but for an answer of a gateway. */
export type ClientErrorCode =
  /** The API could not be reached, or the connection broke, until the time for tries was over. */
  | 'NETWORK'
  /** No answer in time, until the time for tries was over. */
  | 'TIMEOUT'
  /** The signal of the call was aborted; `cause` is its reason. */
  | 'ABORTED'
  /** The API closed the stream for good; `details` is the reason: key_revoked, session_ended, member_removed or project_deleted. */
  | 'STREAM_CLOSED'
  /** The campaign ended without being sent; `details` is its status. */
  | 'CAMPAIGN_NOT_SENT'
  /** The key, webhook or secret was made, but the answer that showed the secret was lost; `record` has the rest of it. */
  | 'SECRET_LOST';

export type { ApiErrorCode };

/** A newer API may have more. */
export type ErrorCode = ApiErrorCode | ClientErrorCode;

export interface ErrorFields {
  status?: number | null;
  code?: ErrorCode | null;
  details?: string | null;
  requestId?: string | null;
  retryAfterMs?: number | null;
  record?: unknown;
  cause?: unknown;
}

/** Everything that the client throws. */
export class EverpostError extends Error {
  /** Of the answer; null when there was none. */
  readonly status: number | null;
  /** Some refusals have none, for example 403 for the wrong kind of key. */
  readonly code: ErrorCode | null;
  /** The fields that are wrong, or another hint. */
  readonly details: string | null;
  /** The log of the API has the request under this id. */
  readonly requestId: string | null;
  /** How long the API asks to wait. */
  readonly retryAfterMs: number | null;
  /** With SECRET_LOST: the record that was made, without its secret. */
  readonly record: unknown;

  constructor(message: string, fields: ErrorFields = {}) {
    super(message, fields.cause === undefined ? undefined : { cause: fields.cause });
    this.name = 'EverpostError';
    this.status = fields.status ?? null;
    this.code = fields.code ?? null;
    this.details = fields.details ?? null;
    this.requestId = fields.requestId ?? null;
    this.retryAfterMs = fields.retryAfterMs ?? null;
    this.record = fields.record;
  }

  /** For logs: JSON.stringify of another error is `{}`. */
  toJSON(): object {
    const { message, status, code, details, requestId, retryAfterMs, record } = this;
    return { message, status, code, details, requestId, retryAfterMs, record };
  }
}

/** The error of an answer that is not 2xx. */
export async function refusalOf(response: Response): Promise<EverpostError> {
  const { status, headers } = response;
  const fields = { status, requestId: headers.get('x-request-id'), retryAfterMs: retryAfterMs(headers) };
  const error = envelopeError(await response.text());
  if (error)
    return new EverpostError(error.message, { ...fields, code: error.code ?? null, details: error.details ?? null });
  // A gateway that did not reach the API, or lost it: whether the call was done is not known.
  if (status === 502 || status === 504)
    return new EverpostError(`A gateway answered ${status}: it did not get the answer of the API.`, {
      ...fields,
      code: 'NETWORK',
    });
  const target = headers.get('location');
  if (target) return new EverpostError(`The server redirects to ${target}: set baseUrl to where it leads.`, fields);
  return new EverpostError(`The answer has status ${status} and is not from Everpost: is baseUrl right?`, fields);
}

function envelopeError(text: string): { message: string; code?: ErrorCode; details?: string } | null {
  try {
    const { error } = JSON.parse(text);
    return typeof error?.message === 'string' ? error : null;
  } catch {
    return null;
  }
}

/** Seconds, or a date as some proxies write it. */
function retryAfterMs(headers: Headers): number | null {
  const value = headers.get('retry-after');
  if (value === null) return null;
  const ms = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : null;
}
