import type { Filter, ObjectId } from 'mongodb';
import type { Deadline } from '../../base/limits/deadlines.ts';
import type { Session } from '../../base/model.ts';
import type { PeopleDeps } from '../deps.ts';
import { globalListId } from '../global-list.ts';
import type { Contact } from '../model.ts';

/** The contacts of lists and segments, each of them once. */
export interface Union {
  /** All contacts of the project, whatever the rest says. */
  isEverybody: boolean;
  lists: ObjectId[];
  segments: ObjectId[];
}

/** Reads of one moment, within one time. */
export interface Reading {
  deps: Pick<PeopleDeps, 'db'>;
  projectId: ObjectId;
  session: Session;
  deadline: Deadline;
}

type Counts = ReadonlyMap<string, number>;
type ContactFilter = Filter<Contact>;

/** The numbers of contacts that are kept with each list and segment. */
export async function keptCounts(
  { deps, projectId, session }: Omit<Reading, 'deadline'>,
  unions: readonly Union[],
): Promise<Counts> {
  const all = globalListId({ _id: projectId });
  const listIds = [all, ...unions.flatMap(({ lists, segments }) => [...lists, ...segments])];
  const rows = await deps.db.listCounts
    .aggregate<{ _id: ObjectId; count: number }>(
      [{ $match: { projectId, listId: { $in: listIds } } }, { $group: { _id: '$listId', count: { $sum: '$count' } } }],
      { hint: 'list', session },
    )
    .toArray();
  return new Map(rows.map(({ _id, count }) => [_id.toHexString(), count]));
}

/** An upper bound: contacts of several lists count several times. */
export function sizeAtMost(projectId: ObjectId, { isEverybody, lists, segments }: Union, counts: Counts): number {
  const everybody = counts.get(globalListId({ _id: projectId }).toHexString()) ?? 0;
  return isEverybody ? everybody : Math.min(everybody, sizeOf([...lists, ...segments], counts));
}

/** Contacts of one union and not of the other. */
export async function countWithout(reading: Reading, of: Union, without: Union, counts: Counts): Promise<number> {
  const { projectId } = reading;
  const all = await countUnion(reading, of, counts);
  if (isEmpty(without) || all === 0) return all;
  if (of.isEverybody) return all - (await countUnion(reading, without, counts));
  const [small, large] =
    sizeAtMost(projectId, without, counts) < sizeAtMost(projectId, of, counts) ? [without, of] : [of, without];
  return all - (await countScanned(reading, small, counts, isIn(large)));
}

/** The filter for contacts of one union and not of the other, of any project. */
export function membersFilter(of: Union, without: Union): ContactFilter {
  const isOf = of.isEverybody ? [] : [isIn(of)];
  const isNot = isEmpty(without) ? [] : [{ $nor: [isIn(without)] }];
  return isOf.length + isNot.length === 0 ? {} : { $and: [...isOf, ...isNot] };
}

export function isEmpty({ isEverybody, lists, segments }: Union): boolean {
  return !isEverybody && lists.length === 0 && segments.length === 0;
}

async function countUnion(reading: Reading, union: Union, counts: Counts): Promise<number> {
  const { isEverybody, lists, segments } = union;
  const one = [...lists, ...segments];
  if (isEverybody || one.length <= 1) return sizeAtMost(reading.projectId, union, counts);
  return countScanned(reading, union, counts, null);
}

/**
 * Counts along the indexes of lists and segments. A query for both is planned as a scan of the project, so the smaller part is counted
 * without the contacts of the larger one, for which contacts are read; the larger part is counted by keys alone.
 */
async function countScanned(
  reading: Reading,
  { lists, segments }: Union,
  counts: Counts,
  also: ContactFilter | null,
): Promise<number> {
  const parts = [
    { field: 'listIds', ids: lists, hint: 'list' },
    { field: 'segmentIds', ids: segments, hint: 'segment' },
  ].filter(({ ids }) => ids.length > 0);
  const [first, second] = parts.toSorted((a, b) => sizeOf(b.ids, counts) - sizeOf(a.ids, counts));
  if (!first) return 0;
  const among = (part: typeof first) => ({ [part.field]: { $in: part.ids } });
  const [most, rest] = await Promise.all([
    count(reading, { ...among(first), ...(also ? { $and: [also] } : {}) }, first.hint),
    second
      ? count(reading, { ...among(second), $nor: [among(first)], ...(also ? { $and: [also] } : {}) }, second.hint)
      : 0,
  ]);
  return most + rest;
}

function count({ deps, projectId, session, deadline }: Reading, filter: ContactFilter, hint: string): Promise<number> {
  return deps.db.contacts.countDocuments({ projectId, ...filter }, { hint, session, maxTimeMS: deadline.leftMs });
}

function isIn({ lists, segments }: Union): ContactFilter {
  return {
    $or: [
      ...(lists.length > 0 ? [{ listIds: { $in: lists } }] : []),
      ...(segments.length > 0 ? [{ segmentIds: { $in: segments } }] : []),
    ],
  };
}

function sizeOf(ids: readonly ObjectId[], counts: Counts): number {
  return ids.reduce((sum, id) => sum + (counts.get(id.toHexString()) ?? 0), 0);
}
