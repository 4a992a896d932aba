import type { ObjectId } from 'mongodb';
import type { Project } from '../../base/model.ts';
import { breather } from '../../base/work/breathe.ts';
import { addressesOf } from '../../people/addresses.ts';
import { getContact } from '../../people/contacts/contacts.ts';
import type { Contact } from '../../people/model.ts';
import type { PersonsOwnDeps } from '../deps.ts';
import type { Person } from './model.ts';
import { sections } from './table.ts';

export async function personOfContact(deps: PersonsOwnDeps, project: Project, contactId: string): Promise<Person> {
  return personOf(deps, await getContact(deps, project, contactId));
}

/** A person without a contact has data too: mails, and what stops them. */
export async function personOfAddress(
  { db }: Pick<PersonsOwnDeps, 'db'>,
  projectId: ObjectId,
  email: string,
): Promise<Person> {
  const contact = await db.contacts.findOne({ projectId, email }, { hint: 'email' });
  if (contact) return personOf({ db }, contact);
  return { projectId, email, contact, addresses: [{ email, since: null, until: null }] };
}

async function personOf({ db }: Pick<PersonsOwnDeps, 'db'>, contact: Contact): Promise<Person> {
  const { projectId, email } = contact;
  return { projectId, email, contact, addresses: await addressesOf({ db }, projectId, [contact], 'file') };
}

/** One JSON object with a part for each collection, a row in each piece. A file that broke off is no JSON. */
export async function* exportPerson(
  deps: Pick<PersonsOwnDeps, 'db' | 'clock'>,
  project: Pick<Project, 'name'>,
  person: Person,
): AsyncGenerator<string> {
  const pause = breather();
  const head = { project: project.name, email: person.email, madeAt: deps.clock.now() };
  yield JSON.stringify(head, null, 1).slice(0, -2);
  for (const { section, rows } of sections) {
    yield `,\n${JSON.stringify(section)}: [`;
    let between = '\n';
    for await (const row of rows(deps, person)) {
      yield between + JSON.stringify(row);
      between = ',\n';
      await pause();
    }
    yield ']';
  }
  yield '\n}\n';
}
