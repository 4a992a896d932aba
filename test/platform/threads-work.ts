import { setTimeout as pause } from 'node:timers/promises';
import { threadId, workerData } from 'node:worker_threads';

export interface Order {
  /** CPU time in one turn. */
  spinMs?: number;
  /** This many turns of that. */
  turns?: number;
  pauseMs?: number;
  fails?: boolean;
  fillsMemory?: boolean;
  answer?: unknown;
  /** Answers which thread did it. */
  namesThread?: boolean;
}

export interface ThreadsLoaded {
  /** One number: how many threads have loaded this module. */
  count: SharedArrayBuffer;
}

const { settings } = workerData as { settings: ThreadsLoaded | null };
if (settings) Atomics.add(new Int32Array(settings.count), 0, 1);

/** Work of a thread, as a test orders it. */
export async function work({
  spinMs = 0,
  turns = 1,
  pauseMs = 0,
  fails,
  fillsMemory,
  answer = null,
  namesThread,
}: Order) {
  for (let turn = 0; turn < turns; turn += 1) {
    spin(spinMs);
    await pause(turns > 1 ? 1 : 0);
  }
  const kept: unknown[] = [];
  while (fillsMemory) kept.push(Array.from({ length: 10_000 }, () => ({ kept })));
  if (pauseMs > 0) await pause(pauseMs);
  if (fails) throw new Error('as ordered');
  return namesThread ? threadId : answer;
}

function spin(ms: number): void {
  const end = cpuMs() + ms;
  while (cpuMs() < end);
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
