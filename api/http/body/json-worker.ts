import { parentPort } from 'node:worker_threads';
import { AppError } from '../../../core/base/errors.ts';
import { type Parsed, parseJson } from './json.ts';

/** Large bodies are parsed here, so that one upload of 60 MiB does not delay all other requests. */
parentPort?.on('message', ({ id, bytes }: { id: number; bytes: Uint8Array }) => {
  parentPort?.postMessage({ id, parsed: parse(bytes) });
});

function parse(bytes: Uint8Array): Parsed {
  try {
    return { value: parseJson(bytes) };
  } catch (error) {
    if (error instanceof AppError) return { message: error.message, details: error.details };
    return { message: 'The body is not valid JSON.', details: undefined };
  }
}
