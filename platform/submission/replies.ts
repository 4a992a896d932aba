import type { Log } from '../../core/base/deps.ts';
import { AppError, isRefusal } from '../../core/base/errors.ts';
import { reply } from '../inbound/reply.ts';

/** RFC 5321 4.5.3.1.5: a reply has 512 bytes with its code and line end. */
const TEXT_LENGTH_MAX = 480;

/** The reply to a mail that was not taken. */
export function replyTo(error: unknown, log: Log): Error {
  if (isReply(error)) return error;
  const known = error instanceof AppError ? refusal(error) : null;
  if (known) return known;
  log.error({ err: error }, 'submitted mail could not be stored; it was deferred');
  return reply(451, '4.3.0 Come back in a minute');
}

/** The mail is not stored. After any other error it may be. */
export function isRefused(error: unknown): boolean {
  return isReply(error) || isRefusal(error);
}

function isReply(error: unknown): error is Error {
  return error instanceof Error && 'responseCode' in error;
}

function refusal({ kind, code, message, details }: AppError): Error | null {
  const text = message.slice(0, TEXT_LENGTH_MAX);
  switch (kind) {
    case 'rate_limited':
      return reply(451, `4.7.1 ${text}`);
    case 'unavailable':
      return reply(451, `4.3.0 ${text}`);
    case 'unprocessable':
    case 'forbidden':
      return reply(550, `5.7.1 ${text}`);
    case 'conflict':
      return reply(554, `5.6.0 ${code === 'IDEMPOTENCY_KEY_REUSED' ? 'Idempotency-Key: ' : ''}${text}`);
    case 'not_found':
    case 'invalid':
      return reply(554, `5.6.0 ${(details ?? message).slice(0, TEXT_LENGTH_MAX)}`);
    default:
      return null;
  }
}
