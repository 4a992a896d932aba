import { ObjectId } from 'mongodb';
import type { PropertyValue, Session } from '../../base/model.ts';
import type { PeopleDeps } from '../deps.ts';
import { changedValues } from '../fields.ts';
import type { Contact, ContactHistory, FieldChange } from '../model.ts';
import type { ProjectRules } from '../project-rules.ts';
import type { PublishedChange } from '../subscribers.ts';

/** Of one change; more of them only count. */
const FIELDS_KEPT_MAX = 50;
const VALUE_KEPT_MAX = 200;

type Reading = { db: Pick<PeopleDeps['db'], 'contactHistory' | 'contacts'> };

/** In the transaction of the change, so that each change is in the history once. */
export async function recordHistory(
  { db, clock }: PeopleDeps,
  session: Session,
  projectId: ObjectId,
  _rules: ProjectRules,
  changes: PublishedChange[],
): Promise<void> {
  const at = clock.now();
  const written = changes.flatMap((change) => historyOf(change, { projectId, at }) ?? []);
  if (written.length > 0) await db.contactHistory.insertMany(written, { session });
}

/** An address that a contact had before. */
export interface FormerAddress {
  email: string;
  /** When the contact left it, if another contact has it now, to which later mail belongs. null: no other contact has it. */
  until: Date | null;
}

/** As long as the history of the contacts is kept; mail and events that name an address are kept no longer. */
export async function formerAddresses(
  { db }: Reading,
  projectId: ObjectId,
  contactIds: ObjectId[],
  session?: Session,
): Promise<FormerAddress[]> {
  const changes = await db.contactHistory
    .find(
      { projectId, contactId: { $in: contactIds }, 'fields.field': 'email' },
      { ...(session ? { session } : {}), projection: { at: 1, fields: 1 }, hint: 'addresses' },
    )
    .toArray();
  const left = new Map<string, Date>();
  for (const { at, fields = [] } of changes)
    for (const { field, from } of fields) {
      if (field !== 'email' || typeof from !== 'string') continue;
      const known = left.get(from);
      if (!known || known < at) left.set(from, at);
    }
  if (left.size === 0) return [];
  const others = { projectId, email: { $in: [...left.keys()] }, _id: { $nin: contactIds } };
  const found = await db.contacts
    .find(others, { ...(session ? { session } : {}), projection: { email: 1 }, hint: 'email' })
    .toArray();
  const taken = new Set(found.map(({ email }) => email));
  return [...left].map(([email, at]) => ({ email, until: taken.has(email) ? at : null }));
}

/** The first contact that had the address and left it since this time. null: none did. */
export async function contactThatLeft(
  { db }: Reading,
  projectId: ObjectId,
  email: string,
  since: Date,
): Promise<ObjectId | null> {
  const left = {
    'fields.field': 'email',
    fields: { $elemMatch: { field: 'email', from: email } },
    at: { $gte: since },
  };
  const change = await db.contactHistory.findOne(
    { projectId, ...left },
    { projection: { contactId: 1 }, hint: 'former', sort: { at: 1 } },
  );
  return change?.contactId ?? null;
}

/** Filters of the documents that name these addresses: one for all that no other contact has, and one with a date for each of the others. */
export function namingOf(
  addresses: readonly FormerAddress[],
  field: string,
  time: string,
): Array<Record<string, unknown>> {
  const own = addresses.filter(({ until }) => until === null).map(({ email }) => email);
  const dated = addresses.flatMap(({ email, until }) => (until ? [{ [field]: email, [time]: { $lte: until } }] : []));
  return [...(own.length > 0 ? [{ [field]: { $in: own } }] : []), ...dated];
}

/** The same for deleted contacts, with the address that they had at the end. */
export async function namingDeleted(
  deps: Reading,
  session: Session,
  projectId: ObjectId,
  deleted: readonly Pick<Contact, '_id' | 'email'>[],
  ...[field, time]: [field: string, time: string]
): Promise<Array<Record<string, unknown>>> {
  const ids = deleted.map(({ _id }) => _id);
  const last = deleted.map(({ email }): FormerAddress => ({ email, until: null }));
  return namingOf([...last, ...(await formerAddresses(deps, projectId, ids, session))], field, time);
}

/** The addresses of deleted contacts, with former ones that no other contact has. */
export async function addressesOfDeleted(
  deps: Reading,
  session: Session,
  projectId: ObjectId,
  deleted: readonly Pick<Contact, '_id' | 'email'>[],
): Promise<string[]> {
  const ids = deleted.map(({ _id }) => _id);
  const former = await formerAddresses(deps, projectId, ids, session);
  const own = former.filter(({ until }) => until === null);
  return [...new Set([...deleted, ...own].map(({ email }) => email))];
}

function historyOf(
  { before, after, importId, causedBy }: PublishedChange,
  given: Pick<ContactHistory, 'projectId' | 'at'>,
): ContactHistory | null {
  if (!after) return null;
  const fields = before ? changedValues(before, after) : [];
  const automationId = causedBy?.at(-1);
  const joinedListIds = without(after.listIds, before?.listIds ?? []);
  const leftListIds = without(before?.listIds ?? [], after.listIds);
  if (before && fields.length + joinedListIds.length + leftListIds.length === 0) return null;
  return {
    ...{ _id: new ObjectId(), ...given, contactId: after._id, kind: before ? 'updated' : 'created' },
    ...(fields.length > 0
      ? { fields: fields.slice(0, FIELDS_KEPT_MAX).map(shortened), fieldCount: fields.length }
      : {}),
    ...(joinedListIds.length > 0 ? { joinedListIds } : {}),
    ...(leftListIds.length > 0 ? { leftListIds } : {}),
    ...(importId ? { importId } : {}),
    ...(automationId ? { automationId } : {}),
  };
}

/** An address is kept whole, since it finds what names it. */
function shortened({ field, from, to }: FieldChange): FieldChange {
  return field === 'email' ? { field, from, to } : { field, from: cut(from), to: cut(to) };
}

function cut(value: PropertyValue | null): PropertyValue | null {
  return typeof value === 'string' ? value.slice(0, VALUE_KEPT_MAX) : value;
}

function without(ids: ObjectId[], others: ObjectId[]): ObjectId[] {
  if (ids === others) return [];
  const known = new Set(others.map((id) => id.toHexString()));
  return ids.filter((id) => !known.has(id.toHexString()));
}
