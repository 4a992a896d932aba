import type { ObjectId } from 'mongodb';
import type { Deps } from './deps.ts';
import { factsOf } from './email-events.ts';
import type { Bounce } from './ledger-outcomes.ts';
import { followBounce } from './message-outcomes.ts';
import { appendTimeline, TIMELINE_MAX } from './messages.ts';
import type { Message, MessageRecipient } from './model.ts';
import { publishEvents } from './project-events.ts';
import { classifyReply } from './rules/bounces.ts';
import type { DeliveryReport } from './rules/dsn.ts';

export interface MailRef {
  projectId: ObjectId;
  messageId: ObjectId;
}

/** later: the outcome of the attempt is not stored yet; whoever brings the report comes again. */
export type ReportOutcome = 'applied' | 'ignored' | 'later';

/** What a report that came to a signed return path means for its mail. The address in the text never decides which mail that is. */
export async function applyReports(deps: Deps, ref: MailRef, reports: DeliveryReport[]): Promise<ReportOutcome> {
  const { projectId, messageId } = ref;
  const message = await deps.db.messages.findOne({ _id: messageId, projectId });
  if (!message) return 'ignored';
  if (message.state === 'committing') return 'later';
  for (const report of reports) {
    if (report.action === 'failed') await applyFailure(deps, message, report);
    else if (report.action === 'delivered') await applyDelivery(deps, message, report);
    else if (report.action === 'delayed')
      await addLine(deps, message, { type: 'delayed', reason: textOf(message, report).slice(0, 500) });
  }
  return 'applied';
}

/** Suppression first, so that a crash between the two leaves nothing out; the state moves once, whatever is reported how often. */
async function applyFailure(deps: Deps, message: Message, report: DeliveryReport): Promise<void> {
  const { code, enhanced, text } = report;
  const email = recipientOf(message, report);
  const reply = { code: code || (enhanced?.startsWith('4') ? 450 : 550), enhanced, text: textOf(message, report) };
  const classification = classifyReply({ code, enhanced, text, phase: 'dsn' });
  const bounce: Bounce = { email, reply, classification };
  const isNews = stateOf(message, email) !== 'bounced';
  if (email && (isNews || classification.suppress)) await followBounce(deps, message.projectId, bounce);
  const moved = await moveToBounced(deps, message, bounce);
  if (!moved) return;
  const { category, reason, suppress } = classification;
  await publishEvents(deps, message.projectId, [
    {
      type: 'email.bounced',
      key: `${message._id.toHexString()} email.bounced ${email}`,
      data: { ...factsOf(message), email, reply, reason, category, suppressed: suppress },
    },
  ]);
}

async function moveToBounced(
  { db }: Deps,
  message: Message,
  { email, reply, classification }: Bounce,
): Promise<boolean> {
  const { _id, projectId, recipients } = message;
  const { reason } = classification;
  const isFirst = message.email === email;
  const line = { type: 'bounced', at: '$$NOW', reply: { $literal: reply }, reason: { $literal: reason }, email };
  const sentAt = { $ifNull: ['$sentAt', '$claimedAt', '$$NOW'] };
  const state = {
    state: 'bounced',
    reply: { $literal: reply },
    reason: { $literal: reason },
    sentAt,
    endedAt: '$$NOW',
  };
  const { modifiedCount } = await db.messages.updateOne(
    {
      _id,
      projectId,
      ...(isFirst ? { state: { $in: ['sent', 'unknown'] } } : {}),
      ...(recipients ? { recipients: { $elemMatch: { email, state: { $in: ['sent', 'unknown'] } } } } : {}),
    },
    [
      {
        $set: {
          ...(isFirst ? state : {}),
          timeline: { $slice: [{ $concatArrays: [{ $ifNull: ['$timeline', []] }, [line]] }, -TIMELINE_MAX] },
          ...(recipients ? { recipients: bouncedAmong(email, { reply, reason }) } : {}),
        },
      },
      ...(isFirst ? [{ $unset: ['dueAt', 'deliveredAt'] }] : []),
    ],
  );
  return modifiedCount === 1;
}

function bouncedAmong(email: string, end: Pick<MessageRecipient, 'reply' | 'reason'>) {
  const changed = { $mergeObjects: ['$$one', { $literal: { state: 'bounced', ...end } }] };
  const isIt = { $eq: ['$$one.email', { $literal: email }] };
  return { $map: { input: '$recipients', as: 'one', in: { $cond: [isIt, changed, '$$one'] } } };
}

async function applyDelivery(deps: Deps, message: Message, report: DeliveryReport): Promise<void> {
  const { _id, projectId } = message;
  const email = recipientOf(message, report);
  const at = deps.clock.now();
  const { modifiedCount } = await deps.db.messages.updateOne(
    { _id, projectId, state: { $in: ['sent', 'unknown'] }, deliveredAt: { $exists: false } },
    [
      { $set: { deliveredAt: at, state: 'sent', sentAt: { $ifNull: ['$sentAt', '$claimedAt', at] } } },
      { $unset: 'dueAt' },
    ],
  );
  if (modifiedCount === 0) return;
  const reason = textOf(message, report);
  await addLine(deps, message, { type: 'delivered', reason: reason.slice(0, 500) });
  const key = `${_id.toHexString()} email.delivered ${email}`;
  await publishEvents(deps, projectId, [
    { type: 'email.delivered', key, at, data: { ...factsOf(message), email, reason: reason || null } },
  ]);
}

async function addLine(deps: Deps, { _id, projectId }: Message, line: { type: string; reason: string }): Promise<void> {
  const entry = { type: line.type, at: deps.clock.now(), ...(line.reason ? { reason: line.reason } : {}) };
  await appendTimeline(deps, { projectId, messageId: _id }, entry);
}

/** Of a deleted contact nothing is written down again: servers repeat addresses in what they say. */
function textOf({ emailHash }: Message, { text }: DeliveryReport): string {
  return emailHash ? '' : text;
}

/** to, cc and bcc share a return path: the report tells them apart, and only among themselves. */
function recipientOf({ email, recipients }: Message, { recipient }: DeliveryReport): string {
  return recipients?.find((one) => one.email === recipient)?.email ?? email;
}

function stateOf({ email, state, recipients }: Message, of: string) {
  return recipients?.find((one) => one.email === of)?.state ?? (email === of ? state : null);
}
