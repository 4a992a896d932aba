import { DAY_MS } from '../../base/time/durations.ts';
import type { Behaviour, BehaviourKind } from './model.ts';
import { compileTest } from './value-tests.ts';

/** Something that a contact did, as far as filters read it. */
export interface Fact {
  kind: BehaviourKind;
  at: Date;
  campaignId?: { toHexString(): string } | undefined;
  automationId?: { toHexString(): string } | undefined;
  url?: string | undefined;
  eventName?: string | undefined;
  properties?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * The past of a contact, reduced to what filters ask: for each behaviour the time of the newest fact, or with a count of n of the n-th
 * newest.
 */
export interface Past {
  /** How long facts are kept: no window is longer. */
  keptMs: number;
  nth: ReadonlyMap<string, number>;
}

interface Looked {
  past?: Past | undefined;
  nowMs?: number | undefined;
}

export function behaviourHolds(behaviour: Behaviour): (subject: Looked) => boolean {
  const reached = reachedBy(behaviour);
  const isNever = behaviour.operator === 'never';
  return (subject) => (reached(subject) !== null) !== isNever;
}

/** When the passing of time alone changes the result; Infinity: never. */
export function behaviourChange(behaviour: Behaviour): (subject: Looked) => number {
  const reached = reachedBy(behaviour);
  const windowMs = behaviour.withinDays === undefined ? Infinity : behaviour.withinDays * DAY_MS;
  return (subject) => {
    const at = reached(subject);
    return at === null ? Infinity : at + Math.min(windowMs, subject.past?.keptMs ?? Infinity);
  };
}

/** The time of the fact that makes it enough, while that is inside the window. A fact as old as the window is long is outside. */
function reachedBy(behaviour: Behaviour): (subject: Looked) => number | null {
  const key = behaviourKey(behaviour);
  const windowMs = behaviour.withinDays === undefined ? Infinity : behaviour.withinDays * DAY_MS;
  const fromMs = behaviour.from === undefined ? -Infinity : Date.parse(behaviour.from);
  return ({ past, nowMs = 0 }) => {
    const at = past?.nth.get(key);
    if (!past || at === undefined || at < fromMs) return null;
    return at > nowMs - Math.min(windowMs, past.keptMs) ? at : null;
  };
}

/** Behaviours that differ only in where their window begins share what is kept of the past. */
function behaviourKey({ id: _, operator: _operator, withinDays: _days, from: _from, ...rest }: Behaviour): string {
  return JSON.stringify(Object.entries(rest).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Gathers the past of contacts from their facts, in any order and in one pass, whatever their number. */
export class Tally {
  readonly #keptMs: number;
  readonly #counters: Array<{ key: string; count: number; kind: BehaviourKind; counts: (fact: Fact) => boolean }>;
  readonly #newest = new Map<string, Map<string, number[]>>();

  constructor(behaviours: readonly Behaviour[], keptMs: number) {
    const distinct = new Map(behaviours.map((behaviour) => [behaviourKey(behaviour), behaviour]));
    this.#keptMs = keptMs;
    this.#counters = [...distinct].map(([key, behaviour]) => ({
      ...{ key, kind: behaviour.behaviour, count: behaviour.count ?? 1 },
      counts: compileFact(behaviour),
    }));
  }

  add(contactId: string, fact: Fact): void {
    for (const { key, kind, count, counts } of this.#counters) {
      if (kind !== fact.kind || !counts(fact)) continue;
      const known = this.#newest.get(contactId) ?? new Map<string, number[]>();
      this.#newest.set(contactId, known);
      const times = known.get(key) ?? [];
      known.set(key, times);
      insertNewest(times, fact.at.getTime(), count);
    }
  }

  of(contactId: string): Past {
    const counts = this.#counters.flatMap(({ key, count }): [string, number][] => {
      const times = this.#newest.get(contactId)?.get(key);
      return times?.length === count ? [[key, times[0]!]] : [];
    });
    return { keptMs: this.#keptMs, nth: new Map(counts) };
  }
}

/** Ascending, and no more than the newest `most`. */
function insertNewest(times: number[], at: number, most: number): void {
  if (times.length === most && at <= times[0]!) return;
  let index = times.length;
  while (index > 0 && times[index - 1]! > at) index -= 1;
  times.splice(index, 0, at);
  if (times.length > most) times.shift();
}

function compileFact(behaviour: Behaviour): (fact: Fact) => boolean {
  const { campaignId, automationId, eventName, url } = behaviour;
  const toMs = behaviour.to === undefined ? Infinity : Date.parse(behaviour.to);
  const link = url === undefined ? null : linkOf(url);
  const tests = Object.entries(behaviour.properties ?? {}).map(([name, test]) => ({ name, holds: compileTest(test) }));
  return (fact) =>
    fact.at.getTime() <= toMs &&
    (campaignId === undefined || fact.campaignId?.toHexString() === campaignId) &&
    (automationId === undefined || fact.automationId?.toHexString() === automationId) &&
    (link === null || (fact.url !== undefined && linkOf(fact.url) === link)) &&
    (eventName === undefined || fact.eventName === eventName) &&
    tests.every(({ name, holds }) => holds(own(fact.properties, name)));
}

function own(record: Readonly<Record<string, unknown>> | undefined, name: string): unknown {
  return record && Object.hasOwn(record, name) ? record[name] : undefined;
}

/** The parameters that a campaign adds to its links do not make another link. */
function linkOf(url: string): string {
  const [address = '', fragment] = url.split('#', 2);
  const [path, ...query] = address.split(/[?&]/);
  const kept = query.filter((part) => !part.startsWith('utm_'));
  return `${[path, ...kept].join('&')}${fragment === undefined ? '' : `#${fragment}`}`;
}
