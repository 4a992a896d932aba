import { readFileSync } from 'node:fs';
import type { Deps } from '../../core/base/deps.ts';

/** CPU time and memory that a process has used so far, from /proc. */
interface Usage {
  cpuSeconds: number;
  /** Now, and at its highest. */
  residentMb: number;
  peakMb: number;
}

const TICKS_PER_SECOND = 100;

export function usageOf(pid: number): Usage {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [, user = '0', system = '0'] = /\) \S+(?: \S+){10} (\d+) (\d+)/.exec(stat) ?? [];
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const megabytes = (field: string) =>
      Math.round(Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1] ?? 0) / 1_024);
    return {
      cpuSeconds: (Number(user) + Number(system)) / TICKS_PER_SECOND,
      residentMb: megabytes('VmRSS'),
      peakMb: megabytes('VmHWM'),
    };
  } catch {
    return { cpuSeconds: 0, residentMb: 0, peakMb: 0 };
  }
}

type Cpu = Pick<Usage, 'cpuSeconds'>;

/** Of several processes together. */
export function cpuOf(pids: readonly number[]): Cpu {
  return { cpuSeconds: pids.reduce((sum, pid) => sum + usageOf(pid).cpuSeconds, 0) };
}

/** CPU between two looks, as microseconds for each of so many. */
export function microsEach(before: Cpu, after: Cpu, count: number): number {
  return Math.round(((after.cpuSeconds - before.cpuSeconds) * 1e6) / count);
}

export function quantile(values: number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? 0;
}

/** Least squares. */
export function slope(points: ReadonlyArray<readonly [number, number]>): number {
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [x0, y0] = [mean(points.map(([x]) => x)), mean(points.map(([, y]) => y))];
  const spread = points.reduce((sum, [x]) => sum + (x - x0) ** 2, 0);
  return spread === 0 ? 0 : points.reduce((sum, [x, y]) => sum + (x - x0) * (y - y0), 0) / spread;
}

export async function mongodPid({ mongo }: Pick<Deps, 'mongo'>): Promise<number> {
  return (await mongo.db('admin').command({ serverStatus: 1 })).pid as number;
}
