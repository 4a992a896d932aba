import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, release, totalmem } from 'node:os';
import { join } from 'node:path';

/** A figure of one run: one value for each round, and the ceiling that bounds it, measured in the same rounds. */
export interface Figure {
  /** A sentence without its number: 'POST /mails/send at 64 connections'. */
  name: string;
  /** '/s', 'ms', 'MB', 's', 'us', or '' for a ratio or a count. */
  unit: string;
  values: number[];
  ceiling?: { name: string; values: number[] };
  /** The limits for the median of the values, or of value / ceiling. `aim`: what would be better than enough. */
  asked?: { of?: 'value' | 'ratio'; atLeast?: number; atMost?: number; aim?: number };
  note?: string;
}

export function figure(
  name: string,
  unit: string,
  values: number[],
  more: Omit<Figure, 'name' | 'unit' | 'values'> = {},
): Figure {
  return { name, unit, values, ...more };
}

export interface Spread {
  min: number;
  median: number;
  max: number;
}

export interface Line extends Spread {
  name: string;
  unit: string;
  rounds: number;
  ceiling?: Spread & { name: string };
  ratio?: Spread;
  asked?: Figure['asked'];
  kept?: boolean;
  note?: string;
  at: string;
  load: number;
}

export interface Results {
  bench: string;
  machine: Record<string, string | number>;
  figures: Line[];
}

const folder = join(import.meta.dirname, '../../results/bench');

/** Prints figures and keeps them in lab/results/bench/<bench>.json, where a figure of the same name is replaced. */
export function report(bench: string, figures: Figure[], { isKept = true } = {}): Line[] {
  const lines = figures.map(lineOf);
  for (const line of lines) console.log(tell(line));
  if (!isKept) return lines;
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${bench}.json`);
  const before: Line[] = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Results).figures : [];
  const kept = before.filter(({ name }) => !lines.some((line) => line.name === name));
  const results: Results = { bench, machine: machine(), figures: [...kept, ...lines] };
  writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`);
  return lines;
}

function lineOf({ name, unit, values, ceiling, asked, note }: Figure): Line {
  const ratio = ceiling && spread(values.map((value, round) => value / (ceiling.values[round] ?? Number.NaN)));
  const judged = asked && (asked.of === 'ratio' ? ratio?.median : spread(values).median);
  return {
    name,
    unit,
    rounds: values.length,
    ...spread(values),
    ...(ceiling && ratio ? { ceiling: { name: ceiling.name, ...spread(ceiling.values) }, ratio } : {}),
    ...(asked && judged !== undefined
      ? { asked, kept: judged >= (asked.atLeast ?? -Infinity) && judged <= (asked.atMost ?? Infinity) }
      : {}),
    ...(note ? { note } : {}),
    at: new Date().toISOString(),
    load: round(loadavg()[0] ?? 0),
  };
}

/** The median of an even number of values is the worse neighbour of neither: the lower one. */
function spread(values: number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (index: number) => round(sorted[index] ?? Number.NaN);
  return { min: at(0), median: at(Math.floor((sorted.length - 1) / 2)), max: at(sorted.length - 1) };
}

export function machine(): Record<string, string | number> {
  return {
    processor: cpus()[0]?.model.trim() ?? 'unknown',
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    system: `${process.platform} ${release()}`,
    node: process.version,
  };
}

function tell({ name, unit, min, median, max, rounds, ceiling, ratio, asked, kept, note }: Line): string {
  const three = (of: Spread) => (rounds > 1 ? `${of.min} / ${of.median} / ${of.max}` : `${of.median}`);
  const parts = [`${name}: ${three({ min, median, max })}${unit ? ` ${unit}` : ''}`];
  if (ceiling && ratio) parts.push(`${ceiling.name} ${three(ceiling)}`, `ratio ${three(ratio)}`);
  if (asked) {
    const limit = asked.atLeast === undefined ? `at most ${asked.atMost}` : `at least ${asked.atLeast}`;
    const aim = asked.aim === undefined ? '' : `, aim ${asked.aim}`;
    parts.push(`asked ${asked.of === 'ratio' ? 'ratio ' : ''}${limit}: ${kept ? 'kept' : 'NOT KEPT'}${aim}`);
  }
  if (note) parts.push(note);
  return parts.join('; ');
}

function round(value: number): number {
  if (!Number.isFinite(value)) return value;
  return value >= 100 ? Math.round(value) : Number(value.toPrecision(3));
}
