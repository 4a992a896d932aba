import { ObjectId } from 'mongodb';
import { afterCommit } from '../../base/database/transactions.ts';
import { AppError, invalid } from '../../base/errors.ts';
import { derivedId, parseId } from '../../base/ids.ts';
import type { Origin } from '../../base/maker.ts';
import type { Project } from '../../base/model.ts';
import { normalizeEmail } from '../../base/text/addresses.ts';
import type { ConsentProject } from '../../consent/consents/record.ts';
import { stoppedBy } from '../../consent/suppressions/rules.ts';
import { suppressionsAgainst } from '../../consent/suppressions/suppressions.ts';
import type { ContactOutcome } from '../changes/apply-change.ts';
import { changeContacts, changeContactsInSlices, IMPORT_CHANGES_TOGETHER_MAX } from '../changes/changes.ts';
import { withCount } from '../changes/counts.ts';
import type { PeopleDeps } from '../deps.ts';
import { GLOBAL_LIST } from '../global-list.ts';
import { findStoredList, segmentNamed } from '../lists/lists.ts';
import type { Contact } from '../model.ts';
import { requestedConsent } from './contacts.ts';

type Tenant = Pick<Project, '_id'>;

/** The contacts that a call names: by address or by id. */
interface Named {
  emails?: string[] | undefined;
  contactIds?: string[] | undefined;
}

interface Refused {
  email?: string;
  contactId?: string;
  message: string;
}

const statuses = { created: 'created', changed: 'added', unchanged: 'already_in_list' } as const;
type Status = (typeof statuses)[keyof typeof statuses];

interface AddedToList {
  added: number;
  created: number;
  alreadyInList: number;
  errors: Refused[];
  validation: {
    valid: { email: string; status: Status }[];
    invalid: Refused[];
    suppressed: string[];
  };
  totalContactsInList: number;
  /** The contacts that were created or added. */
  contacts: Contact[];
}

interface RemovedFromList {
  removed: number;
  notInList: number;
  errors: Refused[];
}

/** Suppressed addresses join too: lists hold the members, suppressions decide about mail. */
export async function addToList(
  deps: PeopleDeps,
  project: ConsentProject,
  { contactListId, consent: given, ...named }: Named & { contactListId: string; consent?: unknown },
  { at, seed }: Origin,
): Promise<AddedToList> {
  const { people, malformed } = readNamed(named);
  const list = await findStoredList(deps, project, contactListId, 'contactListId');
  if (list.type === 'segment') throw segmentNamed('contactListId');
  const suppressed = await suppressedAmong(deps, project, await addressesOf(deps, project, people));
  const { contactCount: countBefore } = await withCount(deps, list);
  const addListIds = list.type === 'global' ? [] : [list._id];
  const consent = requestedConsent(deps, project, { consent: given }, { at, listIds: addListIds });
  const outcomes = await changeContacts(
    deps,
    project,
    people.map(({ email, contactId }) => ({
      email,
      contactId,
      newId: derivedId(at, 'contact of list', seed.toHexString(), email ?? ''),
      whenMissing: email === undefined ? 'leave' : 'create',
      whenPresent: 'change',
      addListIds,
      consent,
    })),
    IMPORT_CHANGES_TOGETHER_MAX,
  );
  const read = outcomes.map((outcome, index) => readOutcome(people[index] as Person, outcome));
  const present = read.flatMap((one) => (one.kind === 'present' ? [one.present] : []));
  const refused = read.flatMap((one) => (one.kind === 'refused' ? [one.refused] : []));
  const valid = present.map(({ kind, after }) => ({ email: after.email, status: statuses[kind] }));
  const count = (status: Status) => valid.filter((entry) => entry.status === status).length;
  const listNow = await afterCommit(
    deps,
    () => withCount(deps, list),
    'the count of a list is shown by what was added',
  );
  return {
    added: count('added'),
    created: count('created'),
    alreadyInList: count('already_in_list'),
    errors: [...malformed.filter(({ email }) => email === undefined), ...refused],
    validation: {
      valid,
      invalid: malformed.filter(({ email }) => email !== undefined),
      suppressed: valid.map(({ email }) => email).filter((email) => suppressed.has(email)),
    },
    totalContactsInList: listNow?.contactCount ?? countBefore + count('added') + count('created'),
    contacts: present.filter(({ kind }) => kind !== 'unchanged').map(({ after }) => after),
  };
}

/** An unknown address is simply not in the list; an unknown id is an error. */
export async function removeFromList(
  deps: PeopleDeps,
  project: Tenant,
  contactListId: string,
  named: Named,
): Promise<RemovedFromList> {
  if (contactListId === GLOBAL_LIST)
    throw new AppError('invalid', 'Contacts cannot be removed from the global list; delete the contact instead.');
  const { people, malformed } = readNamed(named);
  const list = await findStoredList(deps, project, contactListId);
  if (list.type === 'segment') throw segmentNamed('contactListId');
  const answer: RemovedFromList = { removed: 0, notInList: 0, errors: malformed };
  const removal = { whenMissing: 'leave', whenPresent: 'change' } as const;
  const changes = people.map((person) => ({ ...removal, ...person, newId: new ObjectId(), removeListIds: [list._id] }));
  await changeContactsInSlices(deps, project, changes, (outcome, index) => {
    const read = readOutcome(people[index] as Person, outcome);
    if (read.kind === 'refused') answer.errors.push(read.refused);
    else if (read.kind === 'present' && read.present.kind === 'changed') answer.removed += 1;
    else answer.notInList += 1;
  });
  return answer;
}

interface Person {
  email?: string;
  contactId?: ObjectId;
}

/** Each contact once; malformed addresses and ids are listed. */
function readNamed({ emails, contactIds }: Named): { people: Person[]; malformed: Refused[] } {
  if ((emails === undefined) === (contactIds === undefined))
    throw invalid(
      'Give either emails or contactIds.',
      `emails: ${emails ? 'must not be given together with' : 'is required, or'} contactIds`,
    );
  const people = new Map<string, Person>();
  const malformed: Refused[] = [];
  for (const given of emails ?? []) {
    const email = normalizeEmail(given);
    if (email) people.set(email, { email });
    else malformed.push({ email: given, message: 'is not an email address' });
  }
  for (const given of contactIds ?? []) {
    const contactId = parseId(given);
    if (contactId) people.set(contactId.toHexString(), { contactId });
    else malformed.push({ contactId: given, message: UNKNOWN_CONTACT });
  }
  return { people: [...people.values()], malformed };
}

const UNKNOWN_CONTACT = 'There is no such contact in this project.';

interface Present {
  kind: keyof typeof statuses;
  after: Contact;
}

type Read = { kind: 'present'; present: Present } | { kind: 'refused'; refused: Refused } | { kind: 'unknown address' };

function readOutcome({ email, contactId }: Person, outcome: ContactOutcome | AppError): Read {
  const refuse = (message: string): Read => {
    const name = email === undefined ? { contactId: String(contactId) } : { email };
    return { kind: 'refused', refused: { ...name, message } };
  };
  if (outcome instanceof AppError) return refuse(outcome.message);
  if (outcome.kind in statuses) return { kind: 'present', present: outcome as Present };
  return email === undefined ? refuse(UNKNOWN_CONTACT) : { kind: 'unknown address' };
}

async function addressesOf({ db }: PeopleDeps, { _id: projectId }: Tenant, people: Person[]): Promise<string[]> {
  const ids = people.flatMap(({ contactId }) => contactId ?? []);
  if (ids.length === 0) return people.flatMap(({ email }) => email ?? []);
  const found = await db.contacts.find({ projectId, _id: { $in: ids } }, { projection: { email: 1 } }).toArray();
  return found.map(({ email }) => email);
}

/** The addresses that marketing mail without a group would not reach. */
async function suppressedAmong(deps: PeopleDeps, project: Tenant, emails: string[]): Promise<Set<string>> {
  const entries = await suppressionsAgainst(deps, project._id, emails);
  const isStopped = (email: string) => stoppedBy(entries.get(email) ?? [], MARKETING_WITHOUT_GROUP) !== null;
  return new Set(emails.filter(isStopped));
}

const MARKETING_WITHOUT_GROUP = { marketing: true, groupId: null, bypass: false };
