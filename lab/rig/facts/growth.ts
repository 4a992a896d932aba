import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { quantile, slope, usageOf } from '../processes.ts';

/** How a process stood at one moment. */
export interface Sample {
  atMs: number;
  residentMb: number;
  /** Without the connections to MongoDB. */
  openFiles: number;
  /** Their pool is bounded; it is empty after each kill of MongoDB, and then as large as the traffic of the moment makes it. */
  databaseConnections: number;
}

export interface Growth {
  minutes: number;
  /** Least squares, of what came after the warm-up. */
  megabytesAMinute: number;
  /** From the first third to the last, by their medians. */
  openFiles: number;
  /** The most at a time. */
  databaseConnections: number;
  residentMb: number;
}

const WARM_UP_SHARE = 1 / 6;
const MEGABYTES_A_MINUTE_MAX = 1;
const OPEN_FILES_MAX = 10;
/** `maxPoolSize`, the monitors of the driver, and some that close. */
const DATABASE_CONNECTIONS_MAX = 60;
/** In a shorter time the garbage collector's ups and downs are more than a minute's growth. */
const JUDGED_FROM_MINUTES = 10;

export function sample(pid: number, databasePort: number): Sample {
  const files = openFiles(pid);
  const connections = connectionsTo(databasePort, pid);
  const databaseConnections = files.filter((file) => connections.has(file)).length;
  return {
    atMs: performance.now(),
    residentMb: usageOf(pid).residentMb,
    openFiles: files.length - databaseConnections,
    databaseConnections,
  };
}

/** Each by its path, or by its kind and number. */
function openFiles(pid: number): string[] {
  return orNone(() => readdirSync(`/proc/${pid}/fd`)).flatMap((fd) =>
    orNone(() => [readlinkSync(`/proc/${pid}/fd/${fd}`)]),
  );
}

function connectionsTo(port: number, pid: number): Set<string> {
  const remote = port.toString(16).toUpperCase().padStart(4, '0');
  const lines = ['tcp', 'tcp6'].flatMap((kind) =>
    orNone(() => readFileSync(`/proc/${pid}/net/${kind}`, 'utf8').split('\n')),
  );
  const fields = lines.map((one) => one.trim().split(/\s+/));
  return new Set(fields.filter((one) => one[2]?.endsWith(`:${remote}`)).map((one) => `socket:[${one[9]}]`));
}

/** The process, or its file, may be gone. */
function orNone(read: () => string[]): string[] {
  try {
    return read();
  } catch {
    return [];
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
    databaseConnections: Math.max(0, ...warm.map((one) => one.databaseConnections)),
    residentMb: warm.at(-1)?.residentMb ?? 0,
  };
}

export function brokenGrowth(name: string, growth: Growth): string[] {
  const { minutes, megabytesAMinute, openFiles, databaseConnections } = growth;
  const isJudged = minutes >= JUDGED_FROM_MINUTES;
  return [
    ...(isJudged && megabytesAMinute >= MEGABYTES_A_MINUTE_MAX ? [`the ${name} grows`] : []),
    ...(openFiles > OPEN_FILES_MAX ? [`the ${name} keeps files open`] : []),
    ...(databaseConnections > DATABASE_CONNECTIONS_MAX ? [`the ${name} has too many connections to MongoDB`] : []),
  ];
}

export function tellGrowth(name: string, growth: Growth): string {
  const { minutes, megabytesAMinute, openFiles, databaseConnections, residentMb } = growth;
  const judged = minutes >= JUDGED_FROM_MINUTES ? '' : ' (too short to judge)';
  return `${name} ${residentMb} MB, ${megabytesAMinute.toFixed(2)} MB a minute${judged}, open files ${openFiles > 0 ? '+' : ''}${openFiles}, connections to MongoDB ${databaseConnections} at most`;
}
