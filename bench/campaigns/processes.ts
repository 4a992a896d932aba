import { readFileSync } from 'node:fs';

/** What a process has used so far, from /proc. */
export interface Usage {
  cpuSeconds: number;
  peakMb: number;
}

const TICKS_PER_SECOND = 100;

export function usageOf(pid: number): Usage {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [, user = '0', system = '0'] = /\) \S+(?: \S+){10} (\d+) (\d+)/.exec(stat) ?? [];
    const peak = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '0';
    return { cpuSeconds: (Number(user) + Number(system)) / TICKS_PER_SECOND, peakMb: Math.round(Number(peak) / 1_024) };
  } catch {
    return { cpuSeconds: 0, peakMb: 0 };
  }
}

/** CPU between two looks, as microseconds for each of so many. */
export function microsEach(before: Usage, after: Usage, count: number): number {
  return Math.round(((after.cpuSeconds - before.cpuSeconds) * 1e6) / count);
}

export function quantile(values: number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? 0;
}
