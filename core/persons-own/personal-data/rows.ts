import type { ObjectId } from 'mongodb';
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

/** Nothing for an address without a contact. */
export function ofContact(
  rows: (deps: Db, whose: { projectId: ObjectId; contactId: ObjectId; contact: Contact }) => AsyncIterable<Shown>,
): Rows {
  return async function* (deps, { projectId, contact }) {
    if (contact) yield* rows(deps, { projectId, contactId: contact._id, contact });
  };
}
