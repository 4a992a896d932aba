import type { MigrationNote } from '../model.ts';
import { SourceError, type SourceItem } from '../source.ts';
import type { PhaseRun } from './progress.ts';
import { withNotes } from './progress.ts';

export interface ItemOutcome {
  status: 'created' | 'updated' | 'skipped' | 'failed';
  errors?: string[];
  review?: string[];
  /** Added to the details of the phase. */
  counts?: Record<string, number>;
}

const ITEM_FAULTS = new Set<SourceError['kind']>(['not_found', 'malformed', 'too_large', 'refused']);

/** Concerns one item alone; other errors stop the phase. */
export function isFaultOfItem(error: unknown): error is SourceError {
  return error instanceof SourceError && ITEM_FAULTS.has(error.kind);
}

/**
 * Handles one item after the other, in the order of their ids, which stays the same whatever is added or deleted at the source: the cursor
 * is the last completed id, and is saved with the counts.
 */
export async function eachItem<Item extends SourceItem>(
  run: PhaseRun,
  { found, missing }: Wanted<Item>,
  migrate: (item: Item) => Promise<ItemOutcome>,
): Promise<void> {
  const inOrder = found.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const done = run.phase.cursor?.afterId;
  const isFirst = run.phase.cursor === null;
  await run.save({ total: found.length + missing.length, ...(isFirst ? unknown(run, missing) : {}) });
  for (const item of inOrder) {
    if (typeof done === 'string' && item.id <= done) continue;
    const outcome = await migrateOne(run, item, migrate);
    await run.save({ ...counted(run, item, outcome), cursor: { afterId: item.id } });
  }
}

function unknown({ phase }: PhaseRun, missing: string[]) {
  const notes = missing.map((item) => ({ item, message: 'The source knows no such id.' }));
  return { failed: missing.length, errors: withNotes(phase.errors, notes), cursor: { afterId: '' } };
}

async function migrateOne<Item extends SourceItem>(
  run: PhaseRun,
  item: Item,
  migrate: (item: Item) => Promise<ItemOutcome>,
): Promise<ItemOutcome> {
  try {
    run.signal?.throwIfAborted();
    return await migrate(item);
  } catch (error) {
    if (isFaultOfItem(error)) return { status: 'failed', errors: [error.message] };
    throw error;
  }
}

function counted(
  { phase }: PhaseRun,
  item: SourceItem,
  { status, errors = [], review = [], counts = {} }: ItemOutcome,
) {
  const notes: MigrationNote[] = review.map((message) => ({ item: item.name, message }));
  const details = { ...phase.details };
  for (const [name, number] of Object.entries(counts)) details[name] = (details[name] ?? 0) + number;
  const isDone = status === 'created' || status === 'updated';
  return {
    ...(isDone ? { succeeded: phase.succeeded + 1, [status]: phase[status] + 1 } : { [status]: phase[status] + 1 }),
    errors: withNotes(
      phase.errors,
      errors.map((message) => ({ item: item.name, message })),
    ),
    review: withNotes(phase.review, notes),
    details,
  };
}

interface Wanted<Item extends SourceItem> {
  found: Item[];
  /** Selected, but unknown to the source. */
  missing: string[];
}

/** The items of the source that are wanted: all, or the selected ones. */
export function wantedOf<Item extends SourceItem>(items: Item[], ids: string[] | null): Wanted<Item> {
  if (ids === null) return { found: items, missing: [] };
  const chosen = new Set(ids);
  const found = items.filter(({ id }) => chosen.has(id));
  const known = new Set(found.map(({ id }) => id));
  return { found, missing: ids.filter((id) => !known.has(id)) };
}
