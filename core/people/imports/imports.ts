import type { ObjectId } from 'mongodb';
import { inTransaction } from '../../base/database/transactions.ts';
import { invalid } from '../../base/errors.ts';
import { findById } from '../../base/ids.ts';
import { type By, refuseAuthor } from '../../base/maker.ts';
import type { Project } from '../../base/model.ts';
import { type Page, type PageOf, pageOf } from '../../base/paging.ts';
import { done } from '../../jobs/document-queue.ts';
import type { JobQueue } from '../../jobs/queue.ts';
import { requestRun, startQueue, wakeStarts } from '../../jobs/starts.ts';
import type { PeopleDeps } from '../deps.ts';
import { listsNamed } from '../lists/lists.ts';
import { keepFile, removeFile } from './files.ts';
import type { ContactImport } from './model.ts';

export interface ImportOptions {
  format: ContactImport['format'];
  fileName: string | null;
  listIds?: string[] | undefined;
  runWorkflow?: boolean | undefined;
}

type Tenant = Pick<Project, '_id'>;

/**
 * Stores the file and queues the import. Form fields behind the file are known only when it has been read, so the options are requested at
 * the end.
 */
export async function createImport(
  deps: PeopleDeps,
  project: Tenant,
  importId: ObjectId,
  file: AsyncIterable<Uint8Array>,
  optionsOf: () => Promise<ImportOptions>,
  origin: By = {},
): Promise<ContactImport> {
  const place = { importId, projectId: project._id };
  const sizeBytes = await keepFile(deps, place, file);
  try {
    const { format, fileName, listIds, runWorkflow = false } = await optionsOf();
    if (runWorkflow) refuseAuthor(origin, 'startAutomations');
    if (sizeBytes === 0) throw invalid('The file is empty.', 'file: must not be empty');
    const now = deps.clock.now();
    const made: ContactImport = {
      _id: importId,
      projectId: project._id,
      status: 'queued',
      format,
      fileName,
      sizeBytes,
      listIds: await listsNamed(deps, project, listIds),
      runWorkflow,
      header: null,
      cursor: { bytes: 0, row: 0 },
      created: 0,
      updated: 0,
      unchanged: 0,
      failed: 0,
      suppressed: 0,
      stillSuppressed: 0,
      consents: 0,
      failureReason: null,
      startedAt: null,
      completedAt: null,
      createdAt: now,
      updatedAt: now,
    };
    await inTransaction(deps, async (session) => {
      await deps.db.imports.insertOne(made, { session });
      await requestRun(deps, 'import', made, { session });
    });
    wakeStarts(deps, 'import', project._id);
    return made;
  } catch (error) {
    await removeFile(deps, place).catch(() => {});
    throw error;
  }
}

export function getImport(deps: PeopleDeps, project: Tenant, id: string): Promise<ContactImport> {
  return findById(deps.db.imports, project, id, 'IMPORT');
}

export function listImports(
  deps: PeopleDeps,
  project: Tenant,
  { status, ...page }: Page & { status?: ContactImport['status'] | undefined },
): Promise<PageOf<ContactImport>> {
  const filter = { projectId: project._id, ...(status ? { status } : {}) };
  return pageOf(deps.db.imports, filter, page, { sort: { _id: -1 }, hint: status ? 'status' : 'newest' });
}

/** Of a deleted project. A batch is written while its import runs, so none is written after this. */
export async function endImportsOfProject({ db, clock }: PeopleDeps, projectId: ObjectId): Promise<void> {
  const now = clock.now();
  await db.imports.updateMany(
    { projectId, status: { $in: ['queued', 'running'] } },
    { $set: { status: 'failed', failureReason: 'The project is deleted.', completedAt: now, updatedAt: now } },
    { hint: 'status' },
  );
}

/** True while a batch may be under way. */
export async function isImporting({ db }: PeopleDeps, projectId: ObjectId): Promise<boolean> {
  const running = { projectId, status: 'running' as const };
  return (await db.imports.findOne(running, { projection: { _id: 1 }, hint: 'status' })) !== null;
}

export function importQueue(deps: PeopleDeps): JobQueue {
  return startQueue(deps, 'import', {
    concurrencyMax: 4,
    lookEveryMs: 500,
    run: async ({ subjectId, projectId }) => {
      await deps.workflows.importContacts({ projectId: projectId.toHexString(), importId: subjectId.toHexString() });
      return done;
    },
  });
}
