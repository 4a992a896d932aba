import { BSON, type ObjectId } from 'mongodb';
import { mapSomeAtOnce } from '../../base/work/some-at-once.ts';
import type { MailAct } from '../../people/behaviour/note.ts';
import type { Contact } from '../../people/model.ts';
import { projectRulesOf } from '../../people/project-rules.ts';
import { definitionOf } from '../definitions.ts';
import type { AutomationsDeps } from '../deps.ts';
import type { Enrollment, Trigger } from '../model/enrollment.ts';
import type { EventRecord } from '../model/event.ts';
import {
  type MailEvent,
  nameOfEvent,
  nameOfMailEvent,
  type MailAct as PersonAct,
  type PersonEvent,
  stepMeant,
} from '../rules/awaited.ts';
import type { CompiledAutomation } from '../rules/compile.ts';
import { type Hearing, wakeBy } from './wake.ts';

/** Mail of a person, with our mail that it answers. */
interface Reply {
  projectId: ObjectId;
  inReplyTo: ObjectId | null;
  at: Date;
}

/** So many events of a person are looked at, and so much of them, the newest: many people are looked at in one process. */
const LOOKED_AT_MAX = 1_000;
const LOOKED_AT_BYTES_MAX = 4 * 1_048_576;
const READ_AT_ONCE = 16;
const HEARD_AT_ONCE = 8;

/** For the caller a person enters with the event or the change that leads to it. */
export function occurrenceOf({
  enteredAt,
  occurredAt = enteredAt,
}: Pick<Enrollment, 'enteredAt' | 'occurredAt'>): Date {
  return occurredAt;
}

/** The custom events of the person since the entry, as far as steps ask for them; the oldest first. */
export async function eventsSince(
  { db }: AutomationsDeps,
  { projectId, contactId, event, ...entered }: Enrollment,
  { awaited: { eventNames } }: CompiledAutomation,
): Promise<PersonEvent[]> {
  if (eventNames.size === 0) return [];
  const pipeline = [
    { $match: { projectId, contactId, createdAt: { $gte: occurrenceOf(entered) } } },
    { $sort: { createdAt: -1, _id: -1 } },
    { $limit: LOOKED_AT_MAX },
    { $match: { eventName: { $in: [...eventNames] } } },
  ];
  const options = { hint: 'contact_newest', batchSize: READ_AT_ONCE };
  const found: PersonEvent[] = [];
  let bytes = 0;
  for await (const record of db.events.aggregate<EventRecord>(pipeline, options)) {
    bytes += BSON.calculateObjectSize(record);
    if (bytes > LOOKED_AT_BYTES_MAX) break;
    if (!event?.id.equals(record._id)) found.push(asPersonEvent(record));
  }
  return found.reverse();
}

/** Records a custom event on the enrollments of its contact that wait for it. */
export async function hearEvent(deps: AutomationsDeps, record: EventRecord): Promise<void> {
  const event = asPersonEvent(record);
  await hear(deps, record, [nameOfEvent(event.name)], async (compiled, enrollment, contact) => {
    const { stepId, waitFrom, waitUntil } = enrollment;
    if (!waitFrom || !waitUntil || enrollment.event?.id.equals(record._id)) return null;
    const enteredMs = occurrenceOf(enrollment).getTime();
    const wait = { fromMs: waitFrom.getTime(), untilMs: waitUntil.getTime(), enteredMs };
    const meant = await stepMeant(compiled, stepId, event, { contact, wait });
    return meant === null ? null : { heard: [{ stepId: meant, at: event.at }], looks: true };
  });
}

/** The same for a change of the contact that reached goals, as far as the contact is still as they ask. */
export async function hearChange(deps: AutomationsDeps, { reached = [], at, ...place }: Trigger): Promise<void> {
  await hear(deps, place, reached, ({ graph, awaited }, { stepId }, contact) => {
    const step = graph.byId.get(stepId ?? '');
    const goals = step ? awaited.goalsFrom(step) : [];
    const goal = goals.find((one) => awaited.isMeant(one, { contact, nowMs: deps.clock.now().getTime() }));
    return goal ? { heard: [{ stepId: goal.stepId, at }], looks: true } : null;
  });
}

const MAIL_EVENT_OF: Partial<Record<MailAct['kind'], MailEvent>> = {
  humanOpened: 'email.opened',
  humanClicked: 'email.clicked',
};

/** The same for acts of people on mails of automations. May be repeated. */
export async function hearActs(deps: AutomationsDeps, projectId: ObjectId, acts: MailAct[]): Promise<void> {
  const meant = acts.flatMap(({ kind, automationId, at, ...act }): OfMail[] => {
    const event = MAIL_EVENT_OF[kind];
    return event && automationId && at ? [{ ...act, projectId, automationId, event, at }] : [];
  });
  await hearOfMails(deps, projectId, meant);
}

/** The same for an answer to a mail. */
export async function hearReply(deps: AutomationsDeps, { projectId, inReplyTo, at }: Reply): Promise<void> {
  if (!inReplyTo) return;
  const projection = { contactId: 1, automationId: 1 } as const;
  const message = await deps.db.messages.findOne({ _id: inReplyTo, projectId }, { projection });
  const { contactId, automationId } = message ?? {};
  if (!contactId || !automationId) return;
  await hearOfMails(deps, projectId, [
    { projectId, contactId, automationId, messageId: inReplyTo, event: 'email.replied', at },
  ]);
}

type OfMail = Pick<Enrollment, 'projectId' | 'contactId' | 'automationId'> &
  Omit<PersonAct, 'emailStepId'> & { messageId: ObjectId; at: Date };

/** Where no automation waits for it, this costs one read of the version of the project rules. */
async function hearOfMails(deps: AutomationsDeps, projectId: ObjectId, acts: OfMail[]): Promise<void> {
  if (acts.length === 0) return;
  const { awaited } = await projectRulesOf(deps, projectId);
  const named = acts.map((act) => ({ act, name: nameOfMailEvent({ _id: act.automationId }, act.event) }));
  const waitedFor = named.filter(({ name }) => awaited.has(name));
  await mapSomeAtOnce(waitedFor, HEARD_AT_ONCE, ({ act, name }) => hear(deps, act, [name], hearingOfMail(act)));
}

function hearingOfMail({ event, url, messageId, at }: OfMail): HearingOf {
  return ({ graph, awaited }, { stepId: current, waitUntil, history }) => {
    const emailStepId = history.find(({ emailId }) => emailId?.equals(messageId))?.stepId;
    const step = graph.byId.get(current ?? '');
    if (emailStepId === undefined || !step || !waitUntil) return null;
    const waits = awaited.waitsFrom(step, { event, url, emailStepId });
    const inTime = waits.filter(({ stepId }) => stepId !== current || at <= waitUntil);
    if (inTime.length === 0) return null;
    const heard = inTime.map(({ stepId }) => ({ stepId, at }));
    return { heard, looks: heard.some(({ stepId }) => stepId === current) };
  };
}

type HearingOf = (
  compiled: CompiledAutomation,
  enrollment: Enrollment,
  contact: Contact,
) => Hearing | null | Promise<Hearing | null>;

async function hear(
  deps: AutomationsDeps,
  { projectId, contactId }: Pick<Enrollment, 'projectId' | 'contactId'>,
  names: string[],
  hearingOf: HearingOf,
): Promise<void> {
  if (names.length === 0) return;
  const waiting = await deps.db.enrollments
    .find({ projectId, contactId, awaits: { $in: names } }, { projection: { _id: 1 }, hint: 'awaiting' })
    .toArray();
  const place = waiting.map(({ _id: enrollmentId }) => ({ projectId, enrollmentId }));
  await Promise.all(place.map((one) => wakeBy(deps, one, (enrollment) => judge(deps, enrollment, hearingOf))));
}

/** null: the enrollment does not wait for it. */
async function judge(deps: AutomationsDeps, enrollment: Enrollment, hearingOf: HearingOf): Promise<Hearing | null> {
  const { projectId, automationId, contactId, version } = enrollment;
  const [automation, contact] = await Promise.all([
    deps.db.automations.findOne({ _id: automationId, projectId }),
    deps.db.contacts.findOne({ _id: contactId, projectId }),
  ]);
  if (!automation || !contact) return null;
  const compiled = await definitionOf(deps, automation, Math.max(version, automation.moveBefore));
  // A PATCH is replacing it: the job is tried again.
  if (!compiled) throw new Error('the definition of an automation is being replaced');
  return hearingOf(compiled, enrollment, contact);
}

function asPersonEvent({ eventName, properties, createdAt }: EventRecord): PersonEvent {
  return { name: eventName, properties, at: createdAt };
}
