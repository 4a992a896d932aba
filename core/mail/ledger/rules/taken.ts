import type { Message, MessageRecipient } from '../model.ts';
import { DELIVERED_STATES, isOpenRecipient, states } from '../states.ts';

/** all: every open one of to, cc and bcc. unanswered: those whose dot had no answer; the others are tried again. */
export type Reach = 'all' | 'unanswered' | 'nothing';

/**
 * How much a sign that a relay took a mail proves for to, cc and bcc: it knows the Message-ID, or the mail was opened. Nothing, where an
 * earlier attempt had reached one of them, or where the replies of the last one are lost: a relay takes a mail for one recipient and
 * defers another. `isToAll` says that it had refused none of them before the last dot.
 */
export function reachOf({ state, recipients }: Pick<Message, 'state' | 'recipients'>, isToAll = false): Reach {
  if (!recipients) return 'all';
  if (recipients.some((one) => DELIVERED_STATES.includes(one.state))) return 'nothing';
  const open = recipients.filter(isOpenRecipient);
  if (open.length <= 1) return 'all';
  if (state !== states.unknown && !isToAll) return 'nothing';
  const waiting = open.filter(isUnanswered).length;
  if (waiting === 0) return isToAll ? 'all' : 'nothing';
  return waiting === open.length ? 'all' : 'unanswered';
}

/** to, cc and bcc after such a sign; the reply of the relay is not known. */
export function reached(recipients: readonly MessageRecipient[], reach: Reach): MessageRecipient[] {
  const isReached = reach === 'all' ? isOpenRecipient : isUnanswered;
  return recipients.map((one) => (isReached(one) ? { ...one, state: states.sent, reply: null, reason: null } : one));
}

/** A row as far as a relay took the mail, for its events. */
export function takenPart<Row extends Pick<Message, 'state' | 'recipients'>>(row: Row, reach: Reach): Row {
  const recipients = row.recipients && reached(row.recipients, reach).filter(({ state }) => state === states.sent);
  return { ...row, state: states.sent, ...(recipients ? { recipients } : {}) };
}

/** After a dot for all of them, about which the relay is asked later; where some had no answer before, those alone are known to be reached. */
export function unanswered(recipients: readonly MessageRecipient[]): readonly MessageRecipient[] {
  if (recipients.some(isUnanswered)) return recipients;
  return recipients.map((one) => (isOpenRecipient(one) ? { ...one, state: states.unknown } : one));
}

function isUnanswered({ state }: MessageRecipient): boolean {
  return state === states.unknown;
}
