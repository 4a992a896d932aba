import { definitionOf } from '../definitions.ts';
import type { AutomationsDeps } from '../deps.ts';
import type { Enrollment, EventRecord, Heard } from '../model.ts';
import { nameOfEvent, type PersonEvent, stepMeant } from '../rules/awaited.ts';
import type { CompiledAutomation } from '../rules/compile.ts';
import { wakeBy } from './wake.ts';

/** So many events of a person are looked at, the newest. */
const LOOKED_AT_MAX = 1_000;

/** The custom events of the person since the entry, as far as steps ask for them; the oldest first. */
export async function eventsSince(
  { db }: AutomationsDeps,
  { projectId, contactId, enteredAt, event }: Enrollment,
  { awaited: { eventNames } }: CompiledAutomation,
): Promise<PersonEvent[]> {
  if (eventNames.size === 0) return [];
  const pipeline = [
    { $match: { projectId, contactId, createdAt: { $gte: enteredAt } } },
    { $sort: { createdAt: -1, _id: -1 } },
    { $limit: LOOKED_AT_MAX },
    { $match: { eventName: { $in: [...eventNames] } } },
  ];
  const found = await db.events.aggregate<EventRecord>(pipeline, { hint: 'contact_newest' }).toArray();
  return found
    .filter(({ _id }) => !event?.id.equals(_id))
    .map(asPersonEvent)
    .reverse();
}

/** Records a custom event on the enrollments of its contact that wait for it. */
export async function hearEvent(deps: AutomationsDeps, record: EventRecord): Promise<void> {
  const { projectId, contactId, eventName } = record;
  const waiting = await deps.db.enrollments
    .find({ projectId, contactId, awaits: nameOfEvent(eventName) }, { projection: { _id: 1 }, hint: 'awaiting' })
    .toArray();
  await Promise.all(
    waiting.map(({ _id: enrollmentId }) =>
      wakeBy(deps, { projectId, enrollmentId }, (enrollment) => heardBy(deps, enrollment, record)),
    ),
  );
}

/** null: it is not the event that the enrollment waits for. */
async function heardBy(deps: AutomationsDeps, enrollment: Enrollment, record: EventRecord): Promise<Heard | null> {
  const { projectId, automationId, contactId, version, stepId, waitFrom, waitUntil, enteredAt } = enrollment;
  if (!waitFrom || !waitUntil || enrollment.event?.id.equals(record._id)) return null;
  const [automation, contact] = await Promise.all([
    deps.db.automations.findOne({ _id: automationId, projectId }),
    deps.db.contacts.findOne({ _id: contactId, projectId }),
  ]);
  if (!automation || !contact) return null;
  const compiled = await definitionOf(deps, automation, Math.max(version, automation.moveBefore));
  // A PATCH is replacing it: the job of the event is tried again.
  if (!compiled) throw new Error('the definition of an automation is being replaced');
  const event = asPersonEvent(record);
  const wait = { fromMs: waitFrom.getTime(), untilMs: waitUntil.getTime(), enteredMs: enteredAt.getTime() };
  const meant = stepMeant(compiled, stepId, event, { contact, wait });
  return meant === null ? null : { stepId: meant, at: event.at };
}

function asPersonEvent({ eventName, properties, createdAt }: EventRecord): PersonEvent {
  return { name: eventName, properties, at: createdAt };
}
