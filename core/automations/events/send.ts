import type { ObjectId } from 'mongodb';
import { EVENT_TEXT_MAX, type sendEventBody } from '../../../schemas/events/events.ts';
import type { Described } from '../../../schemas/schema.ts';
import { createBatcher } from '../../base/database/batcher.ts';
import { byProject } from '../../base/database/batches.ts';
import { isDuplicateKey } from '../../base/database/idempotent-insert.ts';
import { inTransaction } from '../../base/database/transactions.ts';
import type { CallerDeps } from '../../base/deps.ts';
import { oncePerCore } from '../../base/deps.ts';
import { AppError, invalid, notFound } from '../../base/errors.ts';
import { derivedId, parseId } from '../../base/ids.ts';
import type { Origin } from '../../base/maker.ts';
import type { Project, PropertyValue, Session } from '../../base/model.ts';
import { normalizeEmail } from '../../base/text/addresses.ts';
import { coerce } from '../../base/text/coercion.ts';
import { publishEvents } from '../../events/events.ts';
import { figuresUntil } from '../../events/listeners.ts';
import { wakeQueue } from '../../jobs/queue.ts';
import { changeContact } from '../../people/changes/changes.ts';
import type { Contact } from '../../people/model.ts';
import { type ProjectRules, projectRulesOf } from '../../people/project-rules.ts';
import type { AutomationsDeps } from '../deps.ts';
import type { EventDefinition, EventRecord } from '../model/event.ts';
import { AT_ONCE, EVENTS } from '../record-triggers.ts';
import { nameOfEvent } from '../rules/awaited.ts';

/** Code that follows custom events. */
interface EventSubscriber {
  /** In the transaction that records them; without one they were recorded long ago. */
  record(deps: CallerDeps, session: Session | undefined, projectId: ObjectId, events: EventRecord[]): Promise<void>;
  announce(deps: CallerDeps, projectId: ObjectId): void;
}

declare module '../../base/deps.ts' {
  interface Subscribers {
    customEvents: EventSubscriber;
  }
}

type SendEventInput = Described<typeof sendEventBody>;
const TOGETHER_MAX = 100;
/** A stream gets some events of a burst, not all of them. */
const STREAMED_MAX = 10;

/** With its checks in the documented order: a contact is created only after all of them have passed. */
export async function sendEvent(
  deps: AutomationsDeps,
  project: Project,
  { eventName, email, contactId, eventProperties }: SendEventInput,
  origin: Origin,
): Promise<EventRecord> {
  if (!email && !contactId)
    throw invalid(
      'Say whose event it is: email or contactId.',
      'email: is required without contactId',
      'EMAIL_OR_CONTACT_ID_REQUIRED',
    );
  const address = email && !contactId ? normalizeEmail(email) : null;
  const [rules, known] = await Promise.all([
    projectRulesOf(deps, project._id),
    address ? contacts(deps)({ projectId: project._id, email: address }) : null,
  ]);
  const properties = readEvent(rules, eventName, eventProperties ?? {});
  const contact = known ?? (await contactOf(deps, project, { address, contactId }, origin));
  const record: EventRecord = {
    _id: derivedId(origin.at, 'event', origin.seed.toHexString()),
    projectId: project._id,
    eventName,
    contactId: contact._id,
    properties,
    createdAt: origin.at,
    ...startedAutomations(rules, contact, { name: eventName, properties }),
  };
  const stored = await recorder(deps)(record);
  if (stored.dueAt) wakeQueue(deps, EVENTS, project._id);
  return stored;
}

/** The properties, coerced as the definition declares them. */
export function readEvent(
  { events }: ProjectRules,
  eventName: string,
  given: Record<string, unknown>,
): Record<string, PropertyValue> {
  const definition = events.get(eventName);
  if (!definition)
    throw new AppError('not_found', 'There is no such event in this project; create it with POST /events.', {
      code: 'EVENT_NOT_FOUND',
      details: 'eventName: names no event of this project',
    });
  return readValues(definition, given);
}

/** The event is its own trigger, so one write stores both. The automations that it may start, or wake people in, are known from memory. */
function startedAutomations(
  { entrances, awaited }: ProjectRules,
  contact: Contact,
  event: { name: string; properties: Record<string, PropertyValue> },
): Pick<EventRecord, 'automationIds' | 'dueAt'> {
  const automationIds = entrances
    .filter(({ entry }) => entry.eventName === event.name && entry.admits({ contact, event }))
    .map(({ _id }) => _id);
  if (automationIds.length > 0) return { automationIds, dueAt: AT_ONCE };
  return awaited.has(nameOfEvent(event.name)) ? { dueAt: AT_ONCE } : {};
}

function readValues({ properties }: EventDefinition, given: Record<string, unknown>): Record<string, PropertyValue> {
  const types = new Map(properties.map(({ propertyName, type }) => [propertyName, type]));
  const unknown = Object.keys(given).filter((name) => !types.has(name));
  if (unknown.length > 0) {
    const named = unknown.slice(0, 5).map((name) => `eventProperties/${name.slice(0, 64)}: is not declared`);
    throw invalid('The event declares no such property.', named.join('; '), 'UNKNOWN_PROPERTY');
  }
  const values: Record<string, PropertyValue> = {};
  for (const [name, value] of Object.entries(given)) {
    if (value === null) continue;
    const type = types.get(name) ?? 'string';
    const coerced = coerce(type, value);
    if (!coerced.ok || (typeof coerced.value === 'string' && !isText(coerced.value)))
      throw invalid(
        `eventProperties/${name} must be a ${type}, as the event declares.`,
        `eventProperties/${name}: must be a ${type}`,
        'INVALID_PROPERTY_VALUE',
      );
    values[name] = coerced.value;
  }
  return values;
}

function isText(text: string): boolean {
  return text.length <= EVENT_TEXT_MAX && text.isWellFormed() && !text.includes('\0');
}

/** contactId takes precedence. An unknown address creates its contact, which may start other automations. */
async function contactOf(
  deps: AutomationsDeps,
  project: Project,
  { address, contactId }: { address: string | null; contactId: SendEventInput['contactId'] },
  { at, seed }: Origin,
): Promise<Contact> {
  if (contactId) {
    const _id = parseId(contactId);
    const found = _id && (await deps.db.contacts.findOne({ _id, projectId: project._id }));
    if (!found) throw contactNotFound();
    return found;
  }
  if (!address) throw invalid('email must be an email address.', 'email: must be an email address');
  const { after } = await changeContact(deps, project, {
    email: address,
    newId: derivedId(at, 'contact', seed.toHexString()),
    whenMissing: 'create',
    whenPresent: 'change',
  });
  if (!after) throw contactNotFound();
  return after;
}

/** Contacts of requests that arrive together share a read. */
const contacts = oncePerCore(({ db }: AutomationsDeps) =>
  createBatcher(
    async (asked: { projectId: ObjectId; email: string }[]) => {
      const found = await Promise.all(
        byProject(asked).map(([projectId, some]) => {
          const emails = some.map(({ email }) => email);
          return db.contacts.find({ projectId, email: { $in: emails } }, { hint: 'email' }).toArray();
        }),
      );
      const nameOf = ({ projectId, email }: { projectId: ObjectId; email: string }) => `${projectId} ${email}`;
      const byName = new Map(found.flat().map((contact) => [nameOf(contact), contact]));
      return asked.map((one): Contact | null => byName.get(nameOf(one)) ?? null);
    },
    { sizeMax: TOGETHER_MAX, runsMax: 2, callers: 'requests' },
  ),
);

function contactNotFound(): AppError {
  const { kind, details } = notFound('CONTACT', 'contactId');
  return new AppError(kind, 'There is no such contact in this project.', {
    code: 'CONTACT_NOT_FOUND_FOR_EVENT',
    details,
  });
}

/** Events of requests that arrive together share a write. */
const recorder = oncePerCore((deps: AutomationsDeps) =>
  createBatcher((records: EventRecord[]) => insertAll(deps, records), {
    sizeMax: TOGETHER_MAX,
    runsMax: 2,
    callers: 'requests',
  }),
);

/** Under derived ids: a repeated request finds the event of its first try and returns it. */
async function insertAll(deps: AutomationsDeps, records: EventRecord[]): Promise<EventRecord[]> {
  const distinct = new Map(records.map((record) => [record._id.toHexString(), record]));
  try {
    await inTransaction(deps, (session) => insertWithFacts(deps, session, [...distinct.values()]));
    for (const [projectId, some] of byProject([...distinct.values()])) {
      deps.subscribers.customEvents.announce(deps, projectId);
      publishRecorded(deps, projectId, some);
    }
    return records;
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    const found = await findKnown(deps, records);
    const missing = [...distinct].flatMap(([id, record]) => (found.has(id) ? [] : [record]));
    if (missing.length === distinct.size) throw error;
    if (missing.length > 0) await insertAll(deps, missing);
    return records.map((record) => found.get(record._id.toHexString()) ?? record);
  }
}

/** For streams that ask for it, after the events are recorded: nothing depends on it. */
function publishRecorded(deps: AutomationsDeps, projectId: ObjectId, records: readonly EventRecord[]): void {
  const eraseAt = figuresUntil(deps);
  const events = records.slice(-STREAMED_MAX).map(({ _id, eventName, contactId, properties, createdAt }) => {
    const id = _id.toHexString();
    const data = { id, eventName, contactId: contactId.toHexString(), properties, createdAt };
    return { type: 'event.recorded' as const, key: id, data, eraseAt };
  });
  publishEvents(deps, projectId, events).catch((err) =>
    deps.log.warn({ err, projectId: projectId.toHexString() }, 'recorded events were not published to streams'),
  );
}

async function findKnown({ db }: AutomationsDeps, records: EventRecord[]): Promise<Map<string, EventRecord>> {
  const found = await Promise.all(
    byProject(records).map(([projectId, some]) => {
      const ids = some.map(({ _id }) => _id);
      return db.events.find({ _id: { $in: ids }, projectId }).toArray();
    }),
  );
  return new Map(found.flat().map((record) => [record._id.toHexString(), record]));
}

async function insertWithFacts(deps: AutomationsDeps, session: Session, records: EventRecord[]): Promise<void> {
  await deps.db.events.insertMany(records, { session });
  for (const [projectId, some] of byProject(records))
    await deps.subscribers.customEvents.record(deps, session, projectId, some);
}
