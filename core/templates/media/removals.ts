import { inTransaction } from '../../base/database/transactions.ts';
import { type DueOutcome, documentQueue, settled } from '../../jobs/document-queue.ts';
import type { JobQueue } from '../../jobs/queue.ts';
import type { TemplatesDeps } from '../deps.ts';
import type { MediaFile } from './model.ts';

export const MEDIA_REMOVALS = 'media-removals';
const LOOK_EVERY_MS = 60_000;
const AT_ONCE_MAX = 4;
/** The job takes over from a process that ended between the two steps of a removal. */
const FINISH_MS = 30_000;

/** Removes files of pictures that are deleted, of uploads that were cut off, and of deleted projects. */
export function mediaRemovals(deps: TemplatesDeps): JobQueue {
  return documentQueue<MediaFile>(deps, {
    name: MEDIA_REMOVALS,
    collection: deps.db.media,
    field: 'removeDueAt',
    concurrencyMax: AT_ONCE_MAX,
    lookEveryMs: LOOK_EVERY_MS,
    run: (media) => removeOverdue(deps, media),
  });
}

async function removeOverdue(deps: TemplatesDeps, media: MediaFile): Promise<DueOutcome> {
  // An upload that was confirmed since the job was taken has no job any more.
  if (media.state === 'removing' || (await startRemoval(deps, media))) await finishRemoval(deps, media);
  return settled;
}

/** Frees the room and the hash. Returns false when the row is in another state by now. */
export async function startRemoval(
  deps: TemplatesDeps,
  { _id, projectId, state, sizeBytes }: MediaFile,
): Promise<boolean> {
  const removeDueAt = new Date(deps.clock.now().getTime() + FINISH_MS);
  return inTransaction(deps, async (session) => {
    const { matchedCount } = await deps.db.media.updateOne(
      { _id, projectId, state },
      { $set: { state: 'removing', removeDueAt }, $unset: { hash: '' } },
      { session },
    );
    if (matchedCount === 0) return false;
    await deps.db.mediaUsage.updateOne({ _id: projectId, projectId }, { $inc: { bytes: -sizeBytes } }, { session });
    return true;
  });
}

/** The file first: a repeat still finds the row. */
export async function finishRemoval(deps: TemplatesDeps, { _id, projectId, name }: MediaFile): Promise<void> {
  await deps.media.remove(name);
  await deps.db.media.deleteOne({ _id, projectId, state: 'removing' });
}
