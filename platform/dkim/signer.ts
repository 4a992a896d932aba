import { Worker } from 'node:worker_threads';
import type { DkimKey, Signer } from '../../core/outbox/relay.ts';
import type { Kind } from '../threads/kinds.ts';
import { createLargeMessages } from './large-messages.ts';
import { signMessage } from './sign.ts';

/** A batch is at most some 16 ms of work with RSA: small enough to spread over the threads, large enough to hide its own cost. */
const BATCH_SIZE_MAX = 16;

const CLOSED = 'The signer is closed.';

interface Task {
  message: string;
  keys: readonly DkimKey[];
  seconds: number;
}

export interface Batch {
  id: number;
  tasks: Task[];
}

export interface BatchResult {
  id: number;
  results: ({ signature: string } | { error: string })[];
}

interface Waiting {
  task: Task;
  resolve: (signature: string) => void;
  reject: (error: Error) => void;
}

interface Thread {
  worker: Worker;
  underWay: Map<number, Waiting[]>;
}

/** Starts its threads with the first signature. */
export function createSigner(threadCount: number, largeLimits: Partial<Kind> = {}): Signer {
  const threads: Thread[] = [];
  const large = createLargeMessages(largeLimits);
  let waiting: Waiting[] = [];
  let batchId = 0;
  let closed = false;

  function flush(): void {
    if (closed) for (const { reject } of waiting.splice(0)) reject(new Error(CLOSED));
    while (waiting.length > 0 && threads.length < threadCount) threads.push(startThread(threads));
    for (const batch of split(waiting)) {
      const thread = threads.reduce((least, other) => (load(other) < load(least) ? other : least));
      thread.underWay.set(++batchId, batch);
      thread.worker.ref();
      thread.worker.postMessage({ id: batchId, tasks: batch.map(({ task }) => task) } satisfies Batch);
    }
    waiting = [];
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
      await large.close();
      await Promise.all(threads.splice(0).map(({ worker }) => worker.terminate()));
    },
  };
}

function startThread(threads: Thread[]): Thread {
  const thread: Thread = { worker: new Worker(new URL('./worker.ts', import.meta.url)), underWay: new Map() };
  const { worker, underWay } = thread;
  worker.unref();
  worker.on('message', ({ id, results }: BatchResult) => {
    const batch = underWay.get(id) ?? [];
    underWay.delete(id);
    if (underWay.size === 0) worker.unref();
    for (const [index, { resolve, reject }] of batch.entries()) {
      const result = results[index]!;
      if ('signature' in result) resolve(result.signature);
      else reject(new Error(result.error));
    }
  });
  worker.on('error', () => {});
  worker.on('exit', () => {
    const index = threads.indexOf(thread);
    if (index !== -1) threads.splice(index, 1);
    for (const batch of underWay.values())
      for (const { reject } of batch) reject(new Error('The signing thread ended.'));
  });
  return thread;
}

function split(waiting: Waiting[]): Waiting[][] {
  const batches: Waiting[][] = [];
  for (let from = 0; from < waiting.length; from += BATCH_SIZE_MAX)
    batches.push(waiting.slice(from, from + BATCH_SIZE_MAX));
  return batches;
}

function load({ underWay }: Thread): number {
  let tasks = 0;
  for (const batch of underWay.values()) tasks += batch.length;
  return tasks;
}
