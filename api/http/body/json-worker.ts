import { parentPort } from 'node:worker_threads';
import { AppError } from '../../../core/base/errors.ts';
import { fingerprintOf } from '../fingerprint.ts';
import { type LargeBody, type Parsed, parseJson } from './json.ts';

/** Large bodies are parsed here, so that one upload of 60 MiB does not delay all other requests. */
parentPort?.on('message', ({ id, bytes, asked }: LargeBody) => {
  parentPort?.postMessage({ id, parsed: parse(bytes, asked) });
});

function parse(bytes: Uint8Array, { method, path }: LargeBody['asked']): Parsed {
  try {
    const value = parseJson(bytes);
    return { value, fingerprint: fingerprintOf(method, path, value) };
  } catch (error) {
    if (error instanceof AppError) return { message: error.message, details: error.details };
    return { message: 'The body is not valid JSON.', details: undefined };
  }
}
