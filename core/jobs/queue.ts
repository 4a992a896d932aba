import type { ObjectId } from 'mongodb';
import type { Deps } from '../base/deps.ts';
import { ALONE, type Rank } from '../base/members.ts';
import { FairScheduler, type JobQueue, type QueueDeps, queueChannel } from './fair-scheduler.ts';

export type { JobQueue, QueueDeps } from './fair-scheduler.ts';

export interface RunningQueues {
  /** Resolves when every queue has looked at the database once. */
  ready: Promise<void>;
  /** Takes nothing more and waits for running jobs. */
  stop(): Promise<void>;
  stats(): Array<{ name: string; running: number; projectsWaiting: number }>;
}

/**
 * Any number of processes may run any number of queues: taking a job is a compare-and-set, so no leader has to be elected. `rank` is the place
 * of this one among the processes that run the same queues, with which it takes turns at looking.
 */
export function startQueues(deps: QueueDeps, kinds: JobQueue[], rank: () => Rank = () => ALONE): RunningQueues {
  const databaseNow = databaseClock(deps);
  const schedulers = kinds.map((kind) => new FairScheduler(deps, kind, { databaseNow, rank }));
  return {
    ready: Promise.all(schedulers.map(({ ready }) => ready)).then(() => undefined),
    stop: () => Promise.all(schedulers.map((scheduler) => scheduler.stop())).then(() => undefined),
    stats: () => schedulers.map((scheduler) => scheduler.stats()),
  };
}

/** Call it after the write that made a job due: it saves the wait for the next look, and nothing depends on its arrival. */
export function wakeQueue(deps: Pick<Deps, 'signals'>, kindName: string, projectId: ObjectId): void {
  deps.signals.publish(queueChannel(kindName), projectId.toHexString());
}

const CLOCK_EVERY_MS = 10_000;

/** The database's time, with which `dueAt` is compared, however wrong this machine's clock is, or whenever it is set. */
function databaseClock({ mongo, config }: QueueDeps): () => Promise<Date> {
  let aheadMs = 0;
  let askedAt = Number.NEGATIVE_INFINITY;
  return async () => {
    if (performance.now() - askedAt > CLOCK_EVERY_MS) {
      const { localTime } = await mongo.db(config.mongodbDatabase).command({ hello: 1 });
      aheadMs = localTime.getTime() - performance.now();
      askedAt = performance.now();
    }
    return new Date(performance.now() + aheadMs);
  };
}
