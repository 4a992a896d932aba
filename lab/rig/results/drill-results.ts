import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { machine } from './report.ts';

export interface Verdict {
  kept: boolean;
  /** One line with every figure. */
  says: string;
}

/** The result of one run of one drill. */
export interface Result {
  drill: string;
  does: string;
  kept: boolean;
  lines: Verdict[];
  seconds: number;
}

const folder = join(import.meta.dirname, '../../results/drills');

/** lab/results/drills/<drill>.json: the last run, with machine, date and load. */
export function keepResult(result: Result): void {
  mkdirSync(folder, { recursive: true });
  const facts = { at: new Date().toISOString(), load: Number((loadavg()[0] ?? 0).toFixed(2)), machine: machine() };
  writeFileSync(join(folder, `${result.drill}.json`), `${JSON.stringify({ ...result, ...facts }, null, 2)}\n`);
}

/** How long it took when it was run last; 0 when it never was. */
export function lastSeconds(drill: string): number {
  const file = join(folder, `${drill}.json`);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Result).seconds : 0;
}

/** Kept when nothing is faulty; its faults are at the end of the line. */
export function verdict(faulty: readonly string[], says: readonly string[]): Verdict {
  return { kept: faulty.length === 0, says: [...says, ...faulty.map((what) => `BUT ${what}`)].join(', ') };
}

export function describe({ kept, says }: Verdict): string {
  return kept ? says : `${says} NOT AS PROMISED`;
}

/** The last lines of a run: what was not kept, by name. */
export function summarize(results: readonly Result[]): string {
  const faulty = results.filter(({ kept }) => !kept).map(({ drill }) => drill);
  const lines = results.reduce((sum, result) => sum + result.lines.length, 0);
  const ran = `${results.length} ${results.length === 1 ? 'drill' : 'drills'}, ${lines} lines`;
  return faulty.length === 0 ? `${ran}: all as promised.` : `${ran}: NOT AS PROMISED in ${faulty.join(', ')}.`;
}
