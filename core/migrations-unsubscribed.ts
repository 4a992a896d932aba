import { type PhaseRun, withNotes } from './migrations-progress.ts';
import type { SourceContact } from './migrations-sources.ts';
import { suppressGlobally } from './migrations-targets.ts';
import { normalizeEmail } from './rules/addresses.ts';

/** Long enough for any run and its replays; the end of the job deletes them at once. */
const KEPT_MS = 30 * 24 * 3_600_000;

/** Kept from the phase that reads the contacts, so that the source need not be walked twice. The first contact's id names the page. */
export async function noteUnsubscribed({ deps, migration }: PhaseRun, contacts: SourceContact[]): Promise<void> {
  const marked = contacts.filter(({ unsubscribed }) => unsubscribed);
  const emails = [...new Set(marked.flatMap(({ email }) => normalizeEmail(email) ?? []))];
  const [first] = marked;
  if (!first || emails.length === 0) return;
  const { _id: migrationId, projectId } = migration;
  const expiresAt = new Date(deps.clock.now().getTime() + KEPT_MS);
  await deps.db.migrationUnsubscribed.updateOne(
    { _id: `${migrationId.toHexString()}:${first.sourceId}`, projectId },
    { $set: { migrationId, emails, expiresAt } },
    { upsert: true },
  );
}

/** When the phase of contacts was left out, the source is walked for this alone. */
export async function unsubscribed(run: PhaseRun): Promise<boolean> {
  const { selection, phases } = run.migration;
  if (selection.listIds?.length === 0) return false;
  const wereContactsRead = phases.some(({ name, status }) => name === 'contacts' && status === 'completed');
  await (wereContactsRead ? suppressNoted(run) : suppressByWalking(run));
  return true;
}

async function suppressNoted(run: PhaseRun): Promise<void> {
  const { deps, migration } = run;
  const { _id: migrationId, projectId } = migration;
  const after = String(run.phase.cursor?.after ?? '');
  const noted = { projectId, migrationId, _id: { $gt: after } };
  for await (const { _id, emails } of deps.db.migrationUnsubscribed.find(noted).sort({ _id: 1 })) {
    run.signal?.throwIfAborted();
    await suppressPage(run, emails, { after: _id });
  }
}

async function suppressByWalking(run: PhaseRun): Promise<void> {
  const { listIds } = run.migration.selection;
  // There is no cursor in this walk: it is short, and begins anew after a stop.
  await run.save({ total: 0, succeeded: 0, created: 0, failed: 0 });
  for (const segmentId of listIds ?? [undefined]) {
    for (let after: string | null = null, more = true; more; ) {
      const { contacts, hasMore }: { contacts: SourceContact[]; hasMore: boolean } = await run.b.listContacts(
        after,
        segmentId,
      );
      const emails = contacts.filter((contact) => contact.unsubscribed).map(({ email }) => email);
      await suppressPage(run, emails, null);
      after = contacts.at(-1)?.sourceId ?? null;
      more = hasMore;
    }
  }
}

async function suppressPage(run: PhaseRun, emails: string[], cursor: Record<string, unknown> | null): Promise<void> {
  if (emails.length === 0) return run.beat();
  const { deps, migration, phase } = run;
  const { suppressed, invalid } = await suppressGlobally(deps, migration, emails, () => run.beat());
  const succeeded = phase.succeeded + suppressed;
  const errors = invalid.map((item) => ({ item, message: 'is not an email address' }));
  await run.save({
    total: phase.total + emails.length,
    succeeded,
    created: succeeded,
    failed: phase.failed + invalid.length,
    errors: withNotes(phase.errors, errors),
    cursor,
  });
}
