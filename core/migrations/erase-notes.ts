import { batchesById } from '../base/database/batches.ts';
import { normalizeEmail } from '../base/text/addresses.ts';
import type { ErasedAddress } from '../people/addresses.ts';
import type { MigrationsDeps } from './deps.ts';
import type { Migration } from './model.ts';

const ERASED = 'erased';
const NOTES = {
  'phases.$[].errors.$[one].item': ERASED,
  'phases.$[].review.$[one].item': ERASED,
} as const;
const AT_ONCE = 50;
const OVER: ReadonlySet<Migration['status']> = new Set(['completed', 'completed_with_errors', 'failed', 'cancelled']);

/**
 * Erases the address of a deleted contact from the notes of migrations. A migration that is not over writes its notes from memory:
 * true while there is one with the address.
 */
export async function eraseMigrationNotes(
  { db }: MigrationsDeps,
  { projectId, email, since, deletedAt }: ErasedAddress,
): Promise<boolean> {
  let isOpen = false;
  const fields = { projectId: 1, status: 1, phases: 1, attention: 1, failureReason: 1, createdAt: 1, updatedAt: 1 };
  const options = { size: AT_ONCE, projection: fields };
  for await (const migrations of batchesById(db.migrations, { projectId }, options))
    for (const migration of migrations) {
      // Its notes are of another contact that has the address since, or had it before.
      if (migration.createdAt > deletedAt || (since && migration.updatedAt < since)) continue;
      const items = namesOf(migration, email);
      const texts = (['attention', 'failureReason'] as const).filter((field) => migration[field]?.includes(email));
      if (items.length + texts.length === 0) continue;
      if (!OVER.has(migration.status)) isOpen = true;
      else await erase({ db }, migration, items, texts);
    }
  return isOpen;
}

/** As the source wrote it. */
function namesOf({ phases }: Migration, email: string): string[] {
  const items = phases.flatMap(({ errors, review }) => [...errors, ...review].map(({ item }) => item));
  return [...new Set(items)].filter((item) => normalizeEmail(item) === email);
}

async function erase(
  { db }: Pick<MigrationsDeps, 'db'>,
  { _id, projectId }: Migration,
  items: string[],
  texts: ReadonlyArray<'attention' | 'failureReason'>,
): Promise<void> {
  const notes = items.length === 0 ? {} : NOTES;
  const arrayFilters = items.length === 0 ? [] : [{ 'one.item': { $in: items } }];
  const erased = Object.fromEntries(texts.map((field) => [field, ERASED]));
  await db.migrations.updateOne({ _id, projectId }, { $set: { ...notes, ...erased } }, { arrayFilters });
}
