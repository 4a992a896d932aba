import type { AnyBulkWriteOperation, Collection, Document, ObjectId } from 'mongodb';
import { createBatcher } from '../../base/database/batcher.ts';
import { oncePerCore } from '../../base/deps.ts';
import { derivedId } from '../../base/ids.ts';
import { RateShare } from '../../base/limits/budgets.ts';
import { mapSomeAtOnce } from '../../base/work/some-at-once.ts';
import { again, type DueOutcome, documentQueue, done, settled } from '../../jobs/document-queue.ts';
import { type JobQueue, wakeQueue } from '../../jobs/queue.ts';
import { mailChannel } from '../../mail/messages/messages.ts';
import type { Contact } from '../../people/model.ts';
import type { AutomationsDeps } from '../deps.ts';
import type { Automation } from '../model/automation.ts';
import type { Enrollment, Trigger, TriggerOutcome } from '../model/enrollment.ts';
import type { EventRecord } from '../model/event.ts';
import { ENROLLMENTS, EVENTS, TRIGGERS } from '../record-triggers.ts';
import { refusedBy } from '../rules/entering/chain.ts';
import { reentryOf } from '../rules/entering/reentry.ts';
import { advanceEnrollment, currentWait, firstMoves } from './advance.ts';
import { commitMove } from './commit.ts';
import { eraseDeleted } from './exit.ts';
import { hearChange, hearEvent } from './hearing.ts';

const ENROLL_CONCURRENCY = 16;
/** Time of the second erasure, for enrollments and data written by a request that read the contact before it was deleted. */
const ERASE_AGAIN_MS = 60_000;
const NOTES_TOGETHER_MAX = 64;
const ADVANCED_AT_ONCE = 16;

/** Contact changes that may enroll a contact, or by which it reaches a goal. */
export function triggerQueue(deps: AutomationsDeps): JobQueue {
  return documentQueue<Trigger>(deps, {
    name: TRIGGERS,
    collection: deps.db.triggers,
    field: 'dueAt',
    concurrencyMax: 8,
    run: (trigger) => (isDeletion(trigger) ? erase(deps, trigger) : followTrigger(deps, trigger)),
  });
}

/** Custom events that may enroll a contact, or that it waits for in an automation. */
export function eventQueue(deps: AutomationsDeps): JobQueue {
  return documentQueue<EventRecord>(deps, {
    name: EVENTS,
    collection: deps.db.events,
    field: 'dueAt',
    concurrencyMax: 8,
    run: (event) => followEvent(deps, event),
  });
}

/** Starts runs and wakes waiting ones, at the rate that Temporal can bear, with projects taking turns. */
export function enrollmentQueue(deps: AutomationsDeps): JobQueue {
  return documentQueue<Enrollment>(deps, {
    name: ENROLLMENTS,
    collection: deps.db.enrollments,
    field: 'dueAt',
    concurrencyMax: ENROLL_CONCURRENCY,
    allowance: enrollmentStarts(deps),
    run: async (enrollment) => {
      const { _id, projectId, automationId, contactId, status, asked } = enrollment;
      const run = {
        enrollmentId: _id.toHexString(),
        projectId: projectId.toHexString(),
        automationId: automationId.toHexString(),
        contactId: contactId.toHexString(),
      };
      if (status !== 'active') await deps.workflows.wakeEnrollment(run);
      else if (asked) await deps.workflows.enroll(run, { isNew: false });
      else await deps.workflows.enroll(run, { isNew: true, wait: await currentWait(deps, enrollment) });
      return done;
    },
  });
}

const enrollmentStarts = oncePerCore(
  ({ budgets, config }: AutomationsDeps) =>
    new RateShare(budgets, {
      name: 'enrollments',
      amount: config.enrollPerSecond,
      roles: ['background'],
      isFirst: false,
    }),
);

async function followTrigger(deps: AutomationsDeps, trigger: Trigger): Promise<DueOutcome> {
  const { _id, projectId, contactId, automationIds, causedBy, at } = trigger;
  const outcomes = await enterAll(deps, { _id, projectId, contactId, automationIds, causedBy, at, event: null });
  await hearChange(deps, trigger);
  const note = { $set: { outcomes, doneAt: deps.clock.now() }, $unset: { dueAt: '', dueAtBy: '' } };
  await noteTrigger(deps)({ updateOne: { filter: { _id, projectId }, update: note } });
  return settled;
}

async function followEvent(deps: AutomationsDeps, record: EventRecord): Promise<DueOutcome> {
  const { _id, projectId, contactId, eventName, properties, createdAt, automationIds = [] } = record;
  const event = { id: _id, name: eventName, properties };
  const occasion = { _id, projectId, contactId, automationIds, at: createdAt, event };
  const outcomes = await enterAll(deps, occasion);
  await hearEvent(deps, record);
  const note = { $set: { outcomes }, $unset: { dueAt: '', dueAtBy: '' } };
  await noteEvent(deps)({ updateOne: { filter: { _id, projectId }, update: note } });
  return settled;
}

const noteTrigger = oncePerCore(({ db }: AutomationsDeps) => outcomeRecorder(db.triggers));
const noteEvent = oncePerCore(({ db }: AutomationsDeps) => outcomeRecorder(db.events));

/** Outcomes of triggers that are processed at the same time are written together. */
function outcomeRecorder<Doc extends Document>(
  collection: Collection<Doc>,
): (note: AnyBulkWriteOperation) => Promise<void> {
  const documents = collection as unknown as Collection<Document>;
  const write = async (notes: AnyBulkWriteOperation[]) => {
    await documents.bulkWrite(notes, { ordered: false });
    return notes.map(() => undefined);
  };
  return createBatcher(write, { sizeMax: NOTES_TOGETHER_MAX, runsMax: 2, callers: 'jobs' });
}

interface Occasion {
  _id: ObjectId;
  projectId: ObjectId;
  contactId: ObjectId;
  automationIds: ObjectId[];
  /** Of a change: the automations that led to it. */
  causedBy?: ObjectId[] | undefined;
  at: Date;
  event: Enrollment['event'];
}

/** May run twice: the enrollment's id is derived from trigger and automation, so the second time finds it. */
async function enterAll(deps: AutomationsDeps, occasion: Occasion): Promise<TriggerOutcome[]> {
  const { projectId, contactId, automationIds, causedBy = [] } = occasion;
  if (automationIds.length === 0) return [];
  const [contact, automations] = await Promise.all([
    deps.db.contacts.findOne({ _id: contactId, projectId }),
    deps.db.automations.find({ _id: { $in: automationIds }, projectId, status: 'active', deletedAt: null }).toArray(),
  ]);
  const active = new Map(automations.map((automation) => [automation._id.toHexString(), automation]));
  const outcomes = await Promise.all(
    automationIds.map(async (automationId): Promise<TriggerOutcome> => {
      const automation = active.get(automationId.toHexString());
      if (!contact) return { automationId, result: 'skipped', reason: 'contact_deleted' };
      if (!automation) return finishEntry(deps, occasion, automationId);
      const refused = refusedBy(causedBy, automationId);
      if (refused) return { automationId, result: 'skipped', reason: refused };
      const [outcome] = await enterTogether(deps, automation, [entryOf(occasion, contact, automation)]);
      return outcome === 'entered'
        ? { automationId, result: 'entered' }
        : { automationId, result: 'skipped', ...(outcome && { reason: outcome }) };
    }),
  );
  if (outcomes.some(({ result }) => result === 'entered')) wakeQueue(deps, ENROLLMENTS, projectId);
  return outcomes;
}

/** Of an automation that is no longer active: an earlier try may have entered the contact, and failed before its first steps. */
async function finishEntry(deps: AutomationsDeps, occasion: Occasion, automationId: ObjectId): Promise<TriggerOutcome> {
  const { projectId } = occasion;
  const enrollmentId = enrollmentIdOf(occasion, automationId);
  const found = await deps.db.enrollments.findOne({ _id: enrollmentId, projectId }, { projection: { _id: 1 } });
  if (!found) return { automationId, result: 'skipped', reason: 'not_active' };
  await advanceEnrollment(deps, { projectId, enrollmentId }, 0);
  return { automationId, result: 'entered' };
}

/** A contact that enters; `_id` is the enrollment's, the same at every try. */
export interface Entry extends Pick<Enrollment, '_id' | 'event' | 'causedBy' | 'occurredAt'> {
  contact: Contact;
  /** The first event of its history says it. */
  reason: string;
}

type Entered = 'entered' | NonNullable<TriggerOutcome['reason']>;

/**
 * Different contacts, of which each may have entered in an earlier try. The first steps need no run: they are taken with the entry, and
 * only an enrollment that reaches a wait gets a run.
 */
export async function enterTogether(
  deps: AutomationsDeps,
  automation: Automation,
  entries: Entry[],
): Promise<Entered[]> {
  const { projectId } = automation;
  const reentry = reentryOf(automation);
  const entering = entries.map((entry) => ({
    enrollment: newEnrollment(deps, entry, automation),
    contact: entry.contact,
  }));
  const inside = await idsInside(deps, automation, entries);
  const free = entering.filter(({ contact }) => !inside.has(contact._id.toHexString()));
  const firsts = await firstMoves(deps, automation, free);
  const firstOf = new Map(free.map(({ enrollment }, index) => [enrollment, firsts[index]]));
  const outcomes = await Promise.all(
    entering.map(async ({ enrollment, contact }) => {
      const other = inside.get(contact._id.toHexString());
      if (other && !other.equals(enrollment._id)) return 'inside';
      const first = firstOf.get(enrollment);
      // Without `live` or `once` nothing would keep two triggers of one moment from both entering.
      const isWhole = first && (first.after.live || first.after.once || reentry === 'after_exit');
      const alone = { before: null, after: enrollment, reentry };
      const outcome = await commitMove(deps, projectId, isWhole ? { ...first, reentry } : alone);
      if (isWhole && outcome === 'written') return 'entered';
      const entered = outcome === 'refused' ? await commitMove(deps, projectId, alone) : outcome;
      return entered === 'written' || entered === 'stale' || entered === 'refused' ? 'unfinished' : entered;
    }),
  );
  if (firsts.some((first) => first?.mails?.length)) wakeQueue(deps, mailChannel('automation'), projectId);
  return mapSomeAtOnce(outcomes, ADVANCED_AT_ONCE, async (outcome, index): Promise<Entered> => {
    if (outcome !== 'unfinished') return outcome;
    // An earlier try may have enrolled the contact and failed after that.
    await advanceEnrollment(deps, { projectId, enrollmentId: (entries[index] as Entry)._id }, 0);
    return 'entered';
  });
}

/** The enrollments that contacts are inside by, by contact. */
async function idsInside(
  deps: AutomationsDeps,
  { _id: automationId, projectId }: Automation,
  entries: Entry[],
): Promise<Map<string, ObjectId>> {
  const contactId = { $in: entries.map(({ contact }) => contact._id) };
  const found = await deps.db.enrollments
    .find({ projectId, automationId, contactId, live: true }, { projection: { contactId: 1 }, hint: 'inside_once' })
    .toArray();
  return new Map(found.map(({ _id, contactId: id }) => [id.toHexString(), _id]));
}

function enrollmentIdOf({ _id, at }: Occasion, automationId: ObjectId): ObjectId {
  return derivedId(at, 'enrollment', _id.toHexString(), automationId.toHexString());
}

function entryOf(occasion: Occasion, contact: Contact, { _id: automationId, entryCriteria }: Automation): Entry {
  const { at, event, causedBy = [] } = occasion;
  return {
    _id: enrollmentIdOf(occasion, automationId),
    contact,
    event,
    ...(causedBy.length > 0 ? { causedBy } : {}),
    occurredAt: at,
    reason: event ? `event ${event.name}` : entryCriteria.type,
  };
}

function newEnrollment(deps: AutomationsDeps, entry: Entry, automation: Automation): Enrollment {
  const { _id, contact, event, causedBy, occurredAt, reason } = entry;
  const { _id: automationId, projectId, version } = automation;
  const now = deps.clock.now();
  return {
    _id,
    projectId,
    automationId,
    contactId: contact._id,
    status: 'active',
    live: true,
    ...(reentryOf(automation) === 'once' ? { once: true as const } : {}),
    version,
    revision: 1,
    started: false,
    parked: false,
    stepId: null,
    waitFrom: null,
    waitUntil: null,
    exitReason: null,
    event,
    ...(causedBy && { causedBy }),
    history: [{ type: 'entered', at: now, reason }],
    enteredAt: now,
    ...(occurredAt && occurredAt < now && { occurredAt }),
    updatedAt: now,
    endedAt: null,
  };
}

function isDeletion({ automationIds, reached }: Trigger): boolean {
  return automationIds.length === 0 && !reached;
}

async function erase(deps: AutomationsDeps, { _id, projectId, contactId, erasedAt }: Trigger): Promise<DueOutcome> {
  await eraseDeleted(deps, projectId, contactId);
  const now = deps.clock.now();
  if (!erasedAt) {
    await deps.db.triggers.updateOne({ _id, projectId }, { $set: { erasedAt: now } });
    return again(new Date(now.getTime() + ERASE_AGAIN_MS));
  }
  await deps.db.triggers.updateOne({ _id, projectId }, { $set: { doneAt: now }, $unset: { dueAt: '', dueAtBy: '' } });
  return settled;
}
