import { AppError, invalid } from '../../../core/base/errors.ts';

const JSON_DEPTH_MAX = 32;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Parses an untrusted body. Throws AppError with the reason; runs in the caller's thread or in api/http/body/json-worker.ts. */
export function parseJson(bytes: Uint8Array): unknown {
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    throw invalid('The body is not valid UTF-8.');
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalid('The body is not valid JSON.');
  }
  const fault = hostileFault(value);
  if (fault) throw invalid(`The body is not accepted: ${fault}.`, fault);
  return value;
}

/** Recursion is safe: it ends at the deepest level that is accepted. */
function hostileFault(value: unknown, depth = 0): string | null {
  if (typeof value === 'string') return textFault(value);
  if (typeof value === 'number') return Number.isFinite(value) ? null : 'a number is out of range';
  if (typeof value !== 'object' || value === null) return null;
  if (depth >= JSON_DEPTH_MAX) return `it is nested deeper than ${JSON_DEPTH_MAX} levels`;
  if (Array.isArray(value)) {
    for (const entry of value) {
      const fault = hostileFault(entry, depth + 1);
      if (fault) return fault;
    }
    return null;
  }
  for (const key in value) {
    const entry = (value as Record<string, unknown>)[key];
    const fault = keyFault(key, entry) ?? textFault(key) ?? hostileFault(entry, depth + 1);
    if (fault) return fault;
  }
  return null;
}

function keyFault(key: string, value: unknown): string | null {
  if (key === '__proto__') return 'a field is named __proto__';
  if (key === 'constructor' && typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype'))
    return 'a field is named constructor.prototype';
  return null;
}

function textFault(text: string): string | null {
  if (text.includes('\u0000')) return 'a text holds a NUL character';
  if (!text.isWellFormed()) return 'a text holds half a surrogate pair';
  return null;
}

/** The input of a worker thread. */
export interface LargeBody {
  id: number;
  bytes: Uint8Array;
  asked: { method: string; path: string };
}

/** The result of a worker thread: errors cross threads as plain objects. */
export type Parsed = { value: unknown; fingerprint: string } | { message: string; details: string | undefined };

export function fromWorker(parsed: Parsed): { value: unknown; fingerprint: string } {
  if ('value' in parsed) return parsed;
  throw new AppError('invalid', parsed.message, { code: 'VALIDATION_ERROR', details: parsed.details });
}
