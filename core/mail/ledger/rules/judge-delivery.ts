import type { Outcome } from '../ledger.ts';
import type { MessageRecipient, SmtpReply } from '../model.ts';
import type { Bounce } from '../outcomes.ts';
import type { Delivery, Lane } from '../relay.ts';
import { isOpenRecipient, states } from '../states.ts';
import { classifyReply, retryDelayMs } from './bounces.ts';
import { LANE_POLICIES } from './lane-policy.ts';

/** A connection lost before the final dot is a network fault: the first tries after it come soon. */
const LOST_DELAYS_MS = [1_000, 5_000, 30_000];
/** The pause after a relay is busy and does not say for how long. */
const BUSY_MS = 30_000;
const UNKNOWN_FIRST_MS = 60_000;
/** The pause before the same message is offered again to a relay that was reached and turned it away. */
const SENT_AWAY_MS = 5_000;

const NO_ANSWER = 'The connection ended after the message was handed over and before the relay answered.';
const LOST = 'The connection to the relay was lost before the message was handed over.';
const STILL_DEFERRED = 'It was still refused for now when 24 hours were over.';

interface Attempt {
  lane: Lane;
  delivery: Delivery;
  /** The addresses of Envelope.to, in its order. */
  addresses: readonly string[];
  /** Before this attempt. */
  deferrals: number;
  /** Since the first attempt. */
  elapsedMs: number;
  /** From 0 to 1. */
  jitter: number;
  /**
   * How long a relay gets to finish the mail when its reply was lost, before it is asked for evidence; null: it cannot be asked.
   */
  evidenceAfterMs: number | null;
}

export interface Judgement {
  outcome: Outcome;
  bounces: Bounce[];
}

/** The outcome of an attempt for a message to one address. */
export function judgeDelivery(attempt: Attempt): Judgement {
  const bounces: Bounce[] = [];
  return { outcome: judgeRecipient(attempt, 0, bounces), bounces };
}

/** The same for to, cc and bcc: each has an outcome of its own, and the message is open while one of them is. */
export function judgeRecipients(
  attempt: Attempt,
  recipients: readonly MessageRecipient[],
): Judgement & { recipients: MessageRecipient[] } {
  const bounces: Bounce[] = [];
  const open: Outcome[] = [];
  const after = recipients.map((recipient) => {
    const index = attempt.addresses.indexOf(recipient.email);
    if (index === -1 || !isOpenRecipient(recipient)) return recipient;
    const outcome = judgeRecipient(attempt, index, bounces);
    if (['deferred', 'unknown', 'back'].includes(outcome.kind)) open.push(outcome);
    return afterOutcome(recipient, outcome);
  });
  return { recipients: after, bounces, outcome: openOutcome(open) ?? outcomeOf(after[0]!) };
}

export function afterOutcome(recipient: MessageRecipient, outcome: Outcome): MessageRecipient {
  const state = outcome.kind === 'back' ? states.queued : outcome.kind;
  const reply = 'reply' in outcome ? (outcome.reply ?? recipient.reply) : recipient.reply;
  if (outcome.kind === 'suppressed') return { ...recipient, state, reply, reason: null, suppressedBy: outcome.by };
  return { ...recipient, state, reply, reason: 'reason' in outcome ? (outcome.reason ?? null) : null };
}

/** A recipient's final outcome, as the outcome of the message whose first recipient it is. */
function outcomeOf({ state, reply, reason, suppressedBy }: MessageRecipient): Outcome {
  const said = reply ?? { code: 0, enhanced: null, text: '' };
  if (state === states.bounced) return { kind: 'bounced', reply: said, reason: reason ?? '' };
  if (state === states.failed) return { kind: 'failed', reply, reason: reason ?? '' };
  if (suppressedBy) return { kind: 'suppressed', by: suppressedBy };
  return { kind: 'sent', reply: said };
}

function judgeRecipient(attempt: Attempt, index: number, bounces: Bounce[]): Outcome {
  const { delivery, addresses } = attempt;
  const { accepted, ...own } = delivery.recipients[index]!;
  const reply = delivery.relay === undefined ? own : { ...own, relay: delivery.relay };
  if (accepted) return { kind: 'sent', reply };
  if (!isRefused(delivery, reply)) return judgeEnd(attempt);
  const phase = delivery.kind === 'answered' ? delivery.phase : 'rcpt';
  const classification = classifyReply({ ...reply, phase });
  const { reason } = classification;
  if (classification.class === 'accepted') return { kind: 'sent', reply };
  if (classification.class === 'relay') return { kind: 'back', delayMs: classification.retryAfterMs ?? BUSY_MS };
  if (classification.class === 'deferred')
    return deferred(attempt, { reply, reason, retryAfterMs: classification.retryAfterMs });
  if (classification.class === 'failed') return { kind: 'failed', reply, reason };
  bounces.push({ email: addresses[index]!, reply, classification });
  return { kind: 'bounced', reply, reason };
}

/** Replies that follow a refused MAIL in a pipeline are about commands out of order, not about recipients. */
function isRefused({ kind, phase }: Delivery, { code }: SmtpReply): boolean {
  if (code < 400) return false;
  if (kind === 'answered') return true;
  return code !== 421 && phase !== 'mail' && phase !== 'connect' && phase !== 'greeting';
}

/** No reply came for this recipient: the end of the dialogue decides. */
function judgeEnd(attempt: Attempt): Outcome {
  const { delivery, deferrals } = attempt;
  switch (delivery.kind) {
    case 'answered':
    case 'fenced':
      return { kind: 'back', delayMs: 0 };
    case 'relay':
      return { kind: 'back', delayMs: delivery.answered && delivery.phase !== 'greeting' ? SENT_AWAY_MS : 0 };
    case 'lost': {
      const soon = LOST_DELAYS_MS[deferrals] ?? null;
      return soon === null
        ? deferred(attempt, { reply: null, reason: LOST, retryAfterMs: null })
        : { kind: 'deferred', reply: null, reason: LOST, delayMs: soon };
    }
    case 'unknown': {
      const handedTo = delivery.relay === undefined ? {} : { relay: delivery.relay };
      return { kind: 'unknown', reason: NO_ANSWER, retryMs: retryUnknownMs(attempt), ...handedTo };
    }
  }
}

function deferred(
  { deferrals, elapsedMs, jitter }: Attempt,
  { reply, reason, retryAfterMs }: { reply: SmtpReply | null; reason: string; retryAfterMs: number | null },
): Outcome {
  const delayMs = retryDelayMs({ deferrals: deferrals + 1, elapsedMs, jitter, retryAfterMs });
  if (delayMs === null) return { kind: 'failed', reply, reason: `${reason} ${STILL_DEFERRED}` };
  return { kind: 'deferred', reply, reason, delayMs };
}

/** null: it stays unknown until a person decides. */
function retryUnknownMs({ lane, deferrals, elapsedMs, jitter, evidenceAfterMs }: Attempt): number | null {
  if (evidenceAfterMs !== null) return evidenceAfterMs;
  if (!LANE_POLICIES[lane].repeatsUnknown) return null;
  return deferrals === 0 ? UNKNOWN_FIRST_MS : retryDelayMs({ deferrals, elapsedMs, jitter });
}

/** unknown before deferred before back; of several, the earliest time. */
function openOutcome(open: Outcome[]): Outcome | null {
  const unknown = open.find(({ kind }) => kind === 'unknown');
  if (unknown) return unknown;
  const waits = open.flatMap((outcome) => (outcome.kind === 'deferred' || outcome.kind === 'back' ? [outcome] : []));
  const delayMs = Math.min(...waits.map((wait) => wait.delayMs));
  const first = waits.find(({ kind }) => kind === 'deferred');
  return first ? { ...first, delayMs } : waits[0] ? { kind: 'back', delayMs } : null;
}
