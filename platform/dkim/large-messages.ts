import { Worker } from 'node:worker_threads';
import type { DkimKey, LargePiece } from '../../core/outbox/relay.ts';

export interface LargeMessage {
  id: number;
  pieces: readonly LargePiece[];
  keys: readonly DkimKey[];
  seconds: number;
}

export type LargeResult = { id: number; bytes: Uint8Array } | { id: number; error: string };

type Waiting = { resolve: (bytes: Buffer) => void; reject: (error: Error) => void };

/** The encoded texts of the largest mail a few times over; what is garbage above that is collected. */
const HEAP_MB = 384;

/** Encodes and signs large messages in a thread of its own, one after the other: 40 MiB take half a second. */
export function createLargeMessages() {
  const waiting = new Map<number, Waiting>();
  let thread: Worker | null = null;
  let lastId = 0;

  function start(): Worker {
    const started = new Worker(new URL('./large-messages-worker.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    });
    started.unref();
    started.on('message', (result: LargeResult) => {
      const call = waiting.get(result.id);
      waiting.delete(result.id);
      if (waiting.size === 0) started.unref();
      if ('error' in result) call?.reject(new Error(result.error));
      else call?.resolve(Buffer.from(result.bytes.buffer, result.bytes.byteOffset, result.bytes.byteLength));
    });
    started.on('error', () => {});
    started.on('exit', () => {
      if (thread === started) thread = null;
      for (const { reject } of waiting.values()) reject(new Error('The thread for large messages ended.'));
      waiting.clear();
    });
    return started;
  }

  return {
    write(pieces: LargeMessage['pieces'], keys: readonly DkimKey[], at: Date): Promise<Buffer> {
      thread ??= start();
      const running = thread;
      return new Promise((resolve, reject) => {
        lastId += 1;
        waiting.set(lastId, { resolve, reject });
        running.ref();
        const seconds = Math.floor(at.getTime() / 1_000);
        running.postMessage({ id: lastId, pieces, keys, seconds } satisfies LargeMessage);
      });
    },
    async close(): Promise<void> {
      await thread?.terminate();
    },
  };
}
