import type { Document, Filter, ObjectId } from 'mongodb';
import { conflict, notFound } from '../../../base/errors.ts';
import type { Project } from '../../../base/model.ts';
import { wakeQueue } from '../../../jobs/queue.ts';
import type { MailDeps } from '../../deps.ts';
import type { Message } from '../../ledger/model.ts';
import { CLAIMABLE_STATES, shownState, states, UNSENT_STATES } from '../../ledger/states.ts';
import { type Email, wholeEmails } from '../copies.ts';
import { type EmailFilter, getEmail } from '../emails.ts';
import { publishCancelled, publishScheduled } from '../events.ts';
import { AT_ONCE_MS, mailChannel } from '../messages.ts';
import { cancellation, changeAll, NOT_TAKEN, postponement } from './change-state.ts';
import { scheduledTime } from './time.ts';

type Asked = Pick<EmailFilter, 'keyId'>;
type Found = Awaited<ReturnType<typeof getEmail>>;

interface CancelledBatch {
  cancelled: number;
  notCancelled: number;
}

/** A mail of its own that no process has taken. Cancelling again changes nothing, and publishes the same event. */
export async function cancelEmail(deps: MailDeps, project: Project, emailId: string, asked: Asked): Promise<Found> {
  const email = await getEmail(deps, project, emailId, asked);
  refuseOthers(email);
  await cancelWhole(deps, project._id, email);
  const after = await getEmail(deps, project, emailId, asked);
  if (!isCancelled(after)) throw refusal(after, 'cancelled');
  await publishCancelled(deps, project._id, rowsOf(after));
  return after;
}

/** The mails of one call. Each is cancelled or left alone, so a repeat gives the same numbers once all of them have ended. */
export async function cancelBatch(
  deps: MailDeps,
  project: Project,
  batchId: string,
  { keyId }: Asked,
): Promise<CancelledBatch> {
  const projectId = project._id;
  const ofBatch: Filter<Message> = { projectId, batchId, ...(keyId ? { keyId } : {}) };
  await deps.db.messages.updateMany({ ...ofBatch, copy: { $exists: false }, ...NOT_TAKEN }, cancellation(null));
  const emails = await emailsOf(deps, projectId, ofBatch);
  if (emails.length === 0) throw notFound('EMAIL', 'batchId');
  for (const email of emails) if (email.message.copy) await cancelWhole(deps, projectId, email);
  const after = await emailsOf(deps, projectId, ofBatch);
  await publishCancelled(deps, projectId, after.flatMap(rowsOf));
  const cancelled = after.filter(isCancelled).length;
  return { cancelled, notCancelled: after.length - cancelled };
}

interface NewTime extends Asked {
  scheduledAt: string;
  /** When the call began: each change is an event of its own. */
  at: Date;
}

/** Another time for a mail that still waits for its own. */
export async function rescheduleEmail(
  deps: MailDeps,
  project: Project,
  emailId: string,
  { scheduledAt: text, at, ...asked }: NewTime,
): Promise<Found> {
  const scheduledAt = scheduledTime(text, at);
  const email = await getEmail(deps, project, emailId, asked);
  refuseOthers(email);
  const now = deps.clock.now();
  const isLater = scheduledAt > now;
  const dueAt = isLater ? scheduledAt : new Date(now.getTime() - AT_ONCE_MS);
  const from = { state: states.scheduled };
  const isChanged = await changeOpen(deps, project._id, email, from, postponement({ dueAt, scheduledAt }));
  const after = await getEmail(deps, project, emailId, asked);
  if (!isChanged) throw refusal(after, 'rescheduled');
  if (!isLater) wakeQueue(deps, mailChannel(email.message.lane), project._id);
  const changed = rowsOf(after).filter(isOpenRow);
  await publishScheduled(deps, project._id, changed, at);
  return after;
}

/** The sender of the others decides about them. */
function refuseOthers({ message: { campaignId, automationId } }: Email): void {
  if (!campaignId && !automationId) return;
  throw conflict(
    'INVALID_STATE',
    `This mail belongs to ${campaignId ? 'a campaign' : 'an automation'}, which decides when it is sent.`,
  );
}

async function emailsOf(deps: MailDeps, projectId: ObjectId, ofBatch: Filter<Message>): Promise<Email[]> {
  const firsts = { ...ofBatch, $or: [{ copy: { $exists: false } }, { 'copy.index': 0 }] };
  const found = await deps.db.messages.find(firsts, { projection: { content: 0 } }).toArray();
  return wholeEmails(deps, projectId, found);
}

function cancelWhole(deps: MailDeps, projectId: ObjectId, email: Email): Promise<boolean> {
  return changeOpen(deps, projectId, email, NOT_TAKEN, cancellation(null));
}

/** All rows of the mail that did not end unsent, or none of them. */
async function changeOpen(
  deps: MailDeps,
  projectId: ObjectId,
  email: Email,
  from: Filter<Message>,
  to: Document[],
): Promise<boolean> {
  const ids = rowsOf(email)
    .filter(isOpenRow)
    .map(({ _id }) => _id);
  return ids.length > 0 && changeAll(deps, projectId, { ids, from, to });
}

function rowsOf({ message, copies }: Email): Message[] {
  return [message, ...copies];
}

function isOpenRow({ state }: Message): boolean {
  return !UNSENT_STATES.includes(state);
}

/** The others of its rows were stopped before, by a suppression. */
function isCancelled(email: Email): boolean {
  const rows = rowsOf(email);
  return rows.some(({ state }) => state === states.cancelled) && !rows.some(isOpenRow);
}

function refusal(email: Email, what: 'cancelled' | 'rescheduled') {
  const open = rowsOf(email).filter(isOpenRow);
  const isWaiting = open.every(({ state }) => CLAIMABLE_STATES.some((one) => one === state));
  if (open.length === 0 || (what === 'rescheduled' && isWaiting)) {
    const status = shownState(email.message.state);
    return conflict('INVALID_STATE', `The mail is ${status}, so it cannot be ${what}.`);
  }
  return conflict('ALREADY_SENT', `The mail is sent, or is on its way, so it cannot be ${what}.`);
}
