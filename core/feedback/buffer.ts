import { type Deps, oncePerCore } from '../base/deps.ts';
import { type Signal, writeSignals } from './engagements.ts';

/** Signals kept while MongoDB is down; further ones are dropped, with a log line. */
export const BUFFERED_MAX = 10_000;
/** A small limit, so that writing a backlog does not delay requests for pictures. */
const TOGETHER_MAX = 200;
/** Signals that arrive within this time are written together: a write costs the database much the same for one and for fifty. */
const GATHER_MS = 25;
const REPEAT_FIRST_MS = 100;
const REPEAT_MAX_MS = 2_000;

interface Buffer {
  waiting: Signal[];
  running: boolean;
  dropped: number;
  stopped: boolean;
}

/** Returns at once: pixels and links never wait for the database. Signals are written in batches, and repeated until that succeeds. */
export function bufferSignal(deps: Deps, signal: Signal): void {
  const buffer = bufferOf(deps);
  if (buffer.waiting.length >= BUFFERED_MAX) {
    if (buffer.dropped === 0) deps.log.warn({ kept: BUFFERED_MAX }, 'dropping opens and clicks: the buffer is full');
    buffer.dropped += 1;
    return;
  }
  buffer.waiting.push(signal);
  if (!buffer.running) void flush(deps, buffer);
}

/** The number of signals that are not written yet, and of those dropped since the last success. */
export function bufferedSignals(deps: Deps): { waiting: number; dropped: number } {
  const { waiting, dropped } = bufferOf(deps);
  return { waiting: waiting.length, dropped };
}

/** Resolves when everything is written, or when the time is over. */
export async function drainSignals(deps: Deps, graceMs: number): Promise<void> {
  const buffer = bufferOf(deps);
  const until = performance.now() + graceMs;
  while ((buffer.waiting.length > 0 || buffer.running) && performance.now() < until)
    await new Promise((resolve) => setTimeout(resolve, 10));
  buffer.stopped = true;
  if (buffer.waiting.length > 0)
    deps.log.warn({ lost: buffer.waiting.length }, 'opens and clicks could not be written');
}

const bufferOf = oncePerCore((_deps: Deps): Buffer => ({ waiting: [], running: false, dropped: 0, stopped: false }));

async function flush(deps: Deps, buffer: Buffer): Promise<void> {
  buffer.running = true;
  for (let waitMs = REPEAT_FIRST_MS; buffer.waiting.length > 0 && !buffer.stopped; ) {
    if (buffer.waiting.length < TOGETHER_MAX) await new Promise((resolve) => setTimeout(resolve, GATHER_MS));
    const batch = buffer.waiting.slice(0, TOGETHER_MAX);
    try {
      await writeSignals(deps, batch);
      buffer.waiting.splice(0, batch.length);
      if (buffer.dropped > 0)
        deps.log.warn({ dropped: buffer.dropped }, 'opens and clicks can be written again; some were dropped');
      buffer.dropped = 0;
      waitMs = REPEAT_FIRST_MS;
    } catch (error) {
      deps.log.warn({ err: error, waiting: buffer.waiting.length }, 'opens and clicks could not be written; retrying');
      await new Promise((resolve) => setTimeout(resolve, waitMs));
      waitMs = Math.min(REPEAT_MAX_MS, waitMs * 2);
    }
  }
  buffer.running = false;
}
