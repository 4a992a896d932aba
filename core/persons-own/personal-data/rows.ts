import type { ObjectId } from 'mongodb';
import { batched } from '../../base/work/batched.ts';
import type { Contact } from '../../people/model.ts';
import type { Exported, Shown } from './model.ts';

type Rows = Exported['rows'];
type Db = Parameters<Rows>[0];

const TOGETHER = 200;

/** Only the named fields: a field that is added to a collection is not in the file by accident. */
export function pick<Doc extends { _id: unknown }>(doc: Doc, ...fields: Array<keyof Doc & string>): Shown {
  const set = fields.filter((field) => doc[field] !== undefined).map((field) => [field, doc[field]]);
  return { id: doc._id, ...Object.fromEntries(set) };
}

/** `show` returns null for a document that does not name the person. */
export async function* inBatches<Doc>(
  docs: AsyncIterable<Doc>,
  show: (doc: Doc) => Shown | null,
): AsyncGenerator<Shown[]> {
  for await (const batch of batched(docs, TOGETHER)) {
    const rows = batch.map(show).filter((row) => row !== null);
    if (rows.length > 0) yield rows;
  }
}

/** Nothing for an address without a contact. */
export function ofContact(
  rows: (deps: Db, whose: { projectId: ObjectId; contactId: ObjectId; contact: Contact }) => AsyncIterable<Shown[]>,
): Rows {
  return async function* (deps, { projectId, contact }) {
    if (contact) yield* rows(deps, { projectId, contactId: contact._id, contact });
  };
}
