import type { ObjectId } from 'mongodb';
import { type SuppressionFact, stoppedBy } from '../../consent/suppressions/rules.ts';
import type { MailDeps } from '../deps.ts';
import type { Message, MessageRecipient } from '../ledger/model.ts';
import { states } from '../ledger/states.ts';
import { copiesOf } from '../messages/copies.ts';
import { dueAtOnce } from '../messages/messages.ts';
import { scheduledLine } from '../messages/scheduled/change-state.ts';
import type { MailDraft } from './inputs.ts';

export type Queued = Pick<Message, '_id' | 'state' | 'email' | 'name'> & Partial<Message>;

/**
 * One message for all recipients, or with marketing mail one for each address; the first is the one to `to`. Queued unless all its
 * recipients are suppressed, which is checked again after the claim; of mail for a later time only then.
 */
export function queuedFor(
  deps: MailDeps,
  { content, sendAt = null }: Pick<MailDraft, 'content'> & Partial<Pick<MailDraft, 'sendAt'>>,
  suppressions: Map<string, SuppressionFact[]>,
  { _id, recipients }: { _id: ObjectId; recipients: MessageRecipient[] },
): Queued[] {
  const { marketing, groupId, bypassSuppressions: bypass } = content;
  const judged = recipients.map((recipient): MessageRecipient => {
    const entry = sendAt ? null : stoppedBy(suppressions.get(recipient.email) ?? [], { marketing, groupId, bypass });
    if (!entry) return recipient;
    return { ...recipient, state: states.suppressed, suppressedBy: { groupId: entry.groupId, reason: entry.reason } };
  });
  if (!marketing || judged.length === 1) return [{ _id, ...stateOf(deps, { content, sendAt }, judged) }];
  return copiesOf({ _id }, judged).map(({ recipient, ...copy }) => ({
    ...copy,
    ...stateOf(deps, { content, sendAt }, [recipient]),
  }));
}

function stateOf(
  deps: MailDeps,
  { content: { createdAt }, sendAt }: Pick<MailDraft, 'content' | 'sendAt'>,
  judged: MessageRecipient[],
): Omit<Queued, '_id'> {
  const [first] = judged as [MessageRecipient];
  const isOpen = judged.some(({ state }) => state === states.queued);
  return {
    ...(sendAt && isOpen ? waitingFor(sendAt, createdAt) : { state: isOpen ? states.queued : states.suppressed }),
    email: first.email,
    name: first.name,
    ...(judged.length > 1 ? { recipients: judged } : {}),
    ...(isOpen ? { dueAt: sendAt ?? dueAtOnce(deps) } : { endedAt: createdAt }),
    ...(first.suppressedBy ? { suppressedBy: first.suppressedBy } : {}),
  };
}

function waitingFor(sendAt: Date, at: Date): Pick<Queued, 'state' | 'scheduledAt' | 'timeline'> {
  return { state: states.scheduled, scheduledAt: sendAt, timeline: [{ ...scheduledLine(sendAt), at }] };
}
