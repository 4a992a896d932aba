import type { ObjectId } from 'mongodb';
import { namingOf } from '../../people/addresses.ts';
import type { Contact } from '../../people/model.ts';
import type { Exported, Shown } from './model.ts';

type Rows = Exported['rows'];
type Db = Parameters<Rows>[0];

/** Only the named fields: a field that is added to a collection is not in the file by accident. */
export function pick<Doc extends { _id: unknown }>(doc: Doc, ...fields: Array<keyof Doc & string>): Shown {
  const set = fields.filter((field) => doc[field] !== undefined).map((field) => [field, doc[field]]);
  return { id: doc._id, ...Object.fromEntries(set) };
}

/** A document may have megabytes: each is a row before the next one is taken. */
export async function* rowsOf<Doc>(docs: AsyncIterable<Doc>, show: (doc: Doc) => Shown): AsyncGenerator<Shown> {
  for await (const doc of docs) yield show(doc);
}

/** Rows of documents that name an address in `field`, and whose `time` is one at which it was the person's. */
export function named(
  field: string,
  time: string,
  rows: (deps: Db, which: { projectId: ObjectId; [field: string]: unknown }) => AsyncIterable<Shown>,
): Rows {
  return async function* (deps, { projectId, addresses }) {
    for (const which of namingOf(addresses, field, time)) yield* rows(deps, { projectId, ...which });
  };
}

/** Nothing for an address without a contact. */
export function ofContact(
  rows: (deps: Db, whose: { projectId: ObjectId; contactId: ObjectId; contact: Contact }) => AsyncIterable<Shown>,
): Rows {
  return async function* (deps, { projectId, contact }) {
    if (contact) yield* rows(deps, { projectId, contactId: contact._id, contact });
  };
}
