import type { Message, MessageRecipient } from '../model.ts';
import { DELIVERED_STATES, isOpenRecipient, states } from '../states.ts';

/** all: every open one of to, cc and bcc. unanswered: those whose dot had no answer; the others are tried again. */
export type Reach = 'all' | 'unanswered' | 'nothing';

/**
 * How much a sign that a relay took a mail proves for to, cc and bcc: it knows the Message-ID, or the mail was opened. Nothing, where an
 * earlier attempt had reached one of them. `isInPart`: the relay had refused some of them before the last dot, and their answers are lost.
 */
export function reachOf({ recipients }: Pick<Message, 'recipients'>, isInPart = false): Reach {
  if (!recipients) return 'all';
  if (recipients.some((one) => DELIVERED_STATES.includes(one.state))) return 'nothing';
  const open = recipients.filter(isOpenRecipient);
  if (open.length <= 1) return 'all';
  const waiting = open.filter(isUnanswered).length;
  if (waiting === open.length) return 'all';
  if (waiting > 0) return 'unanswered';
  return isInPart ? 'nothing' : 'all';
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

function isUnanswered({ state }: MessageRecipient): boolean {
  return state === states.unknown;
}
