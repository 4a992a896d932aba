import type { ObjectId } from 'mongodb';
import { eachItem, type ItemOutcome, wantedOf } from '../progress/each-item.ts';
import type { PhaseRun } from '../progress/progress.ts';
import type { SourceA, SourceB, SourceItem } from '../source.ts';
import { linkedList, makeList } from '../target.ts';

export async function contactLists(run: PhaseRun, source: SourceA): Promise<boolean> {
  const { listIds } = run.migration.selection;
  if (listIds?.length === 0) return false;
  await eachItem(run, wantedOf(await source.listLists(), listIds), (list) => migrateList(run, list));
  return true;
}

/** Provider B's audiences, now called segments there. */
export async function audiences(run: PhaseRun, source: SourceB): Promise<boolean> {
  const { listIds } = run.migration.selection;
  if (listIds?.length === 0) return false;
  await eachItem(run, wantedOf(await source.listSegments(), listIds), (list) => migrateList(run, list));
  return true;
}

async function migrateList({ deps, migration }: PhaseRun, list: SourceItem): Promise<ItemOutcome> {
  return { status: await makeList(deps, migration, list) };
}

/** The list here for each list there; lists that were left out are not included. */
export async function targetLists<Item extends SourceItem>(
  { deps, migration }: PhaseRun,
  lists: Item[],
): Promise<{ source: Item; listId: ObjectId }[]> {
  const found: { source: Item; listId: ObjectId }[] = [];
  for (const source of lists) {
    const listId = await linkedList(deps, migration, source);
    if (listId) found.push({ source, listId });
  }
  return found;
}
