import type { Collections } from '../base/collections.ts';
import type { Upkeep } from './model.ts';

type Db = { db: Pick<Collections, 'upkeep'> };
type Fields = Partial<Omit<Upkeep, '_id'>>;

/** Stores these fields when nothing is stored under the name yet. */
export async function noteFirst({ db }: Db, _id: string, fields: Fields): Promise<void> {
  await db.upkeep.updateOne({ _id }, { $setOnInsert: fields }, { upsert: true });
}

export async function note({ db }: Db, _id: string, fields: Fields): Promise<void> {
  await db.upkeep.updateOne({ _id }, { $set: fields }, { upsert: true });
}

/** The work of this name until `until`, for one process; false: it is not due, or another process has it. */
export async function takeTurn({ db }: Db, _id: string, now: Date, until: Date): Promise<boolean> {
  const { matchedCount } = await db.upkeep.updateOne({ _id, dueAt: { $lte: now } }, { $set: { dueAt: until } });
  return matchedCount === 1;
}

/** The next time. A process that was too slow for its lease changes nothing. */
export async function endTurn({ db }: Db, _id: string, until: Date, dueAt: Date): Promise<void> {
  await db.upkeep.updateOne({ _id, dueAt: until }, { $set: { dueAt } });
}
