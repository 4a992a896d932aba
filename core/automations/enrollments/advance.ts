import type { ObjectId } from 'mongodb';
import type { EnrollmentWait } from '../../base/deps.ts';
import { breather } from '../../base/work/breathe.ts';
import { marketingFacts } from '../../consent/suppressions/find-groups.ts';
import { suppressionsAgainst } from '../../consent/suppressions/suppressions.ts';
import { wakeQueue } from '../../jobs/queue.ts';
import { mailChannel } from '../../mail/messages/messages.ts';
import type { Contact } from '../../people/model.ts';
import { readPast } from '../../people/past.ts';
import { definitionOf } from '../definitions.ts';
import type { AutomationsDeps } from '../deps.ts';
import { commonReader, stepMail } from '../mails.ts';
import type { Automation } from '../model/automation.ts';
import type { Enrollment, EnrollmentEvent } from '../model/enrollment.ts';
import { AT_ONCE } from '../record-triggers.ts';
import type { CompiledAutomation } from '../rules/compile.ts';
import { describeWait } from '../rules/describe-wait.ts';
import { isUnsubscribed } from '../rules/exits.ts';
import { decide, stepAfter } from '../rules/interpreter.ts';
import type { Decision, Facts } from '../rules/moves/decision.ts';
import { isWait } from '../rules/waits.ts';
import { stepCall } from '../webhooks/calls.ts';
import { commitMove, type Move } from './commit.ts';
import { exit } from './exit.ts';
import { withHeardBefore } from './heard-before.ts';
import { eventsSince, occurrenceOf } from './hearing.ts';
import { changeOfSteps, changesOf } from './person-changes.ts';

/** The next thing for the run of an enrollment to do. A run itself only waits. */
export type Directive =
  | { kind: 'wait'; untilMs: number; label: string }
  | { kind: 'end'; status: string; reason: string | null }
  | { kind: 'parked'; stepId: string | null };

/** Concurrent writes to an enrollment are rare; more conflicts than this are a fault. */
const TRIES_MAX = 50;

interface Person {
  enrollment: Enrollment;
  automation: Automation | null;
  contact: Contact | null;
}

/**
 * Takes an enrollment as far as it can go now. The decision comes from stored data and is stored in one transaction with the mails, so this
 * may be called any number of times from any process: a second call finds the enrollment where the first one left it.
 */
export async function advanceEnrollment(
  deps: AutomationsDeps,
  { projectId, enrollmentId }: { projectId: ObjectId; enrollmentId: ObjectId },
  nowMs: number,
): Promise<Directive> {
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const person = await readPerson(deps, projectId, enrollmentId);
    if (!person) return { kind: 'end', status: 'deleted', reason: null };
    const { enrollment } = person;
    if (enrollment.status !== 'active')
      return { kind: 'end', status: enrollment.status, reason: enrollment.exitReason };
    const step = await nextStep(deps, person, Math.max(nowMs, deps.clock.now().getTime()));
    if (!step) continue;
    const { move, directive } = step;
    if (move && (await commitMove(deps, projectId, move)) !== 'written') continue;
    if (move?.mails?.length) wakeQueue(deps, mailChannel('automation'), projectId);
    // A resume between reading and parking has woken only the enrollments parked before it; this one checks for itself.
    if (directive.kind === 'parked' && (await isActive(deps, enrollment))) continue;
    // Likewise: an event that was recorded between reading and waiting did not find the enrollment.
    if (move?.after.awaits) continue;
    return directive;
  }
  throw new Error('an enrollment had too many concurrent writes');
}

/** The first moves of enrollments, each to be written with the entry itself; null: enter, and read again. Nothing is read for each alone. */
export async function firstMoves(
  deps: AutomationsDeps,
  automation: Automation,
  entering: Array<{ enrollment: Enrollment; contact: Contact }>,
): Promise<Array<Move | null>> {
  const compiled = await definitionOf(deps, automation, automation.version);
  if (!compiled) return entering.map(() => null);
  const contacts = entering.map(({ contact }) => contact);
  const known = { ...(await readKnown(deps, automation.projectId, contacts, compiled)), compiled };
  const moves: Array<Move | null> = [];
  const pause = breather();
  for (const person of entering) {
    await pause();
    const step = await nextStep(deps, { ...person, automation }, deps.clock.now().getTime(), known);
    moves.push(step?.move ? { ...step.move, before: null } : null);
  }
  return moves;
}

/** The wait with which the run can begin; null: the run has to call advanceEnrollment first. */
export async function currentWait(deps: AutomationsDeps, enrollment: Enrollment): Promise<EnrollmentWait | null> {
  const { projectId, automationId, waitUntil, version } = enrollment;
  // The event may have come between the decision and its write: the run looks once more.
  if (waitUntil === null || enrollment.parked || enrollment.awaits) return null;
  const automation = await deps.db.automations.findOne({ _id: automationId, projectId });
  if (!automation || automation.moveBefore > version) return null;
  const compiled = await definitionOf(deps, automation, version);
  const directive = compiled && directiveOf(enrollment, compiled);
  return directive?.kind === 'wait' ? { untilMs: directive.untilMs, label: directive.label } : null;
}

async function readPerson(deps: AutomationsDeps, projectId: ObjectId, _id: ObjectId): Promise<Person | null> {
  const enrollment = await deps.db.enrollments.findOne({ _id, projectId });
  return enrollment && withContext(deps, enrollment);
}

async function withContext(deps: AutomationsDeps, enrollment: Enrollment): Promise<Person> {
  const { projectId, automationId, contactId } = enrollment;
  const [automation, contact] = await Promise.all([
    deps.db.automations.findOne({ _id: automationId, projectId }),
    deps.db.contacts.findOne({ _id: contactId, projectId }),
  ]);
  return { enrollment, automation, contact };
}

async function isActive(deps: AutomationsDeps, { automationId, projectId }: Enrollment): Promise<boolean> {
  const found = await deps.db.automations.findOne({ _id: automationId, projectId }, { projection: { status: 1 } });
  return found?.status === 'active';
}

interface Step {
  /** null: there is nothing to write. */
  move: Move | null;
  directive: Directive;
}

/** null: read the enrollment again. */
async function nextStep(
  deps: AutomationsDeps,
  { enrollment, automation, contact }: Person,
  nowMs: number,
  first?: Known & { compiled: CompiledAutomation },
): Promise<Step | null> {
  const at = new Date(nowMs);
  if (!contact) return left(enrollment, exit({ ...enrollment, started: true }, 'contact_deleted', at));
  if (!automation || automation.status === 'archived')
    return left(enrollment, exit({ ...enrollment, started: true }, 'automation_archived', at));
  const version = Math.max(enrollment.version, automation.moveBefore);
  const compiled = first?.compiled ?? (await definitionOf(deps, automation, version));
  if (!compiled) return null;
  const known = first ?? (await readKnown(deps, enrollment.projectId, [contact], compiled));
  const person = enrollment.version === version ? enrollment : await withHeardBefore(deps, enrollment, compiled);
  const decision = await decide(
    compiled,
    { stepId: enrollment.stepId, waitFromMs: enrollment.waitFrom?.getTime() ?? null },
    {
      ...factsAbout(person, contact, nowMs, known),
      events: first ? [] : await eventsSince(deps, enrollment, compiled),
    },
  );
  const { next, stepEvents, changes } = decision;
  const waitsOn = next.kind === 'wait' && stepEvents.length === 0;
  if (automation.status === 'paused' && !waitsOn) return park(enrollment, at);
  const isUnchanged = waitsOn && enrollment.version === version && !enrollment.parked;
  if (isUnchanged && enrollment.waitUntil?.getTime() === next.untilMs)
    return { move: null, directive: directiveOf(enrollment, compiled) };
  const { events, ...made } = await recordEvents(deps, { enrollment, contact, compiled, at, known }, decision);
  const moved: EnrollmentEvent[] =
    enrollment.version === version ? [] : [{ type: 'moved', at, reason: `to version ${version}` }];
  const before = { ...person, version, history: [...enrollment.history, ...moved, ...events] };
  const after = arrive(before, next, { at, leadsTo: compiled.awaited.leadsTo });
  const move = { before: enrollment, after, ...made, changes: changesOf(enrollment, changes) };
  return { move, directive: directiveOf(after, compiled) };
}

type Known = Awaited<ReturnType<typeof readKnown>>;

/** Of several contacts, read together. */
async function readKnown(
  deps: AutomationsDeps,
  projectId: ObjectId,
  people: Contact[],
  { definition, behaviours }: CompiledAutomation,
) {
  const emails = people.map(({ email }) => email);
  const ids = people.map(({ _id }) => _id);
  const [entries, mail, pastOf, changeAt] = await Promise.all([
    suppressionsAgainst(deps, projectId, emails),
    marketingFacts(deps, projectId, definition.unsubscribeGroupId),
    readPast(deps, { projectId, who: { $in: ids }, behaviours }),
    changeOfSteps(deps, projectId, ids, definition),
  ]);
  return { entries, mail, pastOf, changeAt, commonOf: commonReader(deps) };
}

function factsAbout({ event, heard, ...entered }: Enrollment, person: Contact, nowMs: number, known: Known): Facts {
  const { entries, mail, pastOf, changeAt } = known;
  const change = changeAt(nowMs);
  const refused = isUnsubscribed(entries.get(person.email) ?? [], mail);
  const own = { nowMs, person, event: event ?? undefined, heard, enteredMs: occurrenceOf(entered).getTime() };
  return { ...own, isUnsubscribed: refused, past: pastOf(person._id), change };
}

/** Parks the enrollment until a resume of the automation wakes it. */
function park(before: Enrollment, at: Date): Step {
  const { stepId, revision, history } = before;
  const directive: Directive = { kind: 'parked', stepId };
  if (before.parked) return { move: null, directive };
  const event: EnrollmentEvent = { type: 'parked', at, ...(stepId === null ? {} : { stepId }) };
  const after = {
    ...before,
    revision: revision + 1,
    started: true,
    parked: true,
    history: [...history, event],
    updatedAt: at,
  };
  return { move: { before, after }, directive };
}

interface Visit {
  enrollment: Enrollment;
  contact: Contact;
  compiled: CompiledAutomation;
  at: Date;
  known: Known;
}

async function recordEvents(
  deps: AutomationsDeps,
  { enrollment, contact, compiled, at, known }: Visit,
  { stepEvents, changes }: Pick<Decision, 'stepEvents' | 'changes'>,
) {
  const events: EnrollmentEvent[] = [];
  const mails: NonNullable<Move['mails']> = [];
  const calls: NonNullable<Move['calls']> = [];
  const made = changes.values();
  let person = contact;
  for (const stepEvent of stepEvents) {
    const { type, stepId } = stepEvent;
    if (type === 'wait') {
      const { untilMs, reason } = stepEvent;
      events.push({ type, at, stepId, until: new Date(untilMs), ...(reason && { reason }) });
    } else if (type === 'heard') events.push({ type, at, stepId, rule: stepEvent.rule });
    else if (type === 'goal') events.push({ type, at, stepId, rule: stepEvent.rule });
    else if (type === 'timed_out' || type === 'goal_passed') events.push({ type, at, stepId });
    else if (type === 'update_contact') {
      events.push({ type, at, stepId, ...('reason' in stepEvent ? { reason: stepEvent.reason } : {}) });
      if ('update' in stepEvent) person = made.next().value?.after ?? person;
    } else if (type === 'webhook') {
      const step = compiled.graph.byId.get(stepId);
      if (step?.type !== 'webhook') continue;
      const call = stepCall({ enrollment, stepId, webhook: step.webhook, person });
      const { untilMs } = stepEvent;
      events.push({ type, at, stepId, eventId: call._id, ...(untilMs ? { until: new Date(untilMs) } : {}) });
      calls.push(call);
    } else if (type === 'webhook_answered') {
      events.push({ type, at, stepId });
      if (stepEvent.update) person = made.next().value?.after ?? person;
    } else if (type === 'webhook_failed') {
      events.push({ type, at, stepId, reason: stepEvent.reason });
    } else if (type !== 'email') events.push({ type, at, stepId, branchId: stepEvent.branchId, rule: stepEvent.rule });
    else {
      const step = compiled.graph.byId.get(stepId);
      const email = step?.type === 'email' ? step.email : {};
      const visit = { enrollment, definition: compiled.definition, contact, stepId, email, at };
      const mail = await stepMail(deps, visit, known.commonOf);
      if ('problem' in mail) events.push({ type, at, stepId, reason: mail.problem });
      else events.push({ type, at, stepId, emailId: mail.message._id });
      if ('message' in mail) mails.push(mail);
    }
  }
  return { events, mails, calls };
}

function arrive(
  enrollment: Enrollment,
  next: Decision['next'],
  { at, leadsTo }: { at: Date; leadsTo: CompiledAutomation['awaited']['leadsTo'] },
): Enrollment {
  const { live, awaits: _, heard: all = [], ...rest } = enrollment;
  const started = { started: true, parked: false, updatedAt: at };
  if (next.kind === 'exited') return exit({ ...enrollment, ...started, stepId: next.stepId }, next.reason, at);
  const revision = enrollment.revision + 1;
  if (next.kind === 'wait') {
    const { stepId, fromMs, untilMs, awaits = [] } = next;
    const heard = all.filter((one) => leadsTo(stepId, one.stepId));
    const wait = { stepId, waitFrom: new Date(fromMs), waitUntil: new Date(untilMs) };
    return {
      ...rest,
      ...(live && { live }),
      ...started,
      revision,
      ...wait,
      ...(awaits.length > 0 && { awaits }),
      ...(heard.length > 0 && { heard }),
      ...(!enrollment.started && { dueAt: AT_ONCE }),
    };
  }
  const history: EnrollmentEvent[] = [...enrollment.history, { type: 'completed', at }];
  const place = { stepId: null, waitFrom: null, waitUntil: null };
  return { ...rest, ...started, ...place, revision, status: 'completed', history, endedAt: at };
}

function left(before: Enrollment, after: Enrollment): Step {
  return { move: { before, after }, directive: { kind: 'end', status: after.status, reason: after.exitReason } };
}

function directiveOf({ status, exitReason, stepId, waitUntil }: Enrollment, compiled: CompiledAutomation): Directive {
  if (status !== 'active') return { kind: 'end', status, reason: exitReason };
  const step = compiled.graph.byId.get(stepId ?? '');
  const words = step?.type === 'webhook' ? 'wait for the answer of a webhook' : 'wait';
  const label = step && isWait(step) ? describeWait(step, stepAfter(compiled, step.stepId)) : words;
  return { kind: 'wait', untilMs: waitUntil?.getTime() ?? 0, label };
}
