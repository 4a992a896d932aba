import type { ObjectId } from 'mongodb';
import { derivedId } from '../../base/ids.ts';
import { DAY_MS } from '../../base/time/durations.ts';
import { mapSomeAtOnce } from '../../base/work/some-at-once.ts';
import { again, type DueOutcome, documentQueue, done, settled } from '../../jobs/document-queue.ts';
import { type JobQueue, wakeQueue } from '../../jobs/queue.ts';
import type { Contact } from '../../people/model.ts';
import { membersOf } from '../../people/search.ts';
import type { AutomationsDeps } from '../deps.ts';
import { advanceEnrollment } from '../enrollments/advance.ts';
import { type Entry, enterTogether } from '../enrollments/enroll.ts';
import type { Enrollment } from '../model/enrollment.ts';
import { AT_ONCE, ENROLLMENTS } from '../record-triggers.ts';
import { ENROLLMENT_JOBS, MISSING_NAMED_MAX } from './jobs.ts';
import type { EnrollmentJob } from './model.ts';

/** Contacts between two writes of the progress. */
const BATCH = 100;
const FINISHED_AT_ONCE = 16;
/** Well below the lease of the queue. */
const TURN_MS = 10_000;
const NAMED_FOR_MS = DAY_MS;

/** Enters the contacts of jobs, a part of them in each turn, so that other jobs get theirs. */
export function enrollmentJobQueue(deps: AutomationsDeps): JobQueue {
  return documentQueue<EnrollmentJob>(deps, {
    name: ENROLLMENT_JOBS,
    collection: deps.db.enrollmentJobs,
    field: 'dueAt',
    concurrencyMax: 4,
    lookEveryMs: 500,
    run: (job) => runJob(deps, job),
  });
}

async function runJob(deps: AutomationsDeps, job: EnrollmentJob): Promise<DueOutcome> {
  if (job.completedAt) return forget(deps, job);
  const over = performance.now() + TURN_MS;
  for (let now: EnrollmentJob | null = job; now; now = await enterBatch(deps, now)) {
    if (now.completedAt) return again(new Date(now.completedAt.getTime() + NAMED_FOR_MS));
    if (performance.now() > over) return again(AT_ONCE);
  }
  return settled;
}

async function forget(deps: AutomationsDeps, { _id, projectId }: EnrollmentJob): Promise<DueOutcome> {
  await deps.db.enrollmentJobs.updateOne({ _id, projectId }, { $set: { missingNamed: [] } });
  return done;
}

interface Batch {
  contacts: Contact[];
  missing: ObjectId[];
  /** Of a list: the last address. */
  email: string | null;
}

/**
 * Enrollments have ids of the job and the contact, and a batch is counted from its own position only: a batch that a killed process
 * left, or that two processes work at, enters and counts each contact once. A contact that entered in an earlier try counts as entered,
 * whatever has become of it since. null: another process was faster.
 */
async function enterBatch(deps: AutomationsDeps, job: EnrollmentJob): Promise<EnrollmentJob | null> {
  const { projectId, automationId: _id, cursor } = job;
  const { contacts: found, missing, email } = await nextBatch(deps, job);
  if (found.length + missing.length === 0) return finish(deps, job);
  const { contacts, entered } = await withEntered(deps, job, found);
  const automation = await deps.db.automations.findOne({ _id, projectId, status: 'active', deletedAt: null });
  const isIn = ({ _id: contactId }: Contact) => entered.has(contactId.toHexString());
  await mapSomeAtOnce(contacts.filter(isIn), FINISHED_AT_ONCE, (contact) => takeFirstSteps(deps, job, contact));
  const others = contacts.filter((contact) => !isIn(contact));
  const outcomes = [
    ...contacts.filter(isIn).map(() => 'entered' as const),
    ...(automation
      ? await enterTogether(deps, automation, entriesOf(job, others))
      : others.map(() => 'not_active' as const)),
  ];
  if (outcomes.includes('entered')) wakeQueue(deps, ENROLLMENTS, projectId);
  const counts = Map.groupBy(outcomes, (outcome) => (outcome === 'entered' ? 'entered' : `skipped.${outcome}`));
  const looked = cursor.done + contacts.length + missing.length;
  const named = missing.map((id) => id.toHexString());
  return deps.db.enrollmentJobs.findOneAndUpdate(
    { _id: job._id, projectId, completedAt: null, 'cursor.done': cursor.done, 'cursor.email': cursor.email },
    {
      $set: { status: 'running', cursor: { done: looked, email }, updatedAt: deps.clock.now() },
      $inc: {
        ...Object.fromEntries([...counts].map(([field, some]) => [field, some.length])),
        missing: missing.length,
      },
      ...(job.list ? { $max: { total: looked } } : {}),
      $push: { missingNamed: { $each: named, $slice: MISSING_NAMED_MAX } },
    },
    { returnDocument: 'after' },
  );
}

/**
 * The contacts of a batch that are not counted yet, and the ids of those who entered in an earlier try. A person who entered by the job in an
 * earlier batch, and has another address since, is in a list twice: once under each.
 */
async function withEntered({ db }: AutomationsDeps, job: EnrollmentJob, contacts: Contact[]) {
  const { projectId, list, updatedAt } = job;
  const own = { projectId, _id: { $in: contacts.map((contact) => enrollmentId(job, contact)) } };
  const found = await db.enrollments.find(own, { projection: { contactId: 1, enteredAt: 1 }, hint: '_id_' }).toArray();
  const isCounted = ({ enteredAt }: Pick<Enrollment, 'enteredAt'>) => list !== undefined && enteredAt < updatedAt;
  const counted = new Set(found.filter(isCounted).map(({ contactId }) => contactId.toHexString()));
  return {
    contacts: contacts.filter(({ _id }) => !counted.has(_id.toHexString())),
    entered: new Set(found.map(({ contactId }) => contactId.toHexString())),
  };
}

/** The earlier try may have failed between the entry and its first steps; taken, they are not taken again. */
async function takeFirstSteps(deps: AutomationsDeps, job: EnrollmentJob, contact: Contact): Promise<void> {
  const { projectId } = job;
  await advanceEnrollment(deps, { projectId, enrollmentId: enrollmentId(job, contact) }, 0);
}

function enrollmentId({ _id, createdAt }: EnrollmentJob, contact: Contact): ObjectId {
  return derivedId(createdAt, 'enrollment', _id.toHexString(), contact._id.toHexString());
}

/** A person who leaves a list before their turn is not looked at, and does not count. */
function finish(deps: AutomationsDeps, { _id, projectId, list, cursor }: EnrollmentJob): Promise<EnrollmentJob | null> {
  const now = deps.clock.now();
  const total = list ? { total: cursor.done } : {};
  return deps.db.enrollmentJobs.findOneAndUpdate(
    { _id, projectId, completedAt: null, 'cursor.done': cursor.done },
    {
      $set: { status: 'completed', completedAt: now, updatedAt: now, 'cursor.email': null, ...total },
      $unset: { contactIds: '' },
    },
    { returnDocument: 'after' },
  );
}

async function nextBatch(
  deps: AutomationsDeps,
  { projectId, contactIds = [], list, cursor }: EnrollmentJob,
): Promise<Batch> {
  if (list) {
    const { filter, hint } = membersOf({ ...list, projectId });
    const further = cursor.email === null ? filter : { ...filter, email: { $gt: cursor.email } };
    const contacts = await deps.db.contacts.find(further, { hint, sort: { email: 1 }, limit: BATCH }).toArray();
    return { contacts, missing: [], email: contacts.at(-1)?.email ?? cursor.email };
  }
  const ids = contactIds.slice(cursor.done, cursor.done + BATCH);
  const contacts = await deps.db.contacts.find({ projectId, _id: { $in: ids } }).toArray();
  const known = new Set(contacts.map(({ _id }) => _id.toHexString()));
  return { contacts, missing: ids.filter((id) => !known.has(id.toHexString())), email: null };
}

/** The same at every try. */
function entriesOf(job: EnrollmentJob, contacts: Contact[]): Entry[] {
  return contacts.map((contact) => ({ _id: enrollmentId(job, contact), contact, event: null, reason: job.enteredBy }));
}
