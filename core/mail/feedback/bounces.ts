import type { Document, ObjectId } from 'mongodb';
import { maySuppress } from '../../consent/suppressions/suppressions.ts';
import { publishEvents } from '../../events/events.ts';
import type { MailDeps } from '../deps.ts';
import { findMail } from '../ledger/blocks/find-mail.ts';
import { waitToBeCounted } from '../ledger/counting/facts.ts';
import type { Message, SmtpReply } from '../ledger/model.ts';
import type { Bounce } from '../ledger/outcomes.ts';
import { classifyReply } from '../ledger/rules/bounces.ts';
import { OPEN_RECIPIENT_STATES, REPORTABLE_STATES, states } from '../ledger/states.ts';
import { followBounce } from '../messages/after-outcomes.ts';
import { announceDeliveries } from '../messages/deliveries.ts';
import { factsOf, publishRows } from '../messages/events.ts';
import { appendTimeline, TIMELINE_MAX } from '../messages/messages.ts';
import type { DeliveryReport } from './delivery-reports/dsn.ts';

export interface MailRef {
  projectId: ObjectId;
  messageId: ObjectId;
}

const REASON_MAX = 500;

/** later: the outcome of the attempt is not stored yet; the report must be delivered again. */
export type ReportOutcome = 'applied' | 'ignored' | 'later';

/** Applies reports that came to a signed return path. The return path alone identifies the message, never the address in the text. */
export async function applyReports(deps: MailDeps, ref: MailRef, reports: DeliveryReport[]): Promise<ReportOutcome> {
  const message = await findMail(deps, ref);
  if (message === 'inFlight') return 'later';
  if (message === 'gone') return 'ignored';
  if (message.state === states.committing) return 'later';
  for (const report of reports) {
    const email = recipientOf(message, report);
    if (report.action === 'failed' && email !== null) await applyFailure(deps, message, email, report);
    else if (report.action === 'delivered' && email !== null) await applyDelivery(deps, message, email, report);
    else if (report.action === 'delayed')
      await addLine(deps, message, { type: 'delayed', reason: textOf(message, report) });
    else if (report.action !== 'relayed')
      await addLine(deps, message, {
        type: 'reported',
        reason: `${report.action}, for an address that is none of the recipients. ${textOf(message, report)}`,
      });
  }
  return 'applied';
}

/**
 * The state is changed after suppression and event, which are the same when they are repeated: from then on nothing of the report is new. It
 * changes once, however often a report arrives.
 */
async function applyFailure(deps: MailDeps, message: Message, email: string, report: DeliveryReport): Promise<void> {
  const { code, enhanced, text } = report;
  const reply: SmtpReply = {
    code: code || (enhanced?.startsWith('4') ? 450 : 550),
    enhanced,
    text: textOf(message, report),
    // The reply that named the relay is replaced.
    ...(message.reply?.relay === undefined ? {} : { relay: message.reply.relay }),
  };
  const classification = classifyReply({ code, enhanced, text, phase: 'dsn' });
  const bounce: Bounce = { email, reply, classification };
  const isNews = stateOf(message, email) !== states.bounced;
  if (email && (isNews || classification.suppress)) await followBounce(deps, message, bounce);
  if (isReportable(message, email)) await publishBounced(deps, message, bounce);
  const moved = await moveToBounced(deps, message, bounce);
  if (moved || !isNews) await announceDeliveries(deps, message.projectId, [message._id]);
}

async function publishBounced(
  deps: MailDeps,
  message: Message,
  { email, reply, classification }: Bounce,
): Promise<void> {
  const { category, reason } = classification;
  const suppressed = classification.suppress && (await maySuppress(deps, message.projectId, email));
  await publishEvents(deps, message.projectId, [
    {
      type: 'email.bounced',
      key: `${message._id.toHexString()} email.bounced ${email}`,
      data: { ...factsOf(message), email, reply, reason, category, suppressed },
    },
  ]);
}

function moveToBounced(deps: MailDeps, message: Message, { email, reply, classification }: Bounce): Promise<boolean> {
  const { reason } = classification;
  const end = { state: states.bounced, reply: { $literal: reply }, reason: { $literal: reason } };
  const sentAt = { $ifNull: ['$sentAt', '$claimedAt', '$$NOW'] };
  return endRecipient(deps, message, email, {
    own: end,
    whole: { ...end, sentAt, endedAt: '$$NOW', deliveredAt: '$$REMOVE' },
    line: { type: 'bounced', at: '$$NOW', reply: end.reply, reason: end.reason, email: { $literal: email } },
  });
}

/** In the same order. */
async function applyDelivery(deps: MailDeps, message: Message, email: string, report: DeliveryReport): Promise<void> {
  const { _id, projectId } = message;
  const at = deps.clock.now();
  const reason = textOf(message, report);
  if (stateOf(message, email) === states.unknown) await publishRows(deps, projectId, [sentRow(message, email)]);
  const { deliveredAt } = message.recipients?.find((one) => one.email === email) ?? message;
  const wasDelivered = deliveredAt !== undefined;
  if (isReportable(message, email) && !wasDelivered) {
    const key = `${_id.toHexString()} email.delivered ${email}`;
    await publishEvents(deps, projectId, [
      { type: 'email.delivered', key, at, data: { ...factsOf(message), email, reason: reason || null } },
    ]);
  }
  const moved = await endRecipient(
    deps,
    message,
    email,
    {
      own: { state: states.sent, deliveredAt: at },
      whole: { state: states.sent, deliveredAt: at, sentAt: { $ifNull: ['$sentAt', '$claimedAt', at] } },
      line: { type: 'delivered', at, ...(reason ? { reason: { $literal: reason } } : {}) },
    },
    { deliveredAt: { $exists: false } },
  );
  if (moved || wasDelivered) await announceDeliveries(deps, projectId, [_id]);
}

/** The row of a mail whose answer was lost, as the answer would have made it for this recipient. */
function sentRow(message: Message, email: string): Message {
  const sent = { state: states.sent, reply: null, reason: null };
  const recipients = message.recipients?.flatMap((one) => (one.email === email ? [{ ...one, ...sent }] : []));
  return { ...message, ...sent, ...(recipients ? { recipients } : {}) };
}

interface End {
  /** For recipients of to, cc and bcc with outcomes of their own. */
  own: Document;
  /** For the message itself when it has one recipient, or about `to` when no other recipient is still pending. */
  whole: Document;
  line: Document;
}

/** The reply of the relay, with its queue id, is the only trace of the mail there: it becomes a line before another reply replaces it. */
const SENT_LINE = { type: 'sent', at: '$sentAt', claimedAt: '$claimedAt', reply: { $ifNull: ['$reply', '$$REMOVE'] } };
const IS_SENT = { $and: [{ $eq: ['$state', states.sent] }, { $eq: [{ $type: '$sentAt' }, 'date'] }] };

/** Ends a recipient that counted as sent or unknown. Returns false when its outcome was already known. */
async function endRecipient(
  { db }: MailDeps,
  { _id, projectId, email: to, recipients }: Message,
  email: string,
  { own, whole, line }: End,
  isNews: object = {},
): Promise<boolean> {
  const state = { $in: REPORTABLE_STATES };
  const timeline = { $slice: [{ $concatArrays: [{ $ifNull: ['$timeline', []] }, [line]] }, -TIMELINE_MAX] };
  const isOver = recipients ? { $eq: [{ $setIntersection: ['$recipients.state', OPEN_RECIPIENT_STATES] }, []] } : true;
  const kept = { $slice: [{ $concatArrays: ['$timeline', [SENT_LINE]] }, -TIMELINE_MAX] };
  const lines = whole.reply ? { timeline: { $cond: [IS_SENT, kept, '$timeline'] } } : {};
  const about = Object.entries({ ...whole, ...lines, dueAt: '$$REMOVE' }).map(
    ([field, value]) => [field, { $cond: [isOver, value, `$${field}`] }] as const,
  );
  const { modifiedCount } = await db.messages.updateOne(
    {
      _id,
      projectId,
      ...(recipients ? { recipients: { $elemMatch: { email, state, ...isNews } } } : { state, ...isNews }),
    },
    [
      ...(email === to ? [{ $set: waitToBeCounted() }] : []),
      { $set: { timeline, ...(recipients ? { recipients: endedAmong(email, own) } : {}) } },
      ...(email === to ? [{ $set: Object.fromEntries(about) }] : []),
    ],
  );
  return modifiedCount === 1;
}

function endedAmong(email: string, end: Document) {
  const isIt = { $eq: ['$$one.email', { $literal: email }] };
  const changed = { $mergeObjects: ['$$one', end] };
  return { $map: { input: '$recipients', as: 'one', in: { $cond: [isIt, changed, '$$one'] } } };
}

async function addLine(
  deps: MailDeps,
  { _id, projectId }: Message,
  line: { type: string; reason: string },
): Promise<void> {
  const entry = { type: line.type, at: deps.clock.now(), ...(line.reason ? { reason: line.reason } : {}) };
  await appendTimeline(deps, { projectId, messageId: _id }, entry);
}

/** For a deleted contact the text is left out: servers repeat addresses in it. */
function textOf({ emailHash, recipients }: Message, { text }: DeliveryReport): string {
  const isErased = emailHash !== undefined || recipients?.some(({ email }) => email === '');
  return isErased ? '' : text.slice(0, REASON_MAX);
}

/**
 * null: the report names none of the recipients, but for example an address that one of them forwards to. A mail with one recipient has a
 * return path of its own, which identifies that recipient: servers name the address behind an alias or a forward, and the mail failed for
 * the recipient all the same.
 */
function recipientOf({ email, recipients }: Message, { recipient }: DeliveryReport): string | null {
  if (!recipients) return email;
  return recipients.find((one) => one.email !== '' && one.email === recipient)?.email ?? null;
}

function stateOf({ email, state, recipients }: Message, of: string) {
  return recipients?.find((one) => one.email === of)?.state ?? (email === of ? state : null);
}

function isReportable(message: Message, email: string): boolean {
  const state = stateOf(message, email);
  return REPORTABLE_STATES.some((one) => one === state);
}
