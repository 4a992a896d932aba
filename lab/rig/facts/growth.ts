import { readdirSync } from 'node:fs';
import { quantile, slope, usageOf } from '../processes.ts';

/** How a process stood at one moment. */
export interface Sample {
  atMs: number;
  residentMb: number;
  openFiles: number;
}

export interface Growth {
  minutes: number;
  /** Least squares, of what came after the warm-up. */
  megabytesAMinute: number;
  /** From the first third to the last, by their medians. */
  openFiles: number;
  residentMb: number;
}

const WARM_UP_SHARE = 1 / 6;
const MEGABYTES_A_MINUTE_MAX = 1;
const OPEN_FILES_MAX = 10;
/** In a shorter time the garbage collector's ups and downs are more than a minute's growth. */
const JUDGED_FROM_MINUTES = 10;

export function sample(pid: number): Sample {
  return { atMs: performance.now(), residentMb: usageOf(pid).residentMb, openFiles: openFiles(pid) };
}

function openFiles(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return 0;
  }
}

export function growthOf(samples: readonly Sample[]): Growth {
  const warm = samples.slice(Math.ceil(samples.length * WARM_UP_SHARE));
  const third = Math.ceil(warm.length / 3);
  const files = warm.map((one) => one.openFiles);
  return {
    minutes: ((warm.at(-1)?.atMs ?? 0) - (warm[0]?.atMs ?? 0)) / 60_000,
    megabytesAMinute: slope(warm.map(({ atMs, residentMb }) => [atMs / 60_000, residentMb])),
    openFiles: quantile(files.slice(-third), 0.5) - quantile(files.slice(0, third), 0.5),
    residentMb: warm.at(-1)?.residentMb ?? 0,
  };
}

export function brokenGrowth(name: string, { minutes, megabytesAMinute, openFiles }: Growth): string[] {
  const isJudged = minutes >= JUDGED_FROM_MINUTES;
  return [
    ...(isJudged && megabytesAMinute >= MEGABYTES_A_MINUTE_MAX ? [`the ${name} grows`] : []),
    ...(openFiles > OPEN_FILES_MAX ? [`the ${name} keeps files open`] : []),
  ];
}

export function tellGrowth(name: string, { minutes, megabytesAMinute, openFiles, residentMb }: Growth): string {
  const judged = minutes >= JUDGED_FROM_MINUTES ? '' : ' (too short to judge)';
  return `${name} ${residentMb} MB, ${megabytesAMinute.toFixed(2)} MB a minute${judged}, open files ${openFiles > 0 ? '+' : ''}${openFiles}`;
}
