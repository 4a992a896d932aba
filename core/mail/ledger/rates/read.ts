import { MINUTE_MS } from '../../../base/time/durations.ts';
import type { MailDeps } from '../../deps.ts';
import { percentile } from './histogram.ts';
import { type Counted, keyOf, minuteOf, SHOWN_MS, SLOT_MS, slotField, slotStart } from './keys.ts';

export const STEP_SECONDS = SLOT_MS / 1_000;
/** Percentiles are of so long. */
export const P95_MS = 5 * MINUTE_MS;

type ReadDeps = Pick<MailDeps, 'recentCounts' | 'clock'>;
type Fields = Readonly<Record<string, number>>;

export type RatePoint<Name extends string> = { at: Date } & Record<Name, number>;

/** The counts of the last minutes of a project or a campaign, as they are now. */
export class Recent {
  readonly #nowMs: number;
  readonly #sinceMs: number;
  readonly #byMinute: ReadonlyMap<number, Fields>;

  constructor(nowMs: number, sinceMs: number, byMinute: ReadonlyMap<number, Fields>) {
    this.#nowMs = nowMs;
    this.#sinceMs = sinceMs;
    this.#byMinute = byMinute;
  }

  /** Each whole step of the time, with the count of each name in it. */
  points<Name extends string>(names: readonly Name[]): RatePoint<Name>[] {
    const points: RatePoint<Name>[] = [];
    for (let ms = this.#sinceMs; ms + SLOT_MS <= this.#nowMs; ms += SLOT_MS)
      points.push({ at: new Date(ms), ...this.#counts(ms, names) });
    return points;
  }

  /** A second, over the last whole step and the one that has begun. */
  rate(name: string): number {
    const begun = slotStart(this.#nowMs);
    const count = this.#count(begun, name) + this.#count(begun - SLOT_MS, name);
    return Math.round((count / (SLOT_MS + this.#nowMs - begun)) * 10_000) / 10;
  }

  /** Of the times with this name in the last minutes, in milliseconds. */
  p95(name: string): number | null {
    const from = minuteOf(this.#nowMs - P95_MS);
    const lately = [...this.#byMinute].filter(([minute]) => minute >= from).map(([, fields]) => fields);
    return percentile(lately, name, 0.95);
  }

  #counts<Name extends string>(ms: number, names: readonly Name[]): Record<Name, number> {
    return Object.fromEntries(names.map((name) => [name, this.#count(ms, name)])) as Record<Name, number>;
  }

  #count(ms: number, name: string): number {
    return this.#byMinute.get(minuteOf(ms))?.[slotField(ms, name)] ?? 0;
  }
}

export async function readRecent(
  { recentCounts, clock }: ReadDeps,
  of: Counted,
  { ms = SHOWN_MS }: { ms?: number } = {},
): Promise<Recent> {
  const nowMs = clock.now().getTime();
  const sinceMs = slotStart(nowMs - ms);
  const minutes: number[] = [];
  for (let minute = minuteOf(sinceMs); minute <= Math.floor(nowMs / MINUTE_MS); minute += 1) minutes.push(minute);
  const found = await recentCounts.read(minutes.map((minute) => keyOf(of, minute)));
  return new Recent(nowMs, sinceMs, new Map(minutes.map((minute, index) => [minute, found[index] ?? {}])));
}
