import { AppError } from '../../../core/base/errors.ts';
import { parseJson } from '../../../core/base/text/json.ts';
import { fingerprintOf } from '../fingerprint.ts';
import type { LargeBody, Parsed } from './json.ts';

/** Large bodies are parsed here, so that one upload of 60 MiB does not delay all other requests. */
export function work({ bytes, asked: { method, path } }: LargeBody): Parsed {
  try {
    const value = parseJson(bytes);
    return { value, fingerprint: fingerprintOf(method, path, value) };
  } catch (error) {
    if (error instanceof AppError) return { message: error.message, details: error.details };
    return { message: 'The body is not valid JSON.', details: undefined };
  }
}
