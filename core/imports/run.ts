import type { ObjectId } from 'mongodb';
import type { Deps } from '../base/deps.ts';
import { AppError } from '../base/errors.ts';
import { derivedId } from '../base/ids.ts';
import type { Session } from '../base/model.ts';
import type { ContactChange, ContactOutcome } from '../contacts/apply-change.ts';
import { changeContactsTogether, IMPORT_CHANGES_TOGETHER_MAX } from '../contacts/changes.ts';
import { importWriter } from '../contacts/lists/counts.ts';
import { readContactRow } from '../contacts/parse-row.ts';
import { changeOfRow, listDirectory } from '../contacts/rows.ts';
import { readFile, removeFile } from './files.ts';
import type { ContactImport, ImportError } from './model.ts';
import { csvHeader, csvRows, FileProblem, type FileRow, ndjsonRows } from './rows.ts';

/** Further errors are counted, but not kept. */
const IMPORT_ERRORS_MAX = 100_000;

export interface ImportProgress {
  status: ContactImport['status'] | 'deleted';
  rows: number;
  failed: number;
  percent: number;
}

interface SliceLimits {
  timeMs: number;
  onBatch?: () => void;
  signal?: AbortSignal;
}

/**
 * Continues at the stored position, until the end of the file or until the time is over. Rows, counts and position are written in one
 * transaction, so an import that is stopped anywhere continues without loss or repetition.
 */
export async function importSlice(
  deps: Deps,
  ids: { projectId: ObjectId; importId: ObjectId },
  { timeMs, onBatch = () => {}, signal }: SliceLimits,
): Promise<ImportProgress> {
  const deadline = performance.now() + timeMs;
  let job = await begin(deps, ids);
  if (!job) return { status: 'deleted', rows: 0, failed: 0, percent: 0 };
  if (job.status === 'running')
    job = await readOn(deps, job, () => performance.now() > deadline || signal?.aborted === true, onBatch);
  if (job.status !== 'running') await removeFile(deps, ids);
  return progressOf(job);
}

export function progressOf({ status, cursor, failed, sizeBytes }: ContactImport): ImportProgress {
  const isOver = status !== 'queued' && status !== 'running';
  const percent = isOver ? 100 : Math.min(99, Math.floor((cursor.bytes / sizeBytes) * 100));
  return { status, rows: cursor.row, failed, percent };
}

async function begin(deps: Deps, { projectId, importId: _id }: { projectId: ObjectId; importId: ObjectId }) {
  const now = deps.clock.now();
  await deps.db.imports.updateOne(
    { _id, projectId, status: 'queued' },
    { $set: { status: 'running', startedAt: now, updatedAt: now } },
  );
  return deps.db.imports.findOne({ _id, projectId });
}

/** The next batch is read while one is written. */
async function readOn(
  deps: Deps,
  begun: ContactImport,
  isOver: () => boolean,
  onBatch: () => void,
): Promise<ContactImport> {
  let job = begun;
  const batches = batchesOf(deps, job);
  try {
    for (let next = batches.next(); ; ) {
      const { value: batch, done } = await next;
      if (done) return await finish(deps, job, null);
      if (isOver()) return job;
      next = batches.next();
      next.catch(() => {});
      if (batch.rows.length > 0) job = await writeBatch(deps, job, batch);
      if (batch.problem !== null) return await finish(deps, job, batch.problem);
      onBatch();
    }
  } catch (error) {
    // Another run has taken over this import.
    if (error instanceof Overtaken) return (await begin(deps, { projectId: job.projectId, importId: job._id })) ?? job;
    throw error;
  } finally {
    await batches.return(undefined);
  }
}

interface Batch {
  rows: FileRow[];
  header: ContactImport['header'];
  /** Why nothing can be read after these rows. */
  problem: string | null;
}

async function* batchesOf(deps: Deps, job: ContactImport): AsyncGenerator<Batch, undefined> {
  const place = { importId: job._id, projectId: job.projectId };
  let { header } = job;
  let rows: FileRow[] = [];
  try {
    let from = job.cursor.bytes;
    if (job.format === 'csv' && !header) {
      const { endBytes, ...read } = await csvHeader(readFile(deps, place, 0));
      header = read;
      from = endBytes;
    }
    const bytes = readFile(deps, place, from);
    for await (const row of header ? csvRows(bytes, header) : ndjsonRows(bytes)) {
      rows.push({ ...row, endBytes: from + row.endBytes });
      if (rows.length < IMPORT_CHANGES_TOGETHER_MAX) continue;
      yield { rows, header, problem: null };
      rows = [];
    }
    if (rows.length > 0) yield { rows, header, problem: null };
  } catch (error) {
    if (!(error instanceof FileProblem)) throw error;
    yield { rows, header, problem: error.message };
  }
}

class Overtaken extends Error {}

async function writeBatch(deps: Deps, job: ContactImport, { rows, header }: Batch): Promise<ContactImport> {
  const { changes, errors } = await readBatch(deps, job, rows);
  let written = job;
  await changeContactsTogether(
    deps,
    { _id: job.projectId },
    changes.map(({ change }) => change),
    {
      writer: importWriter(job._id),
      importId: job._id,
      inSameTransaction: async (session, outcomes) => {
        const all = [...errors, ...refusals(deps, job, changes, outcomes)];
        written = { ...job, ...progressAfter(job, rows, outcomes, all.length), header, updatedAt: deps.clock.now() };
        await keepErrors(deps, session, job, all);
        await moveOn(deps, session, job, written);
      },
    },
  );
  return written;
}

interface RowChange {
  row: number;
  change: ContactChange;
}

async function readBatch(deps: Deps, job: ContactImport, rows: FileRow[]) {
  const project = { _id: job.projectId };
  const read = rows.map(({ given, problem }) =>
    given ? readContactRow(given) : { ok: false as const, message: problem ?? 'cannot be read' },
  );
  const directory = await listDirectory(
    deps,
    project,
    read.flatMap((result) => (result.ok ? [result.row] : [])),
  );
  const changes: RowChange[] = [];
  const errors: ImportError[] = [];
  for (const [index, result] of read.entries()) {
    const row = job.cursor.row + index + 1;
    const newId = derivedId(job.createdAt, 'imported contact', job._id.toHexString(), row);
    const change = result.ok ? changeOfRow(result.row, directory, newId) : result.message;
    if (typeof change === 'string') errors.push(errorOf(deps, job, row, rows[index]?.given?.email, change));
    else changes.push({ row, change: withOptions(job, change) });
  }
  return { changes, errors };
}

function withOptions({ listIds, runWorkflow }: ContactImport, change: ContactChange): ContactChange {
  return { ...change, runWorkflow, addListIds: [...listIds, ...(change.addListIds ?? [])] };
}

function refusals(
  deps: Deps,
  job: ContactImport,
  changes: RowChange[],
  outcomes: Array<ContactOutcome | AppError>,
): ImportError[] {
  return outcomes.flatMap((outcome, index) => {
    const refused = changes[index];
    if (!(outcome instanceof AppError) || !refused) return [];
    return [errorOf(deps, job, refused.row, refused.change.email, outcome.message)];
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

async function keepErrors(
  deps: Deps,
  session: Session,
  { failed }: ContactImport,
  errors: ImportError[],
): Promise<void> {
  const kept = errors.slice(0, Math.max(0, IMPORT_ERRORS_MAX - failed));
  if (kept.length > 0) await deps.db.importErrors.insertMany(kept, { session });
}

/** Only from the position that this run read: a run that was presumed dead must not write its rows again. */
async function moveOn(deps: Deps, session: Session, from: ContactImport, to: ContactImport): Promise<void> {
  const { cursor, created, updated, unchanged, failed, header, updatedAt } = to;
  const { matchedCount } = await deps.db.imports.updateOne(
    { _id: from._id, projectId: from.projectId, status: 'running', 'cursor.row': from.cursor.row },
    { $set: { cursor, created, updated, unchanged, failed, header, updatedAt } },
    { session },
  );
  if (matchedCount === 0) throw new Overtaken();
}

async function finish(deps: Deps, job: ContactImport, failureReason: string | null): Promise<ContactImport> {
  const now = deps.clock.now();
  const status = failureReason !== null ? 'failed' : job.failed > 0 ? 'completed_with_errors' : 'completed';
  const finished = await deps.db.imports.findOneAndUpdate(
    { _id: job._id, projectId: job.projectId, status: 'running', 'cursor.row': job.cursor.row },
    { $set: { status, failureReason, completedAt: now, updatedAt: now } },
    { returnDocument: 'after' },
  );
  if (!finished) throw new Overtaken();
  return finished;
}

function errorOf(deps: Deps, job: ContactImport, row: number, email: unknown, message: string): ImportError {
  return {
    _id: `${job._id.toHexString()}:${row}`,
    projectId: job.projectId,
    importId: job._id,
    row,
    email: typeof email === 'string' ? email.slice(0, 320) : null,
    message,
    createdAt: deps.clock.now(),
  };
}
