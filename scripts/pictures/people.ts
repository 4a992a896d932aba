import { ObjectId } from 'mongodb';
import type { Deps } from '../../core/base/deps.ts';
import type { Contact } from '../../core/people/model.ts';

const first =
  'Ada Jonas Mira Erik Clara Tomas Ingrid Pavel Leila Henrik Sofia Marek Nina Oskar Ruth Daniel Hanna Felix'.split(' ');
const last =
  'Lindqvist Brandt Okafor Moreau Nowak Petersen Vasquez Keller Aaltonen Rossi Haugen Weber Dubois Svensson Marino Fischer Novak Larsen Schmidt Costa Berg Meyer Laurent Holm Vogel Ferrari Krause Jansen Hoffmann Bianchi'.split(
    ' ',
  );
const domains =
  'fjord letterbox postkasten courrier inkwell harbourmail lantern quayside birch northlight saltmail tidewater'.split(
    ' ',
  );
const genres = ['fiction', 'travel', 'cooking', 'history'];

interface Person {
  email: string;
  firstName: string;
  lastName: string;
}

/** The same person for the same number. */
export function personOf(index: number): Person {
  const firstName = first[index % first.length] ?? '';
  const lastName = last[Math.floor(index / first.length) % last.length] ?? '';
  const domain = domains[Math.floor(index / (first.length * last.length)) % domains.length] ?? '';
  return { firstName, lastName, email: `${firstName}.${lastName}@${domain}.example`.toLowerCase() };
}

/** Written past the product, with the count of their list. The newest come first in lists of the console. */
export async function addPeople(
  { db }: Pick<Deps, 'db'>,
  projectId: ObjectId,
  people: ReadonlyArray<{ index: number; listIds: ObjectId[] }>,
): Promise<void> {
  const at = new Date();
  const contacts = people.map(({ index, listIds }): Contact => {
    const contactProperties = { genre: genres[index % genres.length] ?? '', books: index % 9 };
    const rest = { userId: null, mobile: null, listIds, segmentIds: [], contactProperties };
    return { _id: new ObjectId(), projectId, ...personOf(index), ...rest, createdAt: at, updatedAt: at };
  });
  await db.contacts.insertMany(contacts, { ordered: false });
  const counts = new Map<string, number>();
  for (const { listIds } of people)
    for (const id of listIds) counts.set(id.toHexString(), (counts.get(id.toHexString()) ?? 0) + 1);
  await db.listCounts.insertMany(
    [...counts].map(([id, count]) => ({ _id: `${id}:15`, projectId, listId: new ObjectId(id), count })),
  );
}
