import type { ObjectId } from 'mongodb';
import type { enrollBody } from '../../../schemas/automations/enrollments.ts';
import type { Described } from '../../../schemas/schema.ts';
import { insertOnce } from '../../base/database/idempotent-insert.ts';
import { invalid, notFound } from '../../base/errors.ts';
import { derivedId, parseId } from '../../base/ids.ts';
import type { Origin } from '../../base/maker.ts';
import type { Project } from '../../base/model.ts';
import { normalizeEmail } from '../../base/text/addresses.ts';
import { breather } from '../../base/work/breathe.ts';
import { wakeQueue } from '../../jobs/queue.ts';
import { findList } from '../../people/lists/lists.ts';
import { getAutomation } from '../definitions.ts';
import type { AutomationsDeps } from '../deps.ts';
import { requireStatus } from '../lifecycle.ts';
import { AT_ONCE } from '../record-triggers.ts';
import type { EnrollmentJob } from './model.ts';

export const ENROLLMENT_JOBS = 'enrollment-jobs';
/** More are counted, and not named. */
export const MISSING_NAMED_MAX = 100;
const ADDRESSES_AT_ONCE = 1_000;

type Tenant = Pick<Project, '_id'>;
type Named = Described<typeof enrollBody>;

/** The contacts of the job, and what the caller named that is no contact. */
type Source = Pick<EnrollmentJob, 'contactIds' | 'list' | 'total' | 'missing' | 'missingNamed'>;

/** Entry criteria are not asked: the caller chose the people. `enteredBy` names the caller in the history of each. */
export async function startEnrollments(
  deps: AutomationsDeps,
  project: Tenant,
  automationId: string,
  named: Named,
  { at, seed, enteredBy }: Pick<Origin, 'at' | 'seed'> & { enteredBy: string },
): Promise<EnrollmentJob> {
  refuseSeveral(named);
  const automation = await getAutomation(deps, project, automationId);
  requireStatus(automation, ['active'], 'entered by hand');
  const job: EnrollmentJob = {
    _id: derivedId(at, 'enrollment job', seed.toHexString()),
    projectId: project._id,
    automationId: automation._id,
    status: 'queued',
    enteredBy,
    ...(await readSource(deps, project, named)),
    cursor: { done: 0, email: null },
    entered: 0,
    skipped: {},
    createdAt: at,
    updatedAt: at,
    completedAt: null,
    dueAt: AT_ONCE,
  };
  const stored = await insertOnce(deps.db.enrollmentJobs, job, { projectId: project._id });
  wakeQueue(deps, ENROLLMENT_JOBS, project._id);
  return stored;
}

export async function getEnrollmentJob(
  deps: AutomationsDeps,
  project: Tenant,
  automationId: string,
  jobId: string,
): Promise<EnrollmentJob> {
  const automation = await getAutomation(deps, project, automationId);
  const _id = parseId(jobId);
  const own = { projectId: project._id, automationId: automation._id };
  const found = _id && (await deps.db.enrollmentJobs.findOne({ _id, ...own }));
  if (!found) throw notFound('ENROLLMENT_JOB');
  return found;
}

/** People who were not looked at yet. */
export function pendingOf({ total, entered, skipped, missing }: EnrollmentJob): number {
  return Object.values(skipped).reduce((rest, count) => rest - count, total - entered - missing);
}

function refuseSeveral({ contactIds, emails, listId }: Named): void {
  const given = Object.entries({ contactIds, emails, listId }).filter(([, value]) => value !== undefined);
  if (given.length === 1) return;
  const [first, second] = given.map(([name]) => name);
  throw invalid(
    'Give one of contactIds, emails and listId.',
    first ? `${second}: must not be given together with ${first}` : 'contactIds: is required, or emails, or listId',
  );
}

async function readSource(deps: AutomationsDeps, project: Tenant, named: Named): Promise<Source> {
  const { contactIds, emails = [], listId } = named;
  if (listId !== undefined) {
    const { _id, type, contactCount } = await findList(deps, project, listId, 'listId');
    return { list: { _id, type }, total: contactCount, missing: 0, missingNamed: [] };
  }
  return contactIds ? sourceOf(contactIds, parseId) : readAddresses(deps, project, emails);
}

async function readAddresses(deps: AutomationsDeps, { _id: projectId }: Tenant, emails: string[]): Promise<Source> {
  const pause = breather();
  const names: string[] = [];
  for (const email of emails) {
    await pause();
    names.push(normalizeEmail(email) ?? email);
  }
  const idOf = new Map<string, ObjectId>();
  for (let from = 0; from < names.length; from += ADDRESSES_AT_ONCE) {
    const email = { $in: names.slice(from, from + ADDRESSES_AT_ONCE) };
    const found = deps.db.contacts.find({ projectId, email }, { projection: { email: 1 }, hint: 'email' });
    for (const contact of await found.toArray()) idOf.set(contact.email, contact._id);
  }
  return sourceOf(names, (name) => idOf.get(name) ?? null);
}

/** `idOf` answers null for what is no contact. */
async function sourceOf(names: string[], idOf: (name: string) => ObjectId | null): Promise<Source> {
  const pause = breather();
  const contactIds = new Map<string, ObjectId>();
  const missing = new Set<string>();
  for (const name of names) {
    await pause();
    const id = idOf(name);
    if (id) contactIds.set(id.toHexString(), id);
    else missing.add(name);
  }
  return {
    contactIds: [...contactIds.values()],
    total: contactIds.size + missing.size,
    missing: missing.size,
    missingNamed: [...missing].slice(0, MISSING_NAMED_MAX),
  };
}
