import { inTransaction } from '../../base/database/transactions.ts';
import type { By } from '../../base/maker.ts';
import type { Session } from '../../base/model.ts';
import { again, type DueOutcome, documentQueue, settled } from '../../jobs/document-queue.ts';
import type { JobQueue } from '../../jobs/queue.ts';
import type { TemplatesDeps } from '../deps.ts';
import { type Outcome, publishAgain } from './again.ts';
import type { Republication } from './model.ts';
import { AT_ONCE, REPUBLICATIONS } from './republish.ts';

/** Well below the lease of the queue. */
const TURN_MS = 10_000;
const FAILURES_NAMED_MAX = 100;

/** Publishes the templates of jobs again, a part of them in each turn, so that other jobs get theirs. */
export function republicationQueue(deps: TemplatesDeps): JobQueue {
  return documentQueue<Republication>(deps, {
    name: REPUBLICATIONS,
    collection: deps.db.republications,
    field: 'dueAt',
    concurrencyMax: 2,
    lookEveryMs: 500,
    run: (job) => runJob(deps, job),
  });
}

async function runJob(deps: TemplatesDeps, job: Republication): Promise<DueOutcome> {
  const over = performance.now() + TURN_MS;
  for (let now: Republication | null = job; now; now = await publishNext(deps, now)) {
    if (now.completedAt) return settled;
    if (performance.now() > over) return again(AT_ONCE);
  }
  return settled;
}

/** Another process works at the job too, and was faster. */
class Overtaken extends Error {}

/**
 * A template is published and counted in one transaction, at the job's own position: whatever is killed, and however many processes work at the job
 * at the same time, each is published once and counted once. null: another process was faster.
 */
async function publishNext(deps: TemplatesDeps, job: Republication): Promise<Republication | null> {
  const { projectId, startedBy, done, templateIds } = job;
  const templateId = templateIds[done];
  if (templateId === undefined) return finish(deps, job);
  const by: By = startedBy ? { by: { memberId: startedBy, role: 'editor' } } : {};
  let moved: Republication | null = null;
  const count = async (outcome: Outcome, session?: Session) => {
    moved = await moveOn(deps, job, { templateId, outcome }, session);
    if (!moved) throw new Overtaken();
    return outcome;
  };
  try {
    const outcome = await publishAgain(
      deps,
      { _id: projectId },
      templateId,
      (publish) => inTransaction(deps, async (session) => count(await publish(session), session)),
      by,
    );
    if (outcome.kind === 'failed') await count(outcome);
    deps.subscribers.publications.announce(deps, projectId);
    return moved;
  } catch (error) {
    if (error instanceof Overtaken) return null;
    throw error;
  }
}

function moveOn(
  { db, clock }: TemplatesDeps,
  { _id, projectId, done }: Republication,
  { templateId, outcome }: { templateId: string; outcome: Outcome },
  session?: Session,
): Promise<Republication | null> {
  const failures = outcome.kind === 'failed' ? [{ templateId, message: outcome.message }] : [];
  return db.republications.findOneAndUpdate(
    { _id, projectId, completedAt: null, done },
    {
      $set: { status: 'running', updatedAt: clock.now() },
      $inc: { done: 1, [outcome.kind]: 1 },
      $push: { failures: { $each: failures, $slice: FAILURES_NAMED_MAX } },
    },
    { returnDocument: 'after', ...(session ? { session } : {}) },
  );
}

function finish({ db, clock }: TemplatesDeps, { _id, projectId, done }: Republication): Promise<Republication | null> {
  const now = clock.now();
  return db.republications.findOneAndUpdate(
    { _id, projectId, completedAt: null, done },
    { $set: { status: 'completed', completedAt: now, updatedAt: now }, $unset: { dueAt: '' } },
    { returnDocument: 'after' },
  );
}
