import type { Collection, Document, ObjectId } from 'mongodb';
import { repeatOnDuplicate } from '../base/database/idempotent-insert.ts';
import type { Deps, Needs } from '../base/deps.ts';
import type { Session } from '../base/model.ts';
import { type DueOutcome, documentQueue, settled } from './document-queue.ts';
import type { RunStart, StartKind } from './model.ts';
import { type JobQueue, wakeQueue } from './queue.ts';

/** Each kind has a queue of its own, so that none waits behind another. */
const queueNames: Record<StartKind, string> = {
  campaign: 'campaign-starts',
  metrics: 'campaign-metrics',
  import: 'import-starts',
  domain: 'domain-starts',
  segment: 'segment-recomputes',
  migration: 'migration-starts',
};

type StartsDeps = Needs<never, 'starts'>;
/** The document that the run is for. */
type Subject = { _id: ObjectId; projectId: ObjectId };

/**
 * Asks for a run, or for a signal to the one that is there; in the transaction of its cause. A request while an earlier one is served is
 * served after it; `at`: not before. Call `wakeStarts` after the commit.
 */
export async function requestRun(
  { db }: StartsDeps,
  kind: StartKind,
  subject: Subject,
  { session, at = '$$NOW' }: { session?: Session; at?: Date | '$$NOW' } = {},
): Promise<void> {
  const revision = { $add: [{ $ifNull: ['$revision', 0] }, 1] };
  await write(db, kind, subject, { dueAt: at, revision }, session);
}

/** The same, but a request that waits stays as it is. */
export async function requestRunOnce(
  { db }: StartsDeps,
  kind: StartKind,
  subject: Subject,
  session: Session,
): Promise<void> {
  const waiting = { dueAt: { $ifNull: ['$dueAt', '$$NOW'] }, revision: { $ifNull: ['$revision', 1] } };
  await write(db, kind, subject, waiting, session);
}

/** For a cause that is no more. */
export async function withdrawRun(
  { db }: StartsDeps,
  kind: StartKind,
  { _id, projectId }: Subject,
  session: Session,
): Promise<void> {
  await db.starts.deleteOne({ _id: startId(kind, _id), projectId }, { session });
}

/** Saves the wait for the next look. */
export function wakeStarts(deps: Pick<Deps, 'signals'>, kind: StartKind, projectId: ObjectId): void {
  wakeQueue(deps, queueNames[kind], projectId);
}

/** `run` starts or signals the run, and may do so twice. `again` looks at it once more at that time. */
export function startQueue(
  deps: StartsDeps & Pick<Deps, 'log'>,
  kind: StartKind,
  { run, ...limits }: { concurrencyMax: number; lookEveryMs?: number; run(start: RunStart): Promise<DueOutcome> },
): JobQueue {
  return documentQueue<RunStart>(deps, {
    name: queueNames[kind],
    collection: deps.db.starts,
    field: 'dueAt',
    where: { kind },
    ...limits,
    run: async (start) => {
      const outcome = await run(start);
      if (outcome.kind !== 'done') return outcome;
      // A request that came after this one was read has another revision, and stays.
      const { _id, projectId, revision } = start;
      await deps.db.starts.deleteOne({ _id, projectId, revision });
      return settled;
    },
  });
}

/** Documents that were stored when each had the date of its own start. Returns how many there were. */
export async function carryOverStarts<Doc extends Subject>(
  deps: StartsDeps,
  kind: StartKind,
  { projectId, documents, field }: { projectId: ObjectId; documents: Collection<Doc>; field: string },
): Promise<number> {
  const stored = documents as unknown as Collection<Subject>;
  let carried = 0;
  for await (const { _id } of stored.find({ projectId, [field]: { $exists: true } }, { projection: { _id: 1 } })) {
    await requestRun(deps, kind, { _id, projectId });
    await stored.updateOne({ _id, projectId }, { $unset: { [field]: '', [`${field}By`]: '' } });
    carried += 1;
  }
  return carried;
}

async function write(
  { starts }: StartsDeps['db'],
  kind: StartKind,
  { _id: subjectId, projectId }: Subject,
  state: Document,
  session: Session | undefined,
): Promise<void> {
  const change = [{ $set: { projectId, kind, subjectId, ...state } }];
  const one = { _id: startId(kind, subjectId), projectId };
  if (session) await starts.updateOne(one, change, { upsert: true, session });
  else await repeatOnDuplicate(() => starts.updateOne(one, change, { upsert: true }));
}

function startId(kind: StartKind, subjectId: ObjectId): string {
  return `${kind} ${subjectId.toHexString()}`;
}
