import type { ObjectId } from 'mongodb';
import { normalizeEmail } from '../../base/text/addresses.ts';
import { DAY_MS } from '../../base/time/durations.ts';
import { batched } from '../../base/work/batched.ts';
import type { MigrationUnsubscribed } from '../model.ts';
import type { PhaseRun } from '../progress/progress.ts';
import { SourceError, type SourceSuppressed, type SuppressionList } from '../source.ts';

/** Long enough for any run and its retries; the end of the job deletes them at once. */
const KEPT_MS = 30 * DAY_MS;
const COMPARED_TOGETHER = 1_000;

export type Noted = Pick<MigrationUnsubscribed, 'email' | 'lists'>;

/**
 * Notes the addresses that the source does not mail, so that the end of the job can compare them with the suppressions. One note for each
 * address, however many pages contain it: a page can only add to the notes. Returns how many are new.
 */
export async function noteAddresses(
  { deps, migration }: PhaseRun,
  rows: readonly Pick<SourceSuppressed, 'email'>[] | readonly SourceSuppressed[],
  list?: SuppressionList,
): Promise<number> {
  const { _id: migrationId, projectId } = migration;
  const expiresAt = new Date(deps.clock.now().getTime() + KEPT_MS);
  const { upsertedCount } = await deps.db.migrationUnsubscribed.bulkWrite(
    rows.map(({ email, ...row }) => ({
      updateOne: {
        filter: { _id: `${migrationId.toHexString()}:${email}`, projectId },
        update: {
          $set: { migrationId, email, expiresAt, ...(list && 'at' in row ? { [`lists.${list}`]: row.at } : {}) },
        },
        upsert: true,
      },
    })),
    { ordered: false },
  );
  return upsertedCount;
}

/** Whether this job has read the address in the list. */
export async function isNoted(run: PhaseRun, list: SuppressionList, email: string): Promise<boolean> {
  const { _id: migrationId, projectId } = run.migration;
  const _id = `${migrationId.toHexString()}:${normalizeEmail(email)}`;
  const noted = { _id, projectId, [`lists.${list}`]: { $exists: true } };
  return (await run.deps.db.migrationUnsubscribed.findOne(noted, { projection: { _id: 1 } })) !== null;
}

export function countNotes(run: PhaseRun, list?: SuppressionList): Promise<number> {
  const filter = { ...notesOf(run), ...(list ? { [`lists.${list}`]: { $exists: true } } : {}) };
  return run.deps.db.migrationUnsubscribed.countDocuments(filter);
}

export async function* notedInBatches(run: PhaseRun): AsyncGenerator<Noted[]> {
  const notes = run.deps.db.migrationUnsubscribed.find(notesOf(run));
  for await (const batch of batched(notes, COMPARED_TOGETHER))
    yield batch.map(({ email, lists }) => ({ email, ...(lists ? { lists } : {}) }));
}

/** Notes of earlier versions have no `email`: they may be incomplete, and are not read. */
function notesOf({ migration: { _id: migrationId, projectId } }: PhaseRun): {
  projectId: ObjectId;
  migrationId: ObjectId;
  email: object;
} {
  return { projectId, migrationId, email: { $exists: true } };
}

export async function notSuppressed(
  { deps, migration: { projectId } }: PhaseRun,
  groupId: string,
  emails: string[],
): Promise<string[]> {
  const query = { projectId, email: { $in: emails }, groupId };
  const found = await deps.db.suppressions.find(query, { projection: { email: 1 }, hint: 'address' }).toArray();
  const suppressed = new Set(found.map(({ email }) => email));
  return emails.filter((email) => !suppressed.has(email));
}

/** The address comes after the colon: the text before it is shown to operators in Temporal. */
export function notSuppressedError(missing: string[], total: number, how: string): SourceError {
  const others = missing.length === 1 ? '' : ' and others';
  return new SourceError(
    'incomplete',
    `${missing.length} of the ${total} addresses read as ${how} are not suppressed here: ${missing[0]}${others}. Retry suppresses them; skip leaves them as they are.`,
  );
}
