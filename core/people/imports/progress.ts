import { publishEvents } from '../../events/events.ts';
import { figuresUntil } from '../../events/listeners.ts';
import type { PeopleDeps } from '../deps.ts';
import type { ContactImport } from './model.ts';

export interface ImportProgress {
  status: ContactImport['status'] | 'deleted';
  rows: number;
  failed: number;
  percent: number;
}

export function progressOf({ status, cursor, failed, sizeBytes }: ContactImport): ImportProgress {
  const isOver = status !== 'queued' && status !== 'running';
  const percent = isOver ? 100 : Math.min(99, Math.floor((cursor.bytes / sizeBytes) * 100));
  return { status, rows: cursor.row, failed, percent };
}

/** An import as answers and events show it. */
export function importData(job: ContactImport) {
  const { status, format, fileName, sizeBytes, cursor, created, updated, unchanged, failed } = job;
  const { suppressed, stillSuppressed, consents } = job;
  const { failureReason, startedAt, completedAt, createdAt, updatedAt } = job;
  const id = job._id.toHexString();
  return {
    id,
    importId: id,
    ...{ status, format, fileName, sizeBytes, percent: progressOf(job).percent },
    listIds: job.listIds.map((one) => one.toHexString()),
    ...{ processed: cursor.row, created, updated, unchanged, failed },
    ...{ suppressed, stillSuppressed, consents, failureReason },
    ...{ startedAt, completedAt, createdAt, updatedAt },
  };
}

/** For streams that ask for it. A repeat is the same event. */
export function publishProgress(deps: PeopleDeps, job: ContactImport): Promise<void> {
  const data = importData(job);
  const key = `${data.id} ${data.processed} ${data.status}`;
  return publishEvents(deps, job.projectId, [{ type: 'import.progress', key, data, eraseAt: figuresUntil(deps) }]);
}
