import { parseArgs } from 'node:util';
import { type Figure, type Line, report } from '../rig/results/report.ts';

/** Keeps the figures of a bench: `--note` says with them why the machine was not quiet, `--dry` only prints them. */
export function keep(bench: string, figures: Figure[]): Line[] {
  const { dry, note } = given().values;
  const noted = figures.map((figure) => ({ ...figure, note: [figure.note, note].filter(Boolean).join('; ') }));
  return report(bench, note ? noted : figures, { isKept: !dry });
}

/** How many people or mails a bench is about, when `--size` does not say it. */
export function sizeOr(usual: number): number {
  return Number(given().values.size ?? usual);
}

/** The parts that the arguments name; else the usual ones, or all. */
export function chosen<Part>(parts: Record<string, Part>, usual = Object.keys(parts)): [string, Part][] {
  const { positionals } = given();
  const unknown = positionals.find((name) => !Object.hasOwn(parts, name));
  if (unknown) throw new Error(`There is no part "${unknown}" but ${Object.keys(parts).join(', ')}.`);
  const names = positionals.length > 0 ? positionals : usual;
  return Object.entries(parts).filter(([name]) => names.includes(name));
}

/** The values of each field, round by round. */
export async function inRounds<Name extends string>(
  count: number,
  measure: (round: number) => Promise<Record<Name, number>>,
): Promise<Record<Name, number[]>> {
  const found = {} as Record<Name, number[]>;
  for (let round = 0; round < count; round += 1)
    for (const [name, value] of Object.entries(await measure(round)) as [Name, number][]) {
      found[name] ??= [];
      found[name].push(value);
    }
  return found;
}

/** So many a second: `work` does them all. */
export async function rateOf(count: number, work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return count / ((performance.now() - began) / 1_000);
}

export function say(line: string): void {
  console.log(`${new Date().toISOString().slice(11, 19)} ${line}`);
}

function given() {
  const options = { dry: { type: 'boolean' }, note: { type: 'string' }, size: { type: 'string' } } as const;
  return parseArgs({ allowPositionals: true, options });
}
