import { normalizeEmail } from '../../base/text/addresses.ts';
import { builtInGroup } from '../../consent/suppressions/built-in-groups.ts';
import type { MigrationNote } from '../model.ts';
import { type PhaseRun, withNotes } from '../progress/progress.ts';
import type { SourceB, SourceContact } from '../source.ts';
import { suppressGlobally } from '../target.ts';
import { countNotes, noteAddresses, notedInBatches, notSuppressed, notSuppressedError } from './noted.ts';
import { EVERYBODY, NEWCOMERS, saveWalked, segmentStep, walkContacts } from './walk-b.ts';

/**
 * Durable when it returns. The addresses are noted first, so that the last phase can compare them with the suppressions. Returns the number
 * of addresses that no earlier page had.
 */
export async function suppressMarked(run: PhaseRun, contacts: SourceContact[]): Promise<number> {
  const marked = contacts.filter(({ unsubscribed, email }) => unsubscribed && email !== '');
  const emails = [...new Set(marked.map(({ email }) => normalizeEmail(email) ?? email))];
  if (emails.length === 0) return 0;
  const noted = await noteAddresses(
    run,
    emails.map((email) => ({ email })),
  );
  await suppressGlobally(run.deps, run.migration, emails);
  return noted;
}

/** Records that the phase of contacts suppresses what it reads, from its first page on. Earlier versions did not. */
export async function beginNotes(run: PhaseRun): Promise<void> {
  if (run.phase.cursor === null) await run.save({ details: { ...run.phase.details, unsubscribed: 0 } });
}

export async function keepCountOfNotes(run: PhaseRun): Promise<void> {
  const { details } = run.phase;
  if (details.unsubscribed === undefined) return;
  await run.save({ details: { ...details, unsubscribed: await countNotes(run) } });
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
  for await (const notes of notedInBatches(run)) {
    run.signal?.throwIfAborted();
    const noted = notes.map(({ email }) => email);
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
  throw notSuppressedError(missing, counts.total, 'unsubscribed');
}
