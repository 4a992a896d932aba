import type { ObjectId } from 'mongodb';
import { normalizeEmail } from '../../base/text/addresses.ts';
import { builtInGroup } from '../../suppressions/groups.ts';
import type { MigrationNote } from '../model.ts';
import { type PhaseRun, withNotes } from '../run/progress.ts';
import { type SourceB, type SourceContact, SourceError } from '../source.ts';
import { suppressGlobally } from '../target.ts';
import { EVERYBODY, NEWCOMERS, saveWalked, segmentStep, walkContacts } from './walk-b.ts';

/** Long enough for any run and its retries; the end of the job deletes them at once. */
const KEPT_MS = 30 * 24 * 3_600_000;
const COMPARED_TOGETHER = 1_000;

/**
 * Durable when it returns. The addresses are noted first, so that the last phase can compare them with the suppressions. Returns the number
 * of addresses that no earlier page had.
 */
export async function suppressMarked(run: PhaseRun, contacts: SourceContact[]): Promise<number> {
  const marked = contacts.filter(({ unsubscribed, email }) => unsubscribed && email !== '');
  const emails = [...new Set(marked.map(({ email }) => normalizeEmail(email) ?? email))];
  if (emails.length === 0) return 0;
  const noted = await note(run, emails);
  await suppressGlobally(run.deps, run.migration, emails);
  return noted;
}

/** One note for each address, however many pages contain it: a page can only add to the notes. */
async function note({ deps, migration }: PhaseRun, emails: string[]): Promise<number> {
  const { _id: migrationId, projectId } = migration;
  const expiresAt = new Date(deps.clock.now().getTime() + KEPT_MS);
  const { upsertedCount } = await deps.db.migrationUnsubscribed.bulkWrite(
    emails.map((email) => ({
      updateOne: {
        filter: { _id: `${migrationId.toHexString()}:${email}`, projectId },
        update: { $set: { migrationId, email, expiresAt } },
        upsert: true,
      },
    })),
    { ordered: false },
  );
  return upsertedCount;
}

/** Records that the phase of contacts suppresses what it reads, from its first page on. Earlier versions did not. */
export async function beginNotes(run: PhaseRun): Promise<void> {
  if (run.phase.cursor === null) await run.save({ details: { ...run.phase.details, unsubscribed: 0 } });
}

export async function keepCountOfNotes(run: PhaseRun): Promise<void> {
  const { details } = run.phase;
  if (details.unsubscribed === undefined) return;
  const unsubscribed = await run.deps.db.migrationUnsubscribed.countDocuments(notesOf(run));
  await run.save({ details: { ...details, unsubscribed } });
}

/**
 * The phase of contacts has suppressed the contacts it read as unsubscribed; this one compares. When that phase was left out, or an earlier
 * version ran it, the source is read again for this alone.
 */
export async function unsubscribed(run: PhaseRun, source: SourceB): Promise<boolean> {
  if (run.migration.selection.listIds?.length === 0) return false;
  if (!(await wereSuppressed(run))) await suppressByWalking(run, source);
  await compare(run);
  return true;
}

async function wereSuppressed({ deps, migration }: PhaseRun): Promise<boolean> {
  const { _id: migrationId, projectId, phases } = migration;
  const contacts = phases.find(({ name }) => name === 'contacts');
  if (contacts?.status !== 'completed' || contacts.details.unsubscribed === undefined) return false;
  // A worker of an earlier version may have done part of the phase during an upgrade.
  const ofEarlierVersion = { projectId, migrationId, email: { $exists: false } };
  return (await deps.db.migrationUnsubscribed.countDocuments(ofEarlierVersion, { limit: 1 })) === 0;
}

async function suppressByWalking(run: PhaseRun, source: SourceB): Promise<void> {
  const steps = run.migration.selection.listIds?.map(segmentStep) ?? [EVERYBODY, NEWCOMERS];
  await walkContacts(run, source, steps, async (_step, contacts, known) => {
    run.signal?.throwIfAborted();
    const noted = await suppressMarked(run, [...contacts, ...known]);
    const { total, succeeded } = run.phase;
    await saveWalked(run, contacts, { total: total + noted, succeeded: succeeded + noted });
  });
}

/** Every address that was read as unsubscribed is suppressed now, or the run holds. A retry suppresses those that are not. */
async function compare(run: PhaseRun): Promise<void> {
  const { cursor, details, errors: known } = run.phase;
  const isRetry = cursor?.missing !== undefined;
  const { groupId } = await builtInGroup(run.deps, { _id: run.migration.projectId }, 'global');
  const errors: MigrationNote[] = [];
  const missing: string[] = [];
  const counts = { total: 0, succeeded: 0, created: 0, failed: 0 };
  for await (const noted of notedAddresses(run)) {
    run.signal?.throwIfAborted();
    const emails = noted.filter((email) => normalizeEmail(email) !== null);
    if (isRetry) await suppressGlobally(run.deps, run.migration, emails);
    const gone = await notSuppressed(run, groupId, emails);
    const invalid = noted.filter((email) => normalizeEmail(email) === null);
    errors.push(...invalid.map((item) => ({ item, message: 'is not an email address' })));
    missing.push(...gone);
    counts.total += noted.length;
    counts.succeeded += emails.length - gone.length;
    counts.failed += invalid.length;
  }
  const shown = run.migration.planned === undefined ? details : { ...details, planned: run.migration.planned };
  const change = { ...counts, created: counts.succeeded, details: shown, errors: withNotes(known, errors) };
  if (missing.length === 0) return run.save(change);
  await run.save({ ...change, cursor: { ...cursor, missing: missing.length } });
  throw new SourceError('incomplete', missingText(missing, counts.total));
}

function missingText(missing: string[], total: number): string {
  const [first] = missing;
  return `${missing.length} of the ${total} addresses read as unsubscribed are not suppressed here, ${first} among them. Retry suppresses them; skip leaves them as they are.`;
}

async function* notedAddresses(run: PhaseRun): AsyncGenerator<string[]> {
  let emails: string[] = [];
  for await (const { email } of run.deps.db.migrationUnsubscribed.find(notesOf(run))) {
    emails.push(email);
    if (emails.length < COMPARED_TOGETHER) continue;
    yield emails;
    emails = [];
  }
  if (emails.length > 0) yield emails;
}

/** Notes of earlier versions have no `email`: they may be incomplete, and are not read. */
function notesOf({ migration: { _id: migrationId, projectId } }: PhaseRun): {
  projectId: ObjectId;
  migrationId: ObjectId;
  email: object;
} {
  return { projectId, migrationId, email: { $exists: true } };
}

async function notSuppressed(
  { deps, migration: { projectId } }: PhaseRun,
  groupId: string,
  emails: string[],
): Promise<string[]> {
  const query = { projectId, email: { $in: emails }, groupId };
  const found = await deps.db.suppressions.find(query, { projection: { email: 1 }, hint: 'address' }).toArray();
  const suppressed = new Set(found.map(({ email }) => email));
  return emails.filter((email) => !suppressed.has(email));
}
