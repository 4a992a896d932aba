import { AppError } from '../../../core/base/errors.ts';

/** The input of a worker thread. */
export interface LargeBody {
  bytes: Uint8Array;
  asked: { method: string; path: string };
}

/** The result of a worker thread: errors cross threads as plain objects. */
export type Parsed = { value: unknown; fingerprint: string } | { message: string; details: string | undefined };

export function fromWorker(parsed: Parsed): { value: unknown; fingerprint: string } {
  if ('value' in parsed) return parsed;
  throw new AppError('invalid', parsed.message, { code: 'VALIDATION_ERROR', details: parsed.details });
}
