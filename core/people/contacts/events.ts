import { ObjectId } from 'mongodb';
import type { Session } from '../../base/model.ts';
import { HOUR_MS } from '../../base/time/durations.ts';
import { announceEvents, eraseEventsAt, type NewEvent, publishEvents } from '../../events/events.ts';
import { eventReaders } from '../../events/listeners.ts';
import { namingOf } from '../addresses.ts';
import type { PeopleDeps } from '../deps.ts';
import { contactFields } from '../fields.ts';
import type { Contact } from '../model.ts';
import type { ProjectRules } from '../project-rules.ts';
import type { Deletion, PublishedChange } from '../subscribers.ts';

const ERASED_AFTER_MS = 12 * HOUR_MS;

/** In the transaction of the change: an event is neither lost nor invented. */
export async function recordContactEvents(
  deps: PeopleDeps,
  session: Session,
  projectId: ObjectId,
  _rules: ProjectRules,
  changes: PublishedChange[],
): Promise<void> {
  await publishEvents(
    deps,
    projectId,
    changes.flatMap((change) => eventOf(change) ?? []),
    session,
  );
}

/** Most projects have no reader, and then no message is published. */
export function announceContactEvents(deps: PeopleDeps, projectId: ObjectId): void {
  eventReaders(deps, projectId).then(
    ({ streamed, webhooks }) => {
      if (streamed.size > 0 || webhooks.length > 0) announceEvents(deps, projectId, webhooks.length > 0);
    },
    () => undefined,
  );
}

/**
 * Personal data of a deleted contact leaves the log within a day, after webhooks had time to send it; the deletion itself stays, with the
 * id alone.
 */
export async function recordEventsOfDeleted(
  { db, clock }: PeopleDeps,
  session: Session,
  projectId: ObjectId,
  { addresses }: Deletion,
): Promise<void> {
  const eraseAt = new Date(clock.now().getTime() + ERASED_AFTER_MS);
  for (const which of namingOf(addresses, 'data.email', 'createdAt')) {
    const named = { projectId, $and: [{ 'data.email': { $exists: true } }, which] };
    await eraseEventsAt({ db }, named, eraseAt, session);
  }
}

/** The transaction makes it happen once, so the key only has to be unique. */
function eventOf({ before, after }: PublishedChange): NewEvent | null {
  const key = new ObjectId().toHexString();
  if (after && !before) return { type: 'contact.created', key, data: contactData(after) };
  if (after) return { type: 'contact.updated', key, data: contactData(after) };
  return before && { type: 'contact.deleted', key, data: { id: before._id.toHexString() } };
}

/** A contact as events and answers show it. */
export function contactData(contact: Contact) {
  const { _id, email, contactProperties, listIds, segmentIds } = contact;
  const { createdAt, updatedAt } = contact;
  return {
    id: _id.toHexString(),
    email,
    ...contactFields((field) => contact[field]),
    contactProperties,
    listIds: listIds.map((id) => id.toHexString()),
    segmentIds: segmentIds.map((id) => id.toHexString()),
    createdAt,
    updatedAt,
  };
}
