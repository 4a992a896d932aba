import { ObjectId } from 'mongodb';
import type { Deps } from '../base/deps.ts';

/**
 * One kind of jobs that wait in documents. `documentQueue` makes it from a collection; a queue that takes many at once has its
 * own `take`.
 */
export interface JobQueue {
  name: string;
  concurrencyMax: number;
  /** 50 when left out; 500 after a look that found nothing, while Redis is up. */
  lookEveryMs?: number;
  /** How many jobs of a project are taken before the next project; 16 when left out. */
  turnMax?: number;
  /** The most starts per second in this process; no limit when left out. */
  perSecondMax?: number;
  /** The projects with due jobs. Called at every look, so it must stay cheap whatever waits. */
  projects(now: Date): Promise<ObjectId[]>;
  /** Takes up to `limit` due jobs of a project. Each run settles its own jobs; `more`: others may be due too. */
  take(projectId: ObjectId, limit: number): Promise<{ runs: Array<() => Promise<void>>; more: boolean }>;
}

export type QueueDeps = Pick<Deps, 'mongo' | 'config' | 'signals' | 'log'>;

/** The most jobs of a project that are taken before the next project. */
const TURN_MAX = 16;
const TAKES_MAX = 32;
const LOOK_EVERY_MS = 50;
/** While Redis announces new jobs, a look that found nothing is followed by a longer pause. */
const LOOK_IDLE_MS = 500;
/** After a slow look the pause is four times as long as the look took, so that looking never loads the database. */
const LOOK_PAUSE_FACTOR = 4;
const LOOK_PAUSE_MAX_MS = 1_000;
const BACK_OFF_FIRST_MS = 250;
const BACK_OFF_MAX_MS = 5_000;

/** Shares one queue between projects in this process: which projects wait, which are being taken from, and which jobs run. */
export function createFairScheduler(
  deps: Pick<QueueDeps, 'signals' | 'log'>,
  kind: JobQueue,
  databaseNow: () => Promise<Date>,
) {
  /**
   * Projects in the order of their turns. The first job of a project is taken alone, which is quick; those after it are taken
   * together.
   */
  const waiting = new Map<string, { projectId: ObjectId; isFirst: boolean }>();
  const taking = new Set<string>();
  const wokenDuringTake = new Set<string>();
  const allowance = createAllowance(kind.perSecondMax);
  const { promise: ready, resolve: looked } = Promise.withResolvers<void>();
  const { promise: settled, resolve: settle } = Promise.withResolvers<void>();
  let running = 0;
  let reserved = 0;
  let failures = 0;
  let stopped = false;
  let backOff: NodeJS.Timeout | undefined;
  let nextLook: NodeJS.Timeout | undefined;
  let looking = look();

  const unsubscribe = deps.signals.subscribe(queueChannel(kind.name), (message) => {
    if (ObjectId.isValid(message)) line(new ObjectId(message), true);
    turn();
  });

  function line(projectId: ObjectId, woken: boolean): void {
    const key = projectId.toHexString();
    if (taking.has(key) && woken) wokenDuringTake.add(key);
    if (!taking.has(key) && !waiting.has(key)) waiting.set(key, { projectId, isFirst: true });
  }

  async function look(): Promise<void> {
    const began = performance.now();
    let everyMs = kind.lookEveryMs ?? LOOK_EVERY_MS;
    try {
      const found = await kind.projects(await databaseNow());
      for (const projectId of found) line(projectId, false);
      looked();
      if (waiting.size === 0 && running === 0) worked();
      if (found.length === 0 && deps.signals.isUp()) everyMs = Math.max(everyMs, LOOK_IDLE_MS);
    } catch (error) {
      failed('looking for jobs', error);
    }
    const pauseMs = Math.min(LOOK_PAUSE_MAX_MS, (performance.now() - began) * LOOK_PAUSE_FACTOR);
    if (stopped) return;
    nextLook = setTimeout(lookAgain, Math.max(everyMs, pauseMs));
    turn();
  }

  function lookAgain(): void {
    looking = look();
  }

  function turn(): void {
    while (!stopped && !backOff && waiting.size > 0 && taking.size < TAKES_MAX) {
      const places = Math.min(kind.concurrencyMax - running - reserved, allowance.left());
      if (places <= 0) break;
      const [key, { projectId, isFirst }] = firstOf(waiting);
      const share = Math.max(1, Math.floor(places / waiting.size));
      waiting.delete(key);
      void take(key, projectId, isFirst ? 1 : Math.min(kind.turnMax ?? TURN_MAX, share));
    }
    if (stopped && running === 0 && taking.size === 0) settle();
  }

  async function take(key: string, projectId: ObjectId, limit: number): Promise<void> {
    taking.add(key);
    reserved += limit;
    allowance.spend(limit);
    let taken = 0;
    try {
      const { runs, more } = await kind.take(projectId, limit);
      taken = runs.length;
      for (const run of runs) void start(run);
      if (more || wokenDuringTake.has(key)) waiting.set(key, { projectId, isFirst: false });
    } catch (error) {
      failed('taking jobs', error);
    }
    reserved -= limit;
    allowance.spend(taken - limit);
    taking.delete(key);
    wokenDuringTake.delete(key);
    turn();
  }

  async function start(run: () => Promise<void>): Promise<void> {
    running += 1;
    try {
      await run();
      worked();
    } catch (error) {
      failed('running a job', error);
    }
    running -= 1;
    turn();
  }

  /** A service that this queue needs is down, so its other due jobs wait too. */
  function failed(doing: string, error: unknown): void {
    if (backOff || stopped) return;
    if (failures === 0) deps.log.warn({ kind: kind.name, err: error }, `${doing} failed; retrying until it succeeds`);
    const waitMs = Math.min(BACK_OFF_MAX_MS, BACK_OFF_FIRST_MS * 2 ** failures);
    failures += 1;
    backOff = setTimeout(() => {
      backOff = undefined;
      turn();
    }, waitMs);
  }

  function worked(): void {
    if (failures > 0) deps.log.info({ kind: kind.name }, 'the queue has recovered');
    failures = 0;
  }

  return {
    ready,
    stats: () => ({ name: kind.name, running, projectsWaiting: waiting.size }),
    async stop(): Promise<void> {
      stopped = true;
      unsubscribe();
      clearTimeout(nextLook);
      clearTimeout(backOff);
      await looking;
      turn();
      await settled;
    },
  };
}

function firstOf<K, V>(map: Map<K, V>): [K, V] {
  return map.entries().next().value as [K, V];
}

export function queueChannel(kindName: string): string {
  return `due:${kindName}`;
}

/** A bucket that holds a second's worth. */
function createAllowance(perSecondMax: number | undefined) {
  let tokens = perSecondMax ?? 0;
  let filledAt = performance.now();
  return {
    left(): number {
      if (perSecondMax === undefined) return Number.POSITIVE_INFINITY;
      const now = performance.now();
      tokens = Math.min(perSecondMax, tokens + ((now - filledAt) / 1000) * perSecondMax);
      filledAt = now;
      return Math.floor(tokens);
    },
    spend(count: number): void {
      tokens -= count;
    },
  };
}
