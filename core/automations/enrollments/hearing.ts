import type { Contact } from '../../people/model.ts';
import { definitionOf } from '../definitions.ts';
import type { AutomationsDeps } from '../deps.ts';
import type { Enrollment, EventRecord, Heard, Trigger } from '../model.ts';
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
  const event = asPersonEvent(record);
  await hear(deps, record, [nameOfEvent(event.name)], (compiled, enrollment, contact) => {
    const { stepId, waitFrom, waitUntil, enteredAt } = enrollment;
    if (!waitFrom || !waitUntil || enrollment.event?.id.equals(record._id)) return null;
    const wait = { fromMs: waitFrom.getTime(), untilMs: waitUntil.getTime(), enteredMs: enteredAt.getTime() };
    const meant = stepMeant(compiled, stepId, event, { contact, wait });
    return meant === null ? null : { stepId: meant, at: event.at };
  });
}

/** The same for a change of the contact that reached goals, as far as the contact is still as they ask. */
export async function hearChange(deps: AutomationsDeps, { reached = [], at, ...place }: Trigger): Promise<void> {
  await hear(deps, place, reached, ({ graph, awaited }, { stepId }, contact) => {
    const step = graph.byId.get(stepId ?? '');
    const goals = step ? awaited.goalsFrom(step) : [];
    const goal = goals.find((one) => awaited.isMeant(one, { contact, nowMs: deps.clock.now().getTime() }));
    return goal ? { stepId: goal.stepId, at } : null;
  });
}

type HeardBy = (compiled: CompiledAutomation, enrollment: Enrollment, contact: Contact) => Heard | null;

async function hear(
  deps: AutomationsDeps,
  { projectId, contactId }: Pick<Enrollment, 'projectId' | 'contactId'>,
  names: string[],
  heardBy: HeardBy,
): Promise<void> {
  if (names.length === 0) return;
  const waiting = await deps.db.enrollments
    .find({ projectId, contactId, awaits: { $in: names } }, { projection: { _id: 1 }, hint: 'awaiting' })
    .toArray();
  const place = waiting.map(({ _id: enrollmentId }) => ({ projectId, enrollmentId }));
  await Promise.all(place.map((one) => wakeBy(deps, one, (enrollment) => judge(deps, enrollment, heardBy))));
}

/** null: the enrollment does not wait for it. */
async function judge(deps: AutomationsDeps, enrollment: Enrollment, heardBy: HeardBy): Promise<Heard | null> {
  const { projectId, automationId, contactId, version } = enrollment;
  const [automation, contact] = await Promise.all([
    deps.db.automations.findOne({ _id: automationId, projectId }),
    deps.db.contacts.findOne({ _id: contactId, projectId }),
  ]);
  if (!automation || !contact) return null;
  const compiled = await definitionOf(deps, automation, Math.max(version, automation.moveBefore));
  // A PATCH is replacing it: the job is tried again.
  if (!compiled) throw new Error('the definition of an automation is being replaced');
  return heardBy(compiled, enrollment, contact);
}

function asPersonEvent({ eventName, properties, createdAt }: EventRecord): PersonEvent {
  return { name: eventName, properties, at: createdAt };
}
