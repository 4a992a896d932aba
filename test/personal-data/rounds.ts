import type { Collection, Document } from 'mongodb';
import type { Deps } from '../../core/base/deps.ts';
import { LEASE_MS } from '../../core/jobs/document-queue.ts';
import { type JobQueue, startQueues } from '../../core/jobs/queue.ts';
import { until } from '../support/wait.ts';

const MS = 120_000;

/**
 * As half a day later: does what these queues have to do, and does it again until the condition holds. An erasure that has to wait is due
 * again in ten minutes; a lease ends sooner than that.
 */
export async function runRounds(
  deps: Deps,
  queues: Array<(deps: Deps) => JobQueue>,
  isDone: () => Promise<boolean>,
): Promise<void> {
  await until(
    async () => {
      await runOnce(deps, queues);
      return isDone();
    },
    Boolean,
    { ms: MS },
  );
}

type Work = [collection: Collection, field: string];

/** A queue looks when it starts, so its jobs are due before. */
async function runOnce(deps: Deps, queues: Array<(deps: Deps) => JobQueue>): Promise<void> {
  const { contactErasures, notedFacts } = deps.db;
  const later = { dueAt: { $gt: new Date(Date.now() + LEASE_MS + 15_000) } };
  for (const one of [contactErasures, notedFacts]) await dueNow(one, later);
  const loop = startQueues(
    deps,
    queues.map((queue) => queue(deps)),
  );
  await loop.ready;
  const erasures: Work = [contactErasures as unknown as Collection, 'dueAt'];
  await until(
    () => countDue(...erasures),
    (count) => count === 0,
    { ms: MS },
  ).finally(() => loop.stop());
}

async function dueNow(collection: unknown, filter: Document): Promise<void> {
  await (collection as Collection).updateMany(filter, [{ $set: { dueAt: '$$NOW' } }]);
}

function countDue(collection: Collection, field: string): Promise<number> {
  return collection.countDocuments({ [field]: { $exists: true }, $expr: { $lte: [`$${field}`, '$$NOW'] } });
}
