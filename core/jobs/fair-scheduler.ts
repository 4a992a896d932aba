import { ObjectId } from 'mongodb';
import type { Deps } from '../base/deps.ts';
import type { Rank } from '../base/members.ts';
import { Announcements } from './announcements.ts';
import { comesFirst, untilTurnMs } from './turns.ts';

/**
 * One kind of jobs that wait in documents. `documentQueue` makes it from a collection; a queue that takes many at once has its
 * own `take`.
 */
export interface JobQueue {
  name: string;
  concurrencyMax: number;
  /**
   * How often the processes look, all of them together: they take turns. 50 when left out; 500 after a look that found nothing, while
   * Redis is up.
   */
  lookEveryMs?: number;
  /** How many jobs of a project are taken before the next project; 16 when left out. */
  turnMax?: number;
  /** How many projects that have more than one job take their turns at once; 32 when left out. */
  turnsMax?: number;
  /** How many may start now; no limit when left out. */
  allowance?: Allowance;
  /** The projects with due jobs. Called at every look, so it must stay cheap whatever waits. */
  projects(now: Date): Promise<ObjectId[]>;
  /** Takes up to `limit` due jobs of a project. Each run settles its own jobs; `more`: others may be due too. */
  take(projectId: ObjectId, limit: number): Promise<{ runs: Array<() => Promise<void>>; more: boolean }>;
}

/** A rate of starts. */
export interface Allowance {
  left(): number;
  /** Less than 0 returns what was spent too early. */
  spend(count: number): void;
  /** Until the next start. */
  waitMs(): number;
}

export type QueueDeps = Pick<Deps, 'mongo' | 'config' | 'signals' | 'log'>;

/** The most jobs of a project that are taken before the next project. */
const TURN_MAX = 16;
const TAKES_MAX = 32;
const LOOK_EVERY_MS = 50;
/** While Redis announces new jobs, a look that found nothing is followed by a longer pause. */
const LOOK_IDLE_MS = 500;
/** After a slow look the pause is twenty times as long as the look took, so that looking never loads the database. */
const LOOK_PAUSE_FACTOR = 20;
const LOOK_PAUSE_MAX_MS = 1_000;
/** So long after a wake-up a process looks for what the first one has left. */
const HELP_AFTER_MS = 10;
/** Jobs that may start within so long are taken together. */
const ALLOWED_MIN_MS = 20;
/** A higher rate is noticed after so long. */
const ALLOWED_MAX_MS = 250;
/** The processes, and whether Redis is up, may change before the next turn of this one. */
const PLAN_EVERY_MS = 1_000;
const BACK_OFF_FIRST_MS = 250;
const BACK_OFF_MAX_MS = 5_000;

interface WaitingProject {
  projectId: ObjectId;
  /** The first job of a project is taken alone, which is quick; those after it are taken together. */
  isFirst: boolean;
}

/**
 * Shares one queue between the projects in this process. A scheduler is in one of these modes:
 *
 * - running: looks for projects with due jobs, and takes jobs of each in turn (`#turn`) while there are free places.
 * - backing off: a service was down (`#failed`); nothing is taken. Running again when the pause is over; the next success ends the
 *   row of failures.
 * - stopping: `stop` was called; nothing is taken, and running jobs end. Stopped when none is left.
 *
 * A project is idle -> waiting (a look or a wake-up found it) -> taking -> waiting again while it has more, else idle.
 *
 * The processes look in turns (`turns.ts`), so one of them finds a project first. It announces projects that have more than it takes at
 * once, so that all take from a backlog; while Redis is down the others find it at their own turns.
 *
 * A wake-up reaches all processes too. If all of them took the same job at once, each would slow the others down, so one of them, by the
 * id of the project, takes at once, and the others a little later, in case it is down or has more than it can take.
 */
export class FairScheduler {
  /** Resolves when the queue has looked at the database once. */
  readonly ready: Promise<void>;
  readonly #deps: Pick<QueueDeps, 'signals' | 'log'>;
  readonly #queue: JobQueue;
  readonly #databaseNow: () => Promise<Date>;
  readonly #rank: () => Rank;
  /** In the order of their turns. */
  readonly #waiting = new Map<string, WaitingProject>();
  /** Their turns came while enough others had theirs; they come before those that wait. */
  readonly #held = new Map<string, WaitingProject>();
  readonly #taking = new Set<string>();
  readonly #wokenDuringTake = new Set<string>();
  readonly #announcements: Announcements;
  readonly #helping = new Map<string, NodeJS.Timeout>();
  readonly #looked = Promise.withResolvers<void>();
  readonly #settled = Promise.withResolvers<void>();
  readonly #unsubscribe: () => void;
  #running = 0;
  #reserved = 0;
  /** Turns of projects that have more than one job. */
  #turns = 0;
  #failures = 0;
  /** The database's clock before the monotonic one. */
  #aheadMs = 0;
  #hasLooked = false;
  #isStopping = false;
  #backOff: NodeJS.Timeout | undefined;
  #nextLook: NodeJS.Timeout | undefined;
  #allowed: NodeJS.Timeout | undefined;
  #looking: Promise<void>;

  constructor(
    deps: Pick<QueueDeps, 'signals' | 'log'>,
    queue: JobQueue,
    { databaseNow, rank }: { databaseNow: () => Promise<Date>; rank: () => Rank },
  ) {
    this.#deps = deps;
    this.#queue = queue;
    this.#databaseNow = databaseNow;
    this.#rank = rank;
    this.#announcements = new Announcements(deps.signals, queueChannel(queue.name));
    this.ready = this.#looked.promise;
    this.#looking = this.#look();
    this.#unsubscribe = deps.signals.subscribe(queueChannel(queue.name), (message) => {
      if (!ObjectId.isValid(message)) return this.#turn();
      this.#announcements.heard(message);
      if (comesFirst(message, this.#rank())) this.#wake(message);
      else if (!this.#helping.has(message)) this.#helpLater(message);
    });
  }

  stats() {
    return { name: this.#queue.name, running: this.#running, projectsWaiting: this.#waiting.size + this.#held.size };
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#unsubscribe();
    clearTimeout(this.#nextLook);
    clearTimeout(this.#backOff);
    clearTimeout(this.#allowed);
    for (const timer of this.#helping.values()) clearTimeout(timer);
    await this.#looking;
    this.#turn();
    await this.#settled.promise;
  }

  #wake(key: string): void {
    this.#line(new ObjectId(key), true);
    this.#turn();
  }

  #helpLater(key: string): void {
    const help = () => {
      this.#helping.delete(key);
      this.#wake(key);
    };
    this.#helping.set(key, setTimeout(help, HELP_AFTER_MS));
  }

  #line(projectId: ObjectId, woken: boolean): void {
    const key = projectId.toHexString();
    if (this.#taking.has(key) && woken) this.#wokenDuringTake.add(key);
    const isKnown = this.#taking.has(key) || this.#held.has(key) || this.#waiting.has(key);
    if (!isKnown) this.#waiting.set(key, { projectId, isFirst: true });
  }

  async #look(): Promise<void> {
    const began = performance.now();
    let found: ObjectId[] = [];
    try {
      const now = await this.#databaseNow();
      this.#aheadMs = now.getTime() - performance.now();
      found = await this.#queue.projects(now);
      for (const projectId of found) this.#line(projectId, false);
      this.#hasLooked = true;
      this.#looked.resolve();
      if (this.#waiting.size + this.#held.size === 0 && this.#running === 0) this.#worked();
    } catch (error) {
      this.#failed('looking for jobs', error);
    }
    if (this.#isStopping) return;
    const restMs = Math.min(LOOK_PAUSE_MAX_MS, (performance.now() - began) * LOOK_PAUSE_FACTOR);
    this.#planLook(performance.now() + restMs, found.length > 0);
    this.#turn();
    for (const projectId of found) {
      const key = projectId.toHexString();
      if (this.#waiting.has(key) || this.#held.has(key)) this.#announcements.announce(key);
    }
  }

  /** In the next slot of this process, of the short ones too when the last look found jobs; but not before a rest. */
  #planLook(restUntilMs: number, hasFound: boolean): void {
    const nowMs = performance.now();
    const everyMs = this.#queue.lookEveryMs ?? LOOK_EVERY_MS;
    const idleMs = this.#deps.signals.isUp() ? Math.max(everyMs, LOOK_IDLE_MS) : everyMs;
    const untilMs = (slotMs: number) =>
      untilTurnMs({ name: this.#queue.name, slotMs, ...this.#rank() }, nowMs + this.#aheadMs);
    const turnMs = hasFound ? Math.min(untilMs(everyMs), untilMs(idleMs)) : untilMs(idleMs);
    // A process is not ready before each of its queues has looked once, however seldom they look.
    const waitMs = Math.max(this.#hasLooked ? turnMs : Math.min(everyMs, LOOK_IDLE_MS), restUntilMs - nowMs);
    this.#nextLook =
      waitMs > 2 * PLAN_EVERY_MS
        ? setTimeout(() => this.#planLook(restUntilMs, hasFound), PLAN_EVERY_MS)
        : // A timer may be early by less than a millisecond, which would be the slot before.
          setTimeout(() => {
            this.#looking = this.#look();
          }, Math.ceil(waitMs) + 1);
  }

  #turn(): void {
    while (!this.#isStopping && !this.#backOff && this.#taking.size < TAKES_MAX) {
      const waiting = this.#waiting.size + this.#held.size;
      const next = this.#next();
      if (!next) break;
      const [key, project] = next;
      const free = this.#queue.concurrencyMax - this.#running - this.#reserved;
      const places = free > 0 ? Math.min(free, this.#queue.allowance?.left() ?? free) : 0;
      if (free > 0 && places <= 0) this.#turnWhenAllowed();
      if (places <= 0) break;
      this.#held.delete(key);
      this.#waiting.delete(key);
      const share = Math.max(1, Math.floor(places / Math.min(waiting, this.#turnsMax())));
      void this.#take(project, project.isFirst ? 1 : Math.min(this.#queue.turnMax ?? TURN_MAX, share));
    }
    if (this.#isStopping && this.#running === 0 && this.#taking.size === 0) this.#settled.resolve();
  }

  /** The project whose turn it is. */
  #next(): [string, WaitingProject] | null {
    const mayTurn = this.#turns < this.#turnsMax();
    if (mayTurn && this.#held.size > 0) return firstOf(this.#held);
    while (this.#waiting.size > 0) {
      const [key, project] = firstOf(this.#waiting);
      if (project.isFirst || mayTurn) return [key, project];
      this.#waiting.delete(key);
      this.#held.set(key, project);
    }
    return null;
  }

  #turnsMax(): number {
    return this.#queue.turnsMax ?? TAKES_MAX;
  }

  #turnWhenAllowed(): void {
    if (this.#allowed) return;
    const waitMs = Math.min(ALLOWED_MAX_MS, Math.max(ALLOWED_MIN_MS, this.#queue.allowance?.waitMs() ?? 0));
    this.#allowed = setTimeout(() => {
      this.#allowed = undefined;
      this.#turn();
    }, waitMs);
  }

  async #take({ projectId, isFirst }: WaitingProject, limit: number): Promise<void> {
    const key = projectId.toHexString();
    this.#taking.add(key);
    if (!isFirst) this.#turns += 1;
    this.#reserved += limit;
    this.#queue.allowance?.spend(limit);
    let taken = 0;
    try {
      const { runs, more } = await this.#queue.take(projectId, limit);
      taken = runs.length;
      for (const run of runs) void this.#run(run);
      if (more || this.#wokenDuringTake.has(key)) this.#waiting.set(key, { projectId, isFirst: false });
      if (more && !isFirst) this.#announcements.announce(key);
    } catch (error) {
      this.#failed('taking jobs', error);
    }
    this.#reserved -= limit;
    if (!isFirst) this.#turns -= 1;
    this.#queue.allowance?.spend(taken - limit);
    this.#taking.delete(key);
    this.#wokenDuringTake.delete(key);
    this.#turn();
  }

  async #run(job: () => Promise<void>): Promise<void> {
    this.#running += 1;
    try {
      await job();
      this.#worked();
    } catch (error) {
      this.#failed('running a job', error);
    }
    this.#running -= 1;
    this.#turn();
  }

  /** A service that this queue needs is down, so its other due jobs wait too. */
  #failed(doing: string, error: unknown): void {
    if (this.#backOff || this.#isStopping) return;
    const kind = this.#queue.name;
    if (this.#failures === 0) this.#deps.log.warn({ kind, err: error }, `${doing} failed; retrying until it succeeds`);
    const waitMs = Math.min(BACK_OFF_MAX_MS, BACK_OFF_FIRST_MS * 2 ** this.#failures);
    this.#failures += 1;
    this.#backOff = setTimeout(() => {
      this.#backOff = undefined;
      this.#turn();
    }, waitMs);
  }

  #worked(): void {
    if (this.#failures > 0) this.#deps.log.info({ kind: this.#queue.name }, 'the queue has recovered');
    this.#failures = 0;
  }
}

function firstOf<K, V>(map: Map<K, V>): [K, V] {
  return map.entries().next().value as [K, V];
}

export function queueChannel(kindName: string): string {
  return `due:${kindName}`;
}
