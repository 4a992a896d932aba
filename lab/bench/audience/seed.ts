import { ObjectId } from 'mongodb';
import { globalListId } from '../../../core/people/global-list.ts';
import type { Contact } from '../../../core/people/model.ts';
import { say } from '../run.ts';
import { properties, type Stage } from './stage.ts';

const CONTACTS_AT_ONCE = 5_000;

/** Everybody as an import leaves them, written past the product: for parts of the bench that do not measure imports. */
export async function seedContacts({ drill, contacts, listIds, segments, personOf }: Stage): Promise<void> {
  const { deps, project } = drill;
  const projectId = project._id;
  const lists = new Map(listIds.map((id) => [id, new ObjectId(id)]));
  const taking = segments.map(({ id, takes }) => ({ id: new ObjectId(id), takes }));
  const counts = new Map<string, number>();
  for (let from = 0; from < contacts; from += CONTACTS_AT_ONCE) {
    const now = new Date();
    const people = Array.from({ length: Math.min(CONTACTS_AT_ONCE, contacts - from) }, (_, offset): Contact => {
      const { values, listId, ...person } = personOf(from + offset);
      const segmentIds = taking.flatMap(({ id, takes }) => (takes(personOf(from + offset)) ? [id] : []));
      for (const id of [listId, ...segmentIds.map(String)]) counts.set(id, (counts.get(id) ?? 0) + 1);
      const contactProperties = Object.fromEntries(properties.map((name, column) => [name, values[column] ?? 0]));
      const rest = { userId: null, mobile: null, listIds: [lists.get(listId) as ObjectId], segmentIds };
      return { _id: new ObjectId(), projectId, ...person, ...rest, contactProperties, createdAt: now, updatedAt: now };
    });
    await deps.db.contacts.insertMany(people, { ordered: false });
  }
  counts.set(globalListId(project).toHexString(), contacts);
  await deps.db.listCounts.insertMany(
    [...counts].map(([id, count]) => ({ _id: `${id}:15`, projectId, listId: new ObjectId(id), count })),
  );
  say(`wrote ${contacts} contacts`);
}
