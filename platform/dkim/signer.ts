import type { DkimKey, Signer } from '../../core/mail/ledger/relay.ts';
import type { Kind } from '../threads/kinds.ts';
import { createPool } from '../threads/pool.ts';
import { createLargeMessages } from './large-messages.ts';
import { signMessage } from './sign.ts';

/** A batch is at most some 16 ms of work with RSA: small enough to spread over the threads, large enough to hide its own cost. */
const BATCH_SIZE_MAX = 16;

const CLOSED = 'The signer is closed.';

export interface Task {
  message: string;
  keys: readonly DkimKey[];
  seconds: number;
}

export type Signed = { signature: string } | { error: string };

interface Waiting {
  task: Task;
  resolve: (signature: string) => void;
  reject: (error: Error) => void;
}

/** Starts its threads with the first signature. */
export function createSigner(threadCount: number, largeLimits: Partial<Kind> = {}): Signer {
  const pool = createPool<Task[], Signed[]>('signatures', { limits: { threads: threadCount } });
  const large = createLargeMessages(largeLimits);
  let waiting: Waiting[] = [];
  let closed = false;

  function flush(): void {
    const some = waiting;
    waiting = [];
    for (const batch of split(some)) void signBatch(batch);
  }

  async function signBatch(batch: Waiting[]): Promise<void> {
    const bytes = batch.reduce((sum, { task }) => sum + task.message.length, 0);
    try {
      const tasks = batch.map(({ task }) => task);
      const results = await pool.run(tasks, { bytes });
      for (const [index, { resolve, reject }] of batch.entries()) {
        const result = results[index]!;
        if ('signature' in result) resolve(result.signature);
        else reject(new Error(result.error));
      }
    } catch (error) {
      for (const { reject } of batch) reject(error as Error);
    }
  }

  return {
    signNow: signMessage,
    sign(message, keys, at) {
      if (keys.length === 0) return Promise.resolve('');
      if (closed) return Promise.reject(new Error(CLOSED));
      return new Promise((resolve, reject) => {
        const task = { message, keys, seconds: Math.floor(at.getTime() / 1_000) };
        if (waiting.push({ task, resolve, reject }) === 1) setImmediate(flush);
      });
    },
    writeLarge: (pieces, keys, at) => (closed ? Promise.reject(new Error(CLOSED)) : large.write(pieces, keys, at)),
    async close() {
      closed = true;
      await Promise.all([large.close(), pool.close()]);
    },
  };
}

function split(waiting: Waiting[]): Waiting[][] {
  const batches: Waiting[][] = [];
  for (let from = 0; from < waiting.length; from += BATCH_SIZE_MAX)
    batches.push(waiting.slice(from, from + BATCH_SIZE_MAX));
  return batches;
}
