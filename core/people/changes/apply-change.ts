import type { ObjectId } from 'mongodb';
import {
  CONTACT_FIELDS,
  type ContactField,
  PROPERTIES_BYTES_MAX,
  PROPERTIES_MAX,
} from '../../../schemas/people/contacts.ts';
import { AppError, conflict, invalid, notFound } from '../../base/errors.ts';
import { distinctIds } from '../../base/ids.ts';
import type { PropertyValue } from '../../base/model.ts';
import { coerce } from '../../base/text/coercion.ts';
import type { ConsentEvidence } from '../../consent/consents/model.ts';
import { changedValues, contactFields, propertiesBytes } from '../fields.ts';
import { type BehaviourKind, behaviourField, LIST_FIELD, TIME } from '../filters/filters.ts';
import type { Contact, ContactFact } from '../model.ts';
import type { ProjectRules } from '../project-rules.ts';
import { compareSegments, type View } from './compare-segments.ts';

/** New facts about a contact. */
export interface Behaved {
  kinds: Set<BehaviourKind>;
  facts: ContactFact[];
  /** Facts that are no longer true. */
  untrueIds: ObjectId[];
}

/** A change that a caller asks of one contact, named by id or by normalized address. */
export interface ContactChange {
  contactId?: ObjectId | undefined;
  email?: string | undefined;
  /** Made before the transaction, so that a repeat finds the contact that it created itself. */
  newId: ObjectId;
  /** The action when the contact is missing, and when it exists. */
  whenMissing: 'create' | 'leave';
  whenPresent: 'change' | 'refuse' | 'delete';
  /** null and undefined leave a value as it is, '' clears it. */
  set?: { [Field in 'email' | ContactField]?: string | null | undefined } | undefined;
  /** null removes a property. */
  properties?: Record<string, unknown> | undefined;
  /** Of a contact that is there: sets only fields and properties that are empty. */
  onlyFills?: boolean | undefined;
  addListIds?: ObjectId[] | undefined;
  removeListIds?: ObjectId[] | undefined;
  /** Compares the contact with every segment, even when nothing else of it changes. */
  recheckSegments?: boolean | undefined;
  /** Compares it with the segments that ask about what it did. */
  behaved?: Behaved | undefined;
  /** Compares it with the segments that have windows. */
  windowsPassed?: boolean | undefined;
  runWorkflow?: boolean | undefined;
  /** Recorded with the change, for the contact as it is afterwards; also when nothing else of it changes. */
  consent?: ConsentEvidence | undefined;
  /** The automations that led to it, each by a change of its own; the last one makes this change. */
  causedBy?: readonly ObjectId[] | undefined;
}

export interface ContactOutcome {
  kind: 'created' | 'changed' | 'unchanged' | 'missing' | 'deleted';
  before: Contact | null;
  after: Contact | null;
}

/** The contacts after the changes so far; `stored` is their state in the database. */
export interface Drafts {
  byId: Map<string, Contact>;
  byEmail: Map<string, Contact>;
  stored: Map<string, Contact>;
}

interface Surroundings extends View {
  projectId: ObjectId;
  /** Lists that were deleted after the request had found them. */
  goneListIds: ReadonlySet<string>;
}

/** Applies one change to the drafts. An item that cannot be applied returns its error and leaves the drafts as they were. */
export function applyChange(
  drafts: Drafts,
  rules: ProjectRules,
  change: ContactChange,
  around: Surroundings,
): ContactOutcome | AppError {
  try {
    const goneList = change.addListIds?.some((id) => around.goneListIds.has(id.toHexString()));
    if (goneList) throw notFound('CONTACT_LIST', 'listIds');
    const before = findDraft(drafts, change);
    if (!before)
      return change.whenMissing === 'create' ? create(drafts, rules, change, around) : outcome('missing', null, null);
    if (change.whenPresent === 'delete') return remove(drafts, before);
    // A repeat after a commit of unknown outcome meets the contact that it made itself.
    const isOwn = before._id.equals(change.newId);
    if (change.whenPresent === 'refuse' && !isOwn)
      throw conflict(
        'ALREADY_EXISTS',
        'A contact with this email exists already; upsert it with POST /contacts/email.',
        'email: is taken',
      );
    const after = changed(drafts, rules, before, change, around);
    if (after !== before) replaceDraft(drafts, before, after);
    if (after !== before) return outcome('changed', before, after);
    return outcome(isOwn ? 'created' : 'unchanged', before, after);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

function outcome(kind: ContactOutcome['kind'], before: Contact | null, after: Contact | null): ContactOutcome {
  return { kind, before, after };
}

function findDraft({ byId, byEmail }: Drafts, { contactId, email }: ContactChange): Contact | undefined {
  return contactId ? byId.get(contactId.toHexString()) : byEmail.get(email ?? '');
}

function create(drafts: Drafts, rules: ProjectRules, change: ContactChange, around: Surroundings): ContactOutcome {
  const { projectId, now } = around;
  if (!change.email) throw notFound('CONTACT');
  const defaults = [...rules.fields.values()].flatMap(({ fieldName, defaultValue }) =>
    defaultValue === null ? [] : [[fieldName, defaultValue]],
  );
  const contact: Contact = {
    _id: change.newId,
    projectId,
    email: change.email,
    ...contactFields((field) => change.set?.[field] || null),
    contactProperties: mergeProperties(rules, Object.fromEntries(defaults), change.properties),
    listIds: distinctIds(change.addListIds ?? []),
    segmentIds: [],
    ...(change.runWorkflow === false ? { isQuiet: true as const } : {}),
    createdAt: now,
    updatedAt: now,
  };
  Object.assign(contact, compareSegments(rules, contact, null, null, around));
  drafts.byId.set(contact._id.toHexString(), contact);
  drafts.byEmail.set(contact.email, contact);
  return outcome('created', null, contact);
}

function remove({ byId, byEmail }: Drafts, contact: Contact): ContactOutcome {
  byId.delete(contact._id.toHexString());
  byEmail.delete(contact.email);
  return outcome('deleted', contact, null);
}

/** Returns the same object when nothing changes. */
function changed(
  drafts: Drafts,
  rules: ProjectRules,
  before: Contact,
  change: ContactChange,
  around: Surroundings,
): Contact {
  const { now } = around;
  const after: Contact = { ...before };
  for (const field of CONTACT_FIELDS) {
    const given = change.set?.[field];
    if (change.onlyFills && before[field]) continue;
    if (given !== undefined && given !== null) after[field] = given === '' ? null : given;
  }
  const email = change.set?.email;
  if (email && email !== before.email) {
    if (drafts.byEmail.has(email))
      throw conflict('ALREADY_EXISTS', 'Another contact of this project has this email.', 'email: is taken');
    after.email = email;
  }
  const { contactProperties: stored } = before;
  after.contactProperties = mergeProperties(
    rules,
    stored,
    change.onlyFills ? without(change.properties, stored) : change.properties,
  );
  after.listIds = changeLists(before.listIds, change);
  const fields = new Set(changedValues(before, after).map(({ field }) => field));
  const isChanged = fields.size > 0 || after.listIds !== before.listIds;
  if (isChanged) {
    after.updatedAt = now;
    fields.add('updatedAt');
    if (after.listIds !== before.listIds) fields.add(LIST_FIELD);
  }
  for (const field of happened(rules, before, change, now)) fields.add(field);
  const isWoken = before.isQuiet === true && wakes(change, isChanged);
  if (fields.size === 0 && !isChanged && !isWoken && !change.recheckSegments) return before;
  if (change.behaved && fields.size > 0) after.factsAt = now;
  const compared = compareSegments(rules, after, before, change.recheckSegments ? null : fields, around);
  const { windowDueAt: _, isQuiet, ...rest } = after;
  const isSame = compared.windowDueAt === before.windowDueAt && after.factsAt === before.factsAt;
  if (!isChanged && !isWoken && isSame && compared.segmentIds === before.segmentIds) return before;
  return { ...rest, ...compared, ...(isQuiet && !isWoken ? { isQuiet } : {}) };
}

/** Whether automations may start for the contact from now on when only time passes. */
function wakes({ behaved, runWorkflow }: ContactChange, isChanged: boolean): boolean {
  return (isChanged && runWorkflow !== false) || (behaved?.facts.length ?? 0) > 0;
}

/** A segment that this change alters is entered or left because of the time, and of nothing else. */
export function isByTime({ windowsPassed, recheckSegments }: ContactChange, before: Contact, now: Date): boolean {
  const isDue = before.windowDueAt !== undefined && before.windowDueAt <= now;
  return windowsPassed === true || (recheckSegments === true && isDue);
}

/** Changes that segments may ask about, other than of fields. */
function happened(
  rules: ProjectRules,
  before: Contact,
  { behaved, windowsPassed }: ContactChange,
  now: Date,
): string[] {
  // Another process has compared the contact since it was found.
  const isDue = windowsPassed && before.windowDueAt && before.windowDueAt <= now;
  const isAsked = (kind: BehaviourKind) => rules.behaviours.some(({ behaviour }) => behaviour === kind);
  const asked = [...(behaved?.kinds ?? [])].filter(isAsked);
  return [...asked.map(behaviourField), ...(isDue ? [TIME] : [])];
}

function replaceDraft({ byId, byEmail }: Drafts, before: Contact, after: Contact): void {
  byId.set(after._id.toHexString(), after);
  byEmail.delete(before.email);
  byEmail.set(after.email, after);
}

function mergeProperties(
  rules: ProjectRules,
  stored: Record<string, PropertyValue>,
  given: Record<string, unknown> = {},
): Record<string, PropertyValue> {
  const entries = Object.entries(given);
  if (entries.length === 0) return stored;
  const merged = { ...stored };
  for (const [name, value] of entries) {
    if (value === null) delete merged[name];
    else merged[name] = propertyValue(rules, name, value);
  }
  if (Object.keys(merged).length > PROPERTIES_MAX)
    throw invalid(
      `A contact holds ${PROPERTIES_MAX} properties at most.`,
      `contactProperties: must hold ${PROPERTIES_MAX} entries at most`,
    );
  if (samePairs(stored, merged)) return stored;
  refuseTooLarge(stored, merged);
  return merged;
}

/** A contact that is larger, of an earlier version, may become smaller. */
function refuseTooLarge(stored: Record<string, PropertyValue>, merged: Record<string, PropertyValue>): void {
  const bytes = propertiesBytes(merged);
  if (bytes <= PROPERTIES_BYTES_MAX || bytes < propertiesBytes(stored)) return;
  throw invalid(
    `The properties of a contact take ${PROPERTIES_BYTES_MAX} bytes at most, as JSON in UTF-8; with this change they take ${bytes}. ` +
      'Shorten or remove some of them.',
    `contactProperties: must take ${PROPERTIES_BYTES_MAX} bytes at most, as JSON in UTF-8`,
  );
}

/** A declared field is coerced to its type; others keep the type of the given value. */
function propertyValue(rules: ProjectRules, name: string, value: unknown): PropertyValue {
  const declared = rules.fields.get(name);
  if (!declared) return value as PropertyValue;
  const coerced = coerce(declared.fieldType, value);
  if (!coerced.ok)
    throw invalid(
      `contactProperties/${name} must be a ${declared.fieldType}, as its custom field says.`,
      `contactProperties/${name}: must be a ${declared.fieldType}`,
    );
  return coerced.value;
}

function without(given: Record<string, unknown> = {}, stored: Record<string, PropertyValue>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(given).filter(([name]) => !Object.hasOwn(stored, name)));
}

function samePairs(a: Record<string, PropertyValue>, b: Record<string, PropertyValue>): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name] && Object.hasOwn(b, name));
}

function changeLists(listIds: ObjectId[], { addListIds = [], removeListIds = [] }: ContactChange): ObjectId[] {
  const has = (ids: ObjectId[], id: ObjectId) => ids.some((one) => one.equals(id));
  const kept = listIds.filter((id) => !has(removeListIds, id));
  const added = distinctIds(addListIds).filter((id) => !has(kept, id));
  return kept.length === listIds.length && added.length === 0 ? listIds : [...kept, ...added];
}
