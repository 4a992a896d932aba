import type { ObjectId, UpdateFilter } from 'mongodb';
import { AppError } from '../../base/errors.ts';
import type { Session } from '../../base/model.ts';
import { normalizeEmail } from '../../base/text/addresses.ts';
import { recordConsents } from '../../consent/consents/record.ts';
import type { ContactOutcome } from '../changes/apply-change.ts';
import { changeContactsTogether } from '../changes/changes.ts';
import { importWriter } from '../changes/counts.ts';
import type { PeopleDeps } from '../deps.ts';
import { type Batch, batchesOf } from './batches.ts';
import { consentReader } from './consent/records.ts';
import { stillSuppressed, suppressStopped } from './consent/suppress.ts';
import { readFile, removeFile } from './files.ts';
import { endImportsOfProject } from './imports.ts';
import type { ContactImport } from './model.ts';
import { type ImportProgress, progressOf, publishProgress } from './progress.ts';
import { type RowChange, type RowError, readBatch } from './read-batch.ts';
import type { FileRow } from './rows.ts';

/** Events of an import are at least this far apart, but for the last one. */
const EVENT_EVERY_MS = 500;
/** Further errors are counted, but not kept. */
const IMPORT_ERRORS_MAX = 100_000;

interface SliceLimits {
  timeMs: number;
  signal?: AbortSignal;
}

/**
 * Continues at the stored position, until the end of the file or until the time is over. Rows, consents, counts and position are written in
 * one transaction, so an import that is stopped anywhere continues without loss or repetition.
 */
export async function importSlice(
  deps: PeopleDeps,
  ids: { projectId: ObjectId; importId: ObjectId },
  { timeMs, signal }: SliceLimits,
): Promise<ImportProgress> {
  const deadline = performance.now() + timeMs;
  let job = await begin(deps, ids);
  if (!job) return { status: 'deleted', rows: 0, failed: 0, percent: 0 };
  if (job.status === 'running')
    job = await readOn(deps, job, () => performance.now() > deadline || signal?.aborted === true);
  if (job.status !== 'running') await removeFile(deps, ids);
  return progressOf(job);
}

async function begin(deps: PeopleDeps, { projectId, importId: _id }: { projectId: ObjectId; importId: ObjectId }) {
  const project = await deps.db.projects.findOne({ _id: projectId, deletedAt: null }, { projection: { _id: 1 } });
  // An upload that began before the deletion is queued after it.
  if (!project) await endImportsOfProject(deps, projectId);
  const now = deps.clock.now();
  await deps.db.imports.updateOne(
    { _id, projectId, status: 'queued' },
    { $set: { status: 'running', startedAt: now, updatedAt: now } },
  );
  return deps.db.imports.findOne({ _id, projectId });
}

/** The next batch is read while one is written. */
async function readOn(deps: PeopleDeps, begun: ContactImport, isOver: () => boolean): Promise<ContactImport> {
  let job = begun;
  let publishedAt = Number.NEGATIVE_INFINITY;
  const place = { importId: job._id, projectId: job.projectId };
  const batches = batchesOf((from) => readFile(deps, place, from), job);
  try {
    for (let next = batches.next(); ; ) {
      const { value: batch, done } = await next;
      if (done) return await finish(deps, job, null);
      if (isOver()) return job;
      next = batches.next();
      next.catch(() => {});
      if (batch.rows.length > 0) job = await writeBatch(deps, job, batch);
      if (batch.problem !== null) return await finish(deps, job, batch.problem);
      if (performance.now() - publishedAt >= EVENT_EVERY_MS) {
        publishedAt = performance.now();
        await publishProgress(deps, job);
      }
    }
  } catch (error) {
    // Another run has taken over this import.
    if (error instanceof Overtaken) return (await begin(deps, { projectId: job.projectId, importId: job._id })) ?? job;
    throw error;
  } finally {
    await batches.return(undefined);
  }
}

class Overtaken extends Error {}

/** Suppressions first: a run that is stopped between the two has stopped mail to more people, never to fewer. */
async function writeBatch(deps: PeopleDeps, job: ContactImport, { rows, header }: Batch): Promise<ContactImport> {
  const { changes, states, errors } = await readBatch(deps, job, rows);
  await suppressStopped(deps, job, states);
  const still = await stillSuppressed(deps, job, states);
  const consentsOf = await consentReader(deps, job, changes);
  let written = job;
  await changeContactsTogether(
    deps,
    { _id: job.projectId },
    changes.map(({ change }) => change),
    {
      writer: importWriter(job._id),
      importId: job._id,
      inSameTransaction: async (session, outcomes) => {
        const all = [...errors, ...refusals(changes, outcomes)];
        const consents = consentsOf(outcomes);
        await recordConsents(deps, session, job.projectId, consents);
        await keepErrors(deps, session, job, all);
        written = await moveOn(deps, session, job, {
          $set: { ...progressAfter(job, rows, outcomes, all.length), header, updatedAt: deps.clock.now() },
          $inc: {
            suppressed: states.filter(({ stops }) => stops.length > 0).length,
            stillSuppressed: still.size,
            consents: consents.length,
          },
        });
      },
    },
  );
  return written;
}

function refusals(changes: RowChange[], outcomes: Array<ContactOutcome | AppError>): RowError[] {
  return outcomes.flatMap((outcome, index) => {
    const refused = changes[index];
    if (!(outcome instanceof AppError) || !refused) return [];
    return [{ row: refused.row, email: refused.change.email ?? null, message: outcome.message }];
  });
}

function progressAfter(
  { cursor, created, updated, unchanged, failed }: ContactImport,
  rows: FileRow[],
  outcomes: Array<ContactOutcome | AppError>,
  failures: number,
) {
  const count = (kind: ContactOutcome['kind']) =>
    outcomes.filter((outcome) => !(outcome instanceof AppError) && outcome.kind === kind).length;
  return {
    cursor: { bytes: rows.at(-1)?.endBytes ?? cursor.bytes, row: cursor.row + rows.length },
    created: created + count('created'),
    updated: updated + count('changed'),
    unchanged: unchanged + count('unchanged'),
    failed: failed + failures,
  };
}

async function keepErrors(deps: PeopleDeps, session: Session, job: ContactImport, errors: RowError[]): Promise<void> {
  const kept = errors.slice(0, Math.max(0, IMPORT_ERRORS_MAX - job.failed));
  const [createdAt, importId] = [deps.clock.now(), job._id];
  const documents = kept.map(({ row, email, message }) => ({
    ...{ _id: `${importId.toHexString()}:${row}`, projectId: job.projectId, importId },
    ...{ row, email, ...addressOf(email), message, createdAt },
  }));
  if (documents.length > 0) await deps.db.importErrors.insertMany(documents, { session });
}

function addressOf(email: string | null): { address?: string } {
  const address = email === null ? null : normalizeEmail(email);
  return address ? { address } : {};
}

/** Only from the position that this run read: a run that was presumed dead must not write its rows again. */
async function moveOn(
  deps: PeopleDeps,
  session: Session,
  { _id, projectId, cursor }: ContactImport,
  change: UpdateFilter<ContactImport>,
): Promise<ContactImport> {
  const from = { _id, projectId, status: 'running', 'cursor.row': cursor.row } as const;
  const moved = await deps.db.imports.findOneAndUpdate(from, change, { session, returnDocument: 'after' });
  if (!moved) throw new Overtaken();
  return moved;
}

async function finish(deps: PeopleDeps, job: ContactImport, failureReason: string | null): Promise<ContactImport> {
  const now = deps.clock.now();
  const status = failureReason !== null ? 'failed' : job.failed > 0 ? 'completed_with_errors' : 'completed';
  const finished = await deps.db.imports.findOneAndUpdate(
    { _id: job._id, projectId: job.projectId, status: 'running', 'cursor.row': job.cursor.row },
    { $set: { status, failureReason, completedAt: now, updatedAt: now } },
    { returnDocument: 'after' },
  );
  if (!finished) throw new Overtaken();
  await publishProgress(deps, finished);
  return finished;
}
