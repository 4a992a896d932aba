import type { Delivery, Envelope, FaultReason, Phase, RecipientReply, Reply } from '../../core/mail/ledger/relay.ts';
import { isAuthFault, isOutOfOrder, isThrottle } from '../../core/mail/ledger/rules/relay-replies.ts';
import { type Capabilities, isOk, NO_REPLY } from './handshake.ts';

interface Dialogue {
  envelope: Envelope;
  replies: Reply[];
}

const TOO_LARGE: Reply = {
  code: 552,
  enhanced: '5.3.4',
  text: 'The message is larger than the relay takes (its SIZE).',
};
const NO_8BIT: Reply = { code: 554, enhanced: '5.6.3', text: 'The relay does not take 8-bit messages.' };
const BAD_ADDRESS: Reply = { code: 553, enhanced: '5.1.3', text: 'One of the addresses is none that SMTP can carry.' };
/** Characters allowed between < and >: nothing that could end the command. */
const PATH = /^[\x21-\x3b\x3d\x3f-\x7e]{1,320}$/;

/** Refusals that need no relay; null when the message may be tried. */
export function refusedHere(
  { from, to, eightBit }: Envelope,
  bytes: number,
  capabilities: Capabilities,
): Delivery | null {
  if (to.length === 0 || (from !== '' && !PATH.test(from))) return refuseAll(to, BAD_ADDRESS);
  for (const address of to) if (!PATH.test(address)) return refuseAll(to, BAD_ADDRESS);
  if (capabilities.sizeMax && bytes > capabilities.sizeMax) return refuseAll(to, TOO_LARGE);
  return eightBit && !capabilities.eightBit ? refuseAll(to, NO_8BIT) : null;
}

/** `last` is the reply for all recipients whose RCPT was accepted; in phase rcpt there are none. */
export function answered({ envelope, replies }: Dialogue, phase: Phase, last: Reply): Delivery {
  const recipients =
    phase === 'mail'
      ? envelope.to.map(() => verdict(last))
      : envelope.to.map((_, index) => verdictOf(replies[index + 1], last));
  return { kind: 'answered', phase, answered: true, recipients, replies, fault: null };
}

export function relayFault(dialogue: Dialogue, phase: Phase, reason: FaultReason, reply: Reply): Delivery {
  const { replies } = dialogue;
  const fault = { phase, reason, reply };
  return { kind: 'relay', phase, answered: reply.code !== 0, recipients: unanswered(dialogue), replies, fault };
}

export function lost(dialogue: Dialogue, phase: Phase, reason: FaultReason, reply: Reply): Delivery {
  const fault = { phase, reason, reply };
  return { kind: 'lost', phase, answered: false, recipients: unanswered(dialogue), replies: dialogue.replies, fault };
}

export function fenced(dialogue: Dialogue): Delivery {
  const { replies } = dialogue;
  return { kind: 'fenced', phase: 'body', answered: false, recipients: unanswered(dialogue), replies, fault: null };
}

export function unknown(dialogue: Dialogue, reason: FaultReason, reply: Reply): Delivery {
  const fault = { phase: 'dot' as const, reason, reply };
  return {
    kind: 'unknown',
    phase: 'dot',
    answered: false,
    recipients: unanswered(dialogue),
    replies: dialogue.replies,
    fault,
  };
}

export function dataRefused(job: Dialogue, phase: Phase, reply: Reply): Delivery {
  return isThrottle(reply) ? relayFault(job, phase, 'throttled', reply) : answered(job, phase, reply);
}

export function mailRefused(job: Dialogue, reply: Reply): Delivery {
  if (isAuthFault(reply)) return relayFault(job, 'mail', 'auth', reply);
  if (isOutOfOrder(reply)) return relayFault(job, 'mail', 'rejected', reply);
  return isThrottle(reply) ? relayFault(job, 'mail', 'throttled', reply) : answered(job, 'mail', reply);
}

/** Every recipient has its own answer; when all of them are the relay slowing us down, it is the relay's state. */
export function recipientsRefused(job: Dialogue): Delivery {
  const replies = job.replies.slice(1, 1 + job.envelope.to.length);
  const throttle = replies.find(isThrottle);
  if (throttle && replies.every(isThrottle)) return relayFault(job, 'rcpt', 'throttled', throttle);
  return answered(job, 'rcpt', NO_REPLY);
}

/** A relay that refuses MAIL may still accept every RCPT and DATA after it. */
export function noRecipientAccepted(job: Dialogue): Delivery {
  const mail = job.replies[0]!;
  return isOk(mail) ? recipientsRefused(job) : mailRefused(job, mail);
}

export function anyAccepted({ replies, envelope }: Dialogue): boolean {
  for (let index = 1; index <= envelope.to.length; index++) if (isOk(replies[index]!)) return isOk(replies[0]!);
  return false;
}

export function anyRefused({ replies, envelope }: Dialogue): boolean {
  return envelope.to.some((_, index) => !isOk(replies[index + 1]!));
}

/** Recipients refused at RCPT keep their answer; the others have none. */
function unanswered({ envelope, replies }: Dialogue): RecipientReply[] {
  return envelope.to.map((_, index) => {
    const reply = replies[index + 1];
    return reply && reply.code >= 400 ? verdict(reply) : verdict(NO_REPLY);
  });
}

function refuseAll(to: readonly string[], reply: Reply): Delivery {
  const recipients = to.map(() => verdict(reply));
  return { kind: 'answered', phase: 'mail', answered: false, recipients, replies: [], fault: null };
}

function verdictOf(own: Reply | undefined, last: Reply): RecipientReply {
  return own && isOk(own) ? verdict(last) : verdict(own ?? last);
}

function verdict(reply: Reply): RecipientReply {
  const { code, enhanced, text } = reply;
  return { accepted: isOk(reply), code, enhanced, text };
}
