import type { AutomationsDeps } from './deps.ts';
import type { Automation } from './model/automation.ts';
import type { AutomationStep } from './model/definition.ts';
import type { AutomationCount, ExitReason } from './model/enrollment.ts';

/** Backlogs are counted up to here; a larger one shows as "at least". */
const BACKLOG_COUNTED_MAX = 100_000;
const LONG_AGO = new Date(0);

interface StepStatistics
  extends Omit<AutomationCount, '_id' | 'projectId' | 'automationId' | 'completed' | 'parked' | 'missed' | 'exited'> {
  type: AutomationStep['type'] | 'removed';
  exited: number;
  exitedBy: AutomationCount['exited'];
}

/** Of steps alone. */
type OfSteps = 'stepId' | 'type' | 'zoneMissing' | 'updated' | 'failed' | 'answered' | 'heard' | 'timedOut';

export interface Statistics extends Omit<StepStatistics, OfSteps> {
  completed: number;
  parked: number;
  /** Converted of a hundred that entered; null without an entry or a goal. */
  conversionRate: number | null;
  missed: number;
  backlog: { triggers: number; starts: number };
  steps: StepStatistics[];
}

/** The kept counts. Only the backlog is counted here, over an index that holds nothing else. */
export async function statisticsOf(deps: AutomationsDeps, { _id, projectId, steps }: Automation): Promise<Statistics> {
  const waiting = { projectId, automationIds: _id, dueAt: { $gte: LONG_AGO } };
  const reading = { limit: BACKLOG_COUNTED_MAX, hint: 'backlog' };
  const people = { projectId, automationId: _id, dueAt: { $gte: LONG_AGO } };
  const [counts, triggers, events, starts] = await Promise.all([
    deps.db.automationCounts.find({ projectId, automationId: _id }).toArray(),
    deps.db.triggers.countDocuments(waiting, reading),
    deps.db.events.countDocuments(waiting, reading),
    deps.db.enrollments.countDocuments(people, reading),
  ]);
  const byStep = new Map(
    [...Map.groupBy(counts, ({ stepId }) => stepId)].map(([stepId, parts]) => [stepId, sumOf(parts)]),
  );
  const own = byStep.get('');
  const types = new Map(steps.map(({ stepId, type }) => [stepId, type]));
  const removed = [...byStep.keys()].filter((stepId) => stepId !== '' && !types.has(stepId));
  const {
    stepId: _,
    type: __,
    zoneMissing: ___,
    updated: ____,
    failed: _____,
    answered: ______,
    heard: _______,
    timedOut: ________,
    ...total
  } = stepStatistics('', 'removed', own);
  return {
    ...total,
    completed: own?.completed ?? 0,
    missed: own?.missed ?? 0,
    parked: own?.parked ?? 0,
    conversionRate: rateOf(total, steps),
    backlog: { triggers: triggers + events, starts },
    steps: [
      ...steps.map(({ stepId, type }) => stepStatistics(stepId, type, byStep.get(stepId))),
      ...removed.map((stepId) => stepStatistics(stepId, 'removed', byStep.get(stepId))),
    ],
  };
}

function rateOf(
  { entered, converted }: Pick<Statistics, 'entered' | 'converted'>,
  steps: readonly AutomationStep[],
): number | null {
  if (entered === 0 || !steps.some(({ type }) => type === 'goal')) return null;
  return Math.round((10_000 * converted) / entered) / 100;
}

/** People inside, and those of them on steps that a definition does not have. */
export interface Inside {
  inside: number;
  leaving: Array<{ stepId: string; inside: number }>;
}

/** By figures that were read with the steps of the definition. */
export function insideBy({ active, steps }: Pick<Statistics, 'active' | 'steps'>): Inside {
  const left = steps.filter((step) => step.type === 'removed' && step.active > 0);
  return { inside: active, leaving: left.map((step) => ({ stepId: step.stepId, inside: step.active })) };
}

/** By the kept counts: who would leave with `step_removed` when those inside moved to this definition. */
export async function insideOf(
  { db }: Pick<AutomationsDeps, 'db'>,
  { _id, projectId }: Automation,
  { steps }: Pick<Automation, 'steps'>,
): Promise<Inside> {
  const counts = await db.automationCounts.find({ projectId, automationId: _id }).toArray();
  const has = new Set(['', ...steps.map(({ stepId }) => stepId)]);
  const inside = new Map<string, number>();
  for (const { stepId, active = 0 } of counts) inside.set(stepId, (inside.get(stepId) ?? 0) + active);
  return {
    inside: inside.get('') ?? 0,
    leaving: [...inside].flatMap(([stepId, n]) => (n > 0 && !has.has(stepId) ? [{ stepId, inside: n }] : [])),
  };
}

type Counts = Omit<AutomationCount, '_id' | 'projectId' | 'automationId' | 'stepId'>;
const FIELDS = [
  'entered',
  'active',
  'completed',
  'parked',
  'emails',
  'missed',
  'zoneMissing',
  'updated',
  'failed',
  'answered',
  'heard',
  'timedOut',
  'converted',
] as const;

/** Each writer keeps a part; fields that it never changed are absent. */
function sumOf(parts: AutomationCount[]): Counts {
  const none = Object.fromEntries(FIELDS.map((field) => [field, 0])) as Record<(typeof FIELDS)[number], number>;
  const sum: Counts = { ...none, exited: {} };
  for (const part of parts) {
    for (const field of FIELDS) sum[field] += part[field] ?? 0;
    for (const [reason, count] of Object.entries(part.exited ?? {}) as Array<[ExitReason, number]>)
      sum.exited[reason] = (sum.exited[reason] ?? 0) + count;
  }
  return sum;
}

function stepStatistics(stepId: string, type: StepStatistics['type'], count: Counts | undefined): StepStatistics {
  const exitedBy = count?.exited ?? {};
  return {
    stepId,
    type,
    entered: count?.entered ?? 0,
    active: count?.active ?? 0,
    exited: Object.values(exitedBy).reduce((sum, number) => sum + number, 0),
    exitedBy,
    emails: count?.emails ?? 0,
    zoneMissing: count?.zoneMissing ?? 0,
    updated: count?.updated ?? 0,
    failed: count?.failed ?? 0,
    answered: count?.answered ?? 0,
    heard: count?.heard ?? 0,
    timedOut: count?.timedOut ?? 0,
    converted: count?.converted ?? 0,
  };
}
