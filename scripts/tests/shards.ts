import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const durationsFile = join(import.meta.dirname, '../../test/durations.json');
const LONG_SECONDS = 3;
/** A file that is not in the list takes about as long, set-up included. */
const USUAL_SECONDS = 2;

/** Seconds by file. */
export type Durations = Record<string, number>;

/** Shares the files out, the longest first, each to the run that has the least to do so far. */
export function shardsOf(files: readonly string[], count: number, durations: Durations): string[][] {
  const secondsOf = (file: string) => durations[file] ?? USUAL_SECONDS;
  const shards = Array.from({ length: count }, () => ({ files: [] as string[], seconds: 0 }));
  for (const file of files.toSorted((a, b) => secondsOf(b) - secondsOf(a))) {
    const least = shards.reduce((one, other) => (other.seconds < one.seconds ? other : one));
    least.files.push(file);
    least.seconds += secondsOf(file);
  }
  return shards.map((shard) => shard.files.toSorted());
}

export function readDurations(): Durations {
  return JSON.parse(readFileSync(durationsFile, 'utf8'));
}

/** Keeps the long files of a run of a tier, and those of the other one. */
export function recordDurations(durations: Durations): void {
  const long = Object.entries({ ...readDurations(), ...durations }).filter(([, seconds]) => seconds >= LONG_SECONDS);
  const sorted = Object.fromEntries(long.toSorted().map(([file, seconds]) => [file, Math.round(seconds)]));
  writeFileSync(durationsFile, `${JSON.stringify(sorted, null, 2)}\n`);
}
