import { parentPort } from 'node:worker_threads';
import { signMessage } from './sign.ts';
import type { Batch, BatchResult } from './signer.ts';

/** A signing thread: batches in, signatures out. A message that cannot be signed fails alone. */
parentPort!.on('message', ({ id, tasks }: Batch) => {
  const results = tasks.map(({ message, keys, seconds }) => {
    try {
      return { signature: signMessage(message, keys, new Date(seconds * 1_000)) };
    } catch (error) {
      return { error: error instanceof Error ? error.message : String(error) };
    }
  });
  parentPort!.postMessage({ id, results } satisfies BatchResult);
});
