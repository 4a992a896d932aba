import { normalizeEmail } from '../../base/text/addresses.ts';
import { DAY_MS } from '../../base/time/durations.ts';
import { builtInGroup } from '../../consent/suppressions/built-in-groups.ts';
import { suppressEach } from '../../consent/suppressions/suppressions.ts';
import type { Migration, MigrationPhase } from '../model.ts';
import { type PhaseRun, withNotes } from '../progress/progress.ts';
import { missingScope, suppressionTargets } from '../rules/suppression-lists.ts';
import {
  type SourceA,
  SourceError,
  type SourceSuppressed,
  SUPPRESSION_LISTS,
  type SuppressionList,
} from '../source.ts';
import { suppressedPages } from '../suppressed-pages.ts';
import { countNotes, isNoted, noteAddresses, notedInBatches, notSuppressed, notSuppressedError } from './noted.ts';

/** Later looks begin this long before the phase did, because the clock of the source may differ. */
const LOOK_BACK_MS = DAY_MS;

/** The number of lists that are read, and of the next one the rows before `offset`. */
export interface Reading {
  lists: number;
  offset: number;
}

/** Suppresses every address of the lists, one list after the other; `keep` saves the part that is read. */
export async function suppressListed(
  run: PhaseRun,
  source: SourceA,
  reading: Reading | null,
  keep: (reading: Reading, change?: Partial<MigrationPhase>) => Promise<void>,
): Promise<void> {
  await requireScopes(run, source);
  const { lists: done, offset } = reading ?? { lists: 0, offset: 0 };
  for (const [index, list] of SUPPRESSION_LISTS.entries()) {
    if (index < done) continue;
    const range = { from: index === done ? offset : 0, since: null };
    const change = await readList(run, source, list, range, (next) => keep({ lists: index, offset: next }));
    await keep({ lists: index + 1, offset: 0 }, change);
  }
}

/** The same for rows that were added since the phase began. A list that could not be read before is read whole. */
export async function suppressNewlyListed(run: PhaseRun, source: SourceA): Promise<void> {
  const { startedAt, details } = run.phase;
  const began = startedAt ?? run.deps.clock.now();
  for (const list of SUPPRESSION_LISTS) {
    const isRead = details[list] !== undefined;
    const since = isRead ? new Date(began.getTime() - LOOK_BACK_MS) : null;
    const change = await readList(run, source, list, { from: 0, since }, async () => undefined);
    const isNews = change.details !== undefined || change.review?.length !== run.phase.review.length;
    if (!isRead && isNews) await run.save(change);
  }
}

/**
 * Every address that was read in one of the lists is suppressed now, or the error names one that is not. A retry suppresses them first. A
 * group that a person turned on again since is an exception of their entry, which is still there.
 */
export async function compareListed(run: PhaseRun, isRetry: boolean): Promise<SourceError | null> {
  const missing: string[] = [];
  let total = 0;
  for await (const noted of notedInBatches(run)) {
    run.signal?.throwIfAborted();
    total += noted.length;
    const gone = new Set<string>();
    for (const list of SUPPRESSION_LISTS) {
      const rows = noted.flatMap(({ email, lists }) =>
        lists?.[list] === undefined ? [] : [{ email, at: lists[list] ?? null }],
      );
      if (isRetry) await suppress(run, list, rows);
      const { groupId } = await builtInGroup(run.deps, tenantOf(run), suppressionTargets[list].group);
      const emails = rows.map(({ email }) => email);
      for (const email of await notSuppressed(run, groupId, emails)) gone.add(email);
    }
    missing.push(...gone);
  }
  const details = { ...run.phase.details };
  for (const list of SUPPRESSION_LISTS) if (details[list] !== undefined) details[list] = await countNotes(run, list);
  await run.save({ details });
  return missing.length === 0 ? null : notSuppressedError(missing, total, 'not to be mailed');
}

/** A small read of each list, so that a job that requires them names every missing scope before it writes. */
async function requireScopes(run: PhaseRun, source: SourceA): Promise<void> {
  if (!run.migration.requireSuppressions) return;
  const missing: SuppressionList[] = [];
  for (const list of SUPPRESSION_LISTS)
    try {
      await source.listSuppressed(list, { offset: 0, since: run.deps.clock.now() });
    } catch (error) {
      if (!isForbidden(error)) throw error;
      missing.push(list);
    }
  if (missing.length > 0) throw heldFor(missing);
}

/** Returns the part of the phase that describes the list: its number of addresses, or the missing scope. */
async function readList(
  run: PhaseRun,
  source: SourceA,
  list: SuppressionList,
  range: { from: number; since: Date | null },
  keep: (offset: number) => Promise<void>,
): Promise<Partial<MigrationPhase>> {
  const wasRead = (email: string) => isNoted(run, list, email);
  try {
    for await (const { rows, next } of suppressedPages(source, list, { ...range, wasRead })) {
      run.signal?.throwIfAborted();
      await suppressRows(run, list, rows);
      if (next !== null) await keep(next);
    }
  } catch (error) {
    if (!isForbidden(error)) throw error;
    if (run.migration.requireSuppressions) throw heldFor([list]);
    return { review: withNotes(run.phase.review, [missingScope(list)]) };
  }
  const review = run.phase.review.filter(({ item }) => item !== missingScope(list).item);
  return { review, details: { ...run.phase.details, [list]: await countNotes(run, list) } };
}

/** Durable when it returns. A row without a valid address cannot become a contact either. */
async function suppressRows(run: PhaseRun, list: SuppressionList, rows: SourceSuppressed[]): Promise<void> {
  const found = new Map<string, SourceSuppressed>();
  for (const { email: given, at } of rows) {
    const email = normalizeEmail(given);
    if (email !== null) found.set(email, { email, at });
  }
  const valid = [...found.values()];
  if (valid.length === 0) return;
  await noteAddresses(run, valid, list);
  await suppress(run, list, valid);
}

async function suppress(run: PhaseRun, list: SuppressionList, rows: SourceSuppressed[]): Promise<void> {
  if (rows.length === 0) return;
  const { group, reason } = suppressionTargets[list];
  const target = await builtInGroup(run.deps, tenantOf(run), group);
  const entries = rows.map(({ email, at }) => ({
    email,
    reason,
    evidence: evidenceOf(run.migration, list, at),
    saidAt: at ?? new Date(0),
  }));
  await suppressEach(run.deps, target, entries);
}

function evidenceOf({ _id, createdAt }: Migration, list: SuppressionList, at: Date | null): string {
  const since = at ? ` since ${at.toISOString()}` : '';
  return `migration ${_id.toHexString()} of ${createdAt.toISOString()}: in ${list} of provider A${since}`;
}

function heldFor(lists: SuppressionList[]): SourceError {
  const missing = lists.map((list) => missingScope(list).message).join('; ');
  return new SourceError(
    'incomplete',
    `Lists of people who must not be mailed cannot be read: ${missing}. Retry with a key that has the scopes.`,
  );
}

function tenantOf({ migration }: PhaseRun) {
  return { _id: migration.projectId };
}

function isForbidden(error: unknown): boolean {
  return error instanceof SourceError && error.kind === 'forbidden';
}
