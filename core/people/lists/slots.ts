import type { ObjectId } from 'mongodb';
import { isDuplicateKey } from '../../base/database/idempotent-insert.ts';
import { AppError } from '../../base/errors.ts';
import type { PeopleDeps } from '../deps.ts';

const SLOTS = 2;
/** The slot of a process that was killed is free after this time. */
const SLOT_MS = 5_000;

const CALLS = { preview: 'previews', audience: 'counts of audiences' } as const;

/** Of long counts a project has two of a kind at a time, over all processes. Returns the function that frees the slot. */
export async function takeSlot(
  { db, clock }: Pick<PeopleDeps, 'db' | 'clock'>,
  projectId: ObjectId,
  kind: keyof typeof CALLS,
): Promise<() => Promise<void>> {
  const now = clock.now();
  const until = new Date(now.getTime() + SLOT_MS);
  for (let slot = 0; slot < SLOTS; slot += 1) {
    const _id = `${projectId.toHexString()}:${kind === 'preview' ? '' : `${kind}:`}${slot}`;
    try {
      await db.previewSlots.updateOne({ _id, projectId, until: { $lte: now } }, { $set: { until } }, { upsert: true });
      return async () => {
        await db.previewSlots.updateOne({ _id, projectId, until }, { $set: { until: new Date(0) } });
      };
    } catch (error) {
      // The slot is there, and is taken.
      if (!isDuplicateKey(error)) throw error;
    }
  }
  throw new AppError(
    'rate_limited',
    `Two ${CALLS[kind]} of this project are running; repeat the call when one has ended.`,
    {
      code: 'RATE_LIMIT_EXCEEDED',
      retryAfterSeconds: 1,
    },
  );
}
