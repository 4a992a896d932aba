import { ObjectId } from 'mongodb';
import {
  type ContactField,
  FOUND_PROPERTIES_BYTES_MAX,
  type updateContactBody,
} from '../../../schemas/people/contacts.ts';
import type { Described } from '../../../schemas/schema.ts';
import { invalid, notFound } from '../../base/errors.ts';
import { derivedId, findById, parseId } from '../../base/ids.ts';
import type { Origin } from '../../base/maker.ts';
import type { Project } from '../../base/model.ts';
import { type Page, type PageOf, paginationOf, READ_TIME_MAX_MS, skipOf } from '../../base/paging.ts';
import { normalizeEmail, requireEmail } from '../../base/text/addresses.ts';
import { breather } from '../../base/work/breathe.ts';
import type { ConsentEvidence } from '../../consent/consents/model.ts';
import { parseConsent } from '../../consent/consents/parse.ts';
import type { ConsentProject } from '../../consent/consents/record.ts';
import { changeContact, changeContactsInSlices } from '../changes/changes.ts';
import { countContacts } from '../changes/counts.ts';
import type { PeopleDeps } from '../deps.ts';
import { contactFields, propertiesBytes } from '../fields.ts';
import { listsNamed } from '../lists/lists.ts';
import type { Contact } from '../model.ts';
import { findByPart } from '../search.ts';

const FOUND_AT_ONCE = 50;

type ContactInput = Described<typeof updateContactBody>;

export function upsertContact(
  deps: PeopleDeps,
  project: Project,
  input: ContactInput,
  origin: Origin,
): Promise<Contact> {
  return makeContact(deps, project, input, origin, 'change');
}

export function createContact(
  deps: PeopleDeps,
  project: Project,
  input: ContactInput,
  origin: Origin,
): Promise<Contact> {
  return makeContact(deps, project, input, origin, 'refuse');
}

async function makeContact(
  deps: PeopleDeps,
  project: Project,
  input: ContactInput,
  origin: Origin,
  whenPresent: 'change' | 'refuse',
): Promise<Contact> {
  const addListIds = await listsNamed(deps, project, input.listIds);
  const { after } = await changeContact(deps, project, {
    email: requireEmail(input.email),
    newId: contactId(origin),
    whenMissing: 'create',
    whenPresent,
    ...requestedFields(input),
    addListIds,
    consent: requestedConsent(deps, project, input, { at: origin.at, listIds: addListIds }),
  });
  return after as Contact;
}

export async function updateContact(
  deps: PeopleDeps,
  project: Project,
  id: string,
  input: ContactInput,
  { at }: Pick<Origin, 'at'>,
): Promise<Contact> {
  const email = input.email === undefined ? undefined : requireEmail(input.email);
  const { set, properties } = requestedFields(input);
  const contactId = requireId(id);
  const addListIds = await listsNamed(deps, project, input.listIds);
  const { after } = await changeContact(deps, project, {
    contactId,
    newId: new ObjectId(),
    whenMissing: 'leave',
    whenPresent: 'change',
    set: { ...set, email },
    properties,
    addListIds,
    consent: requestedConsent(deps, project, input, { at, listIds: addListIds }),
  });
  if (!after) throw notFound('CONTACT');
  return after;
}

export function getContact(deps: PeopleDeps, project: Project, id: string): Promise<Contact> {
  return findById(deps.db.contacts, project, id, 'CONTACT');
}

export async function deleteContact(deps: PeopleDeps, project: Project, id: string): Promise<void> {
  const deleted = await deleteContacts(deps, project, [requireId(id)]);
  if (deleted === 0) throw notFound('CONTACT');
}

/** Deletes all contacts that share a userId. */
export async function deleteContactsOfUser(deps: PeopleDeps, project: Project, userId: string): Promise<number> {
  const found = await deps.db.contacts
    .find({ projectId: project._id, userId }, { projection: { _id: 1 }, hint: 'user' })
    .toArray();
  const deleted = await deleteContacts(
    deps,
    project,
    found.map(({ _id }) => _id),
  );
  if (deleted === 0) throw notFound('CONTACT');
  return deleted;
}

/** An unknown or invalid address deletes nothing. */
export async function deleteContactsByEmail(deps: PeopleDeps, project: Project, emails: string[]): Promise<number> {
  const found = await deps.db.contacts
    .find(withEmails(project, emails), { projection: { _id: 1 }, hint: 'email' })
    .toArray();
  return deleteContacts(
    deps,
    project,
    found.map(({ _id }) => _id),
  );
}

/** One at a time, so that large contacts neither fill the memory nor hold the event loop. */
export async function findContactsByEmail(deps: PeopleDeps, project: Project, emails: string[]): Promise<Contact[]> {
  const reading = { hint: 'email', batchSize: FOUND_AT_ONCE };
  const contacts: Contact[] = [];
  const pause = breather();
  let bytes = 0;
  for await (const contact of deps.db.contacts.find(withEmails(project, emails), reading).sort({ email: 1 })) {
    bytes += propertiesBytes(contact.contactProperties);
    // A contact alone is found, however large an earlier version let it become.
    if (bytes > FOUND_PROPERTIES_BYTES_MAX && contacts.length > 0) throw tooMuchFound();
    contacts.push(contact);
    await pause();
  }
  return contacts;
}

function withEmails({ _id: projectId }: Pick<Project, '_id'>, emails: string[]) {
  const normal = new Set(emails.flatMap((email) => normalizeEmail(email) ?? []));
  return { projectId, email: { $in: [...normal] } };
}

function tooMuchFound() {
  const most = `${FOUND_PROPERTIES_BYTES_MAX / 1_048_576} MiB`;
  return invalid(
    `The contacts with these addresses have over ${most} of properties together; ask for fewer at a time.`,
    `emails: must name fewer contacts, with ${most} of properties together at most`,
  );
}

/** Newest first, or by address when a part of an address is given. */
export async function listContacts(
  deps: PeopleDeps,
  project: Project,
  { search, ...page }: Page & { search?: string | undefined },
): Promise<PageOf<Contact>> {
  const { page: number = 1, limit = 20 } = page;
  const skip = skipOf(number, limit);
  const projectId = project._id;
  if (!search) {
    const reading = { hint: 'newest', skip, limit, maxTimeMS: READ_TIME_MAX_MS };
    const entries = await deps.db.contacts.find({ projectId }, reading).sort({ _id: -1 }).toArray();
    return { entries, pagination: paginationOf(number, limit, await countContacts(deps, project)) };
  }
  const { total, emails } = await findByPart(deps, { filter: { projectId }, hint: 'email' }, search, { skip, limit });
  const entries = await deps.db.contacts
    .find({ projectId, email: { $in: emails } }, { hint: 'email', maxTimeMS: READ_TIME_MAX_MS })
    .sort({ email: 1 })
    .toArray();
  return { entries, pagination: paginationOf(number, limit, total) };
}

async function deleteContacts(deps: PeopleDeps, project: Project, contactIds: ObjectId[]): Promise<number> {
  const changes = contactIds.map((contactId) => ({ ...DELETION, contactId, newId: contactId }));
  let deleted = 0;
  await changeContactsInSlices(deps, project, changes, (outcome) => {
    if ('kind' in outcome && outcome.kind === 'deleted') deleted += 1;
  });
  return deleted;
}

const DELETION = { whenMissing: 'leave', whenPresent: 'delete' } as const;

/** The change of a body that has the fields of a contact. */
export function requestedFields({
  contactProperties,
  customFields,
  ...input
}: Pick<ContactInput, ContactField | 'contactProperties' | 'customFields'>) {
  return { set: contactFields((field) => input[field]), properties: { ...customFields, ...contactProperties } };
}

/** The consent of a call, for the lists that the call adds to. */
export function requestedConsent(
  { clock }: Pick<PeopleDeps, 'clock'>,
  project: ConsentProject,
  { consent }: { consent?: unknown },
  { at, listIds }: { at: Date; listIds: ObjectId[] },
): ConsentEvidence | undefined {
  if (consent === undefined) return undefined;
  const parsed = parseConsent(project, consent, { at, now: clock.now() });
  if (!parsed.ok) throw invalid(`The consent is not valid: ${parsed.problem}.`, parsed.problem);
  return { ...parsed.evidence, ...(listIds.length > 0 ? { listIds } : {}) };
}

function requireId(id: string): ObjectId {
  const _id = parseId(id);
  if (!_id) throw notFound('CONTACT');
  return _id;
}

function contactId({ at, seed }: Origin): ObjectId {
  return derivedId(at, 'contact', seed.toHexString());
}
