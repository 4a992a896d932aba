import { setTimeout as pause } from 'node:timers/promises';

export interface Order {
  /** CPU time in one turn. */
  spinMs?: number;
  /** This many turns of that. */
  turns?: number;
  pauseMs?: number;
  fails?: boolean;
  fillsMemory?: boolean;
  answer?: unknown;
}

/** Work of a thread, as a test orders it. */
export async function work({ spinMs = 0, turns = 1, pauseMs = 0, fails, fillsMemory, answer = null }: Order) {
  for (let turn = 0; turn < turns; turn += 1) {
    spin(spinMs);
    await pause(turns > 1 ? 1 : 0);
  }
  const kept: unknown[] = [];
  while (fillsMemory) kept.push(Array.from({ length: 10_000 }, () => ({ kept })));
  if (pauseMs > 0) await pause(pauseMs);
  if (fails) throw new Error('as ordered');
  return answer;
}

function spin(ms: number): void {
  const end = cpuMs() + ms;
  while (cpuMs() < end);
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
