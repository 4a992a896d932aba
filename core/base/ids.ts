import { hash } from 'node:crypto';
import { type Collection, type Filter, ObjectId, type WithId } from 'mongodb';
import type { Resource } from '../../schemas/error-codes.ts';
import { notFound } from './errors.ts';

const OBJECT_ID = /^[0-9a-f]{24}$/i;

/** null for anything that is not an id: `new ObjectId` would make a new one of null and take any twelve bytes. */
export function parseId(text: unknown): ObjectId | null {
  return typeof text === 'string' && OBJECT_ID.test(text) ? new ObjectId(text) : null;
}

/** The document of a project that a caller names; `field` is where the call names it. */
export async function findById<T extends { projectId: ObjectId }>(
  collection: Collection<T>,
  project: { _id: ObjectId },
  id: string,
  resource: Resource,
  field?: string,
): Promise<WithId<T>> {
  const _id = parseId(id);
  const found = _id && (await collection.findOne({ _id, projectId: project._id } as unknown as Filter<T>));
  if (!found) throw notFound(resource, field);
  return found;
}

export function distinctIds(ids: readonly ObjectId[]): ObjectId[] {
  return [...new Map(ids.map((id) => [id.toHexString(), id])).values()];
}

/** No id of that second, or of a later one, is below it; times outside the range of ids are clamped. */
export function firstIdAt(ms: number): ObjectId {
  return ObjectId.createFromTime(Math.min(0xffffffff, Math.max(0, Math.floor(ms / 1000))));
}

/** The ids made in this time, to the second; null: without that limit. */
export function idsWithin({ since, until }: { since?: Date | null | undefined; until: Date | null }) {
  const after = until ? until.getTime() + 1_000 : Number.POSITIVE_INFINITY;
  return { $gte: firstIdAt(since?.getTime() ?? 0), $lt: firstIdAt(after) };
}

/** Four bytes of seconds and eight of a hash: a repeat with the same parts makes the same id, and old ones are a range. */
export function derivedId(at: Date, ...parts: Array<string | number>): ObjectId {
  const bytes = Buffer.alloc(12);
  bytes.writeUInt32BE(Math.floor(at.getTime() / 1000), 0);
  bytes.write(hash('sha256', parts.join('\u0000'), 'binary'), 4, 8, 'latin1');
  return new ObjectId(bytes);
}
