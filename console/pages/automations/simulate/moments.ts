import type { Automation, Simulation } from '../../../../client/index.ts';
import { END, ENTRY, type Walked, type Way, waysOf } from '../graph/flow.ts';
import type { Asked, WhatIfs } from './what-ifs.ts';

/** The answer of a simulation as moments in their order, and the place of the person at one of them. Pure. */

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

export interface Moment {
  key: string;
  at: number;
  kind: 'entered' | Happening['type'] | 'completed' | 'exited' | 'skipped';
  stepId: string | null;
  until: number | null;
  branchId: string | null | undefined;
  words: string;
  /** Of an update_contact that works. */
  update?: Happening['update'];
  /** The number of the mail in the answer. */
  mail?: number;
}

type Happening = Simulation['entries'][number]['steps'][number];

/** All that happens, in its order. */
export function momentsOf({ entries, skipped }: Simulation): Moment[] {
  let mails = 0;
  const empty = { stepId: null, until: null, branchId: undefined };
  const all = entries.flatMap((entry, index): Moment[] => [
    { ...empty, key: `${index} in`, at: Date.parse(entry.enteredAt), kind: 'entered', words: entry.enteredBy },
    ...entry.steps.map(
      (step, number): Moment => ({
        ...{ key: `${index} ${number}`, at: Date.parse(step.at), kind: step.type, stepId: step.stepId },
        ...{ until: step.until ? Date.parse(step.until) : null, branchId: step.branchId },
        ...{ words: step.rule ?? step.reason ?? '', update: step.update },
        ...(step.type === 'email' && { mail: mails++ }),
      }),
    ),
    ...(entry.exit
      ? [
          {
            ...{ ...empty, key: `${index} out`, at: Date.parse(entry.exit.at), kind: entry.exit.status },
            words: entry.exit.reason ?? '',
          },
        ]
      : []),
  ]);
  const missed = skipped.map(
    ({ at, trigger, reason }, index): Moment => ({
      ...{ ...empty, key: `skipped ${index}`, at: Date.parse(at), kind: 'skipped' },
      words: `${trigger}: ${reason.replace(/_/g, ' ')}`,
    }),
  );
  return [...all, ...missed].sort((a, b) => a.at - b.at);
}

export interface Simulated {
  from: number;
  moments: Moment[];
  /** The place of the slider, in units of the scale. */
  at: number;
  /** By which the answer is given again. */
  asked: Asked;
  whatIfs: WhatIfs;
  /** The number of the mail that is looked at. */
  opened: number | null;
}

export interface Scale {
  unit: 'hour' | 'day';
  unitMs: number;
  /** The last place of the slider: everything has happened by then. */
  last: number;
}

export function scaleOf(moments: readonly Moment[], from: number): Scale {
  const end = Math.max(from, ...moments.map(({ at, until }) => until ?? at));
  const [unit, unitMs] = end - from > 3 * DAY_MS ? (['day', DAY_MS] as const) : (['hour', HOUR_MS] as const);
  return { unit, unitMs, last: Math.max(1, Math.ceil((end - from) / unitMs)) };
}

/** How waits for something from outside end: the ways out of their steps have these names. */
const ENDS: readonly string[] = ['heard', 'timed_out', 'webhook_answered', 'webhook_failed'];

/** The steps and ways that were passed up to `until`. */
export function walkedAt(steps: Automation['steps'], moments: readonly Moment[], until: number): Walked {
  const ways = waysOf(steps);
  const walked = { steps: new Set<string>(), ways: new Set<string>(), at: null as string | null };
  let last: { id: string; branchId: string | null | undefined } | null = null;
  for (const { at, kind, stepId, branchId } of moments) {
    if (at > until || kind === 'skipped' || kind === 'branch_left') continue;
    if (kind === 'exited') {
      last = null;
      continue;
    }
    const id = kind === 'entered' ? ENTRY : kind === 'completed' ? END : stepId;
    if (id === null) continue;
    const way = last && wayBetween(ways, last, id);
    if (way) walked.ways.add(way.id);
    walked.steps.add(id);
    walked.at = id;
    last = { id, branchId: ENDS.includes(kind) ? kind : branchId };
  }
  return walked;
}

function wayBetween(ways: readonly Way[], from: { id: string; branchId: string | null | undefined }, to: string) {
  const found = ways.filter((way) => way.from === from.id && way.to === to);
  return found.find(({ branchId }) => branchId === from.branchId) ?? found[0];
}
