import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../base/time/durations.ts';
import type { Phase, Reply } from '../relay.ts';
import { type BounceCategory, categoryOf } from './bounce-categories.ts';
import { isAuthFault, isOutOfOrder, isThrottle } from './relay-replies.ts';

export type { BounceCategory };

/** How long a mail may stay deferred before it has failed. */
export const DEFER_MAX_MS = DAY_MS;

const DELAYS_MS = [5 * MINUTE_MS, 15 * MINUTE_MS, HOUR_MS, 3 * HOUR_MS, 6 * HOUR_MS, 12 * HOUR_MS, DAY_MS];
const JITTER = 0.2;
const TEXT_MAX = 2_000;

interface ReplyFacts {
  /** 0 when there was no reply code, as in a delivery status notification that only has a status. */
  code: number;
  enhanced?: string | null;
  text: string;
  /** The phase of the dialogue; `dsn` when the relay took the mail and reported later that it could not deliver it. */
  phase: Phase | 'dsn';
}

/**
 * - accepted: the relay took it.
 * - relay: the relay's own state; the mail stays queued and no attempt is counted.
 * - deferred: try again, 24 hours at most.
 * - bounced: refused for good, because of the recipient; counted as sent and bounced.
 * - failed: refused for good, for a reason that is not the recipient's.
 */
export interface Classification {
  class: 'accepted' | 'relay' | 'deferred' | 'bounced' | 'failed';
  category: BounceCategory;
  /** The address is suppressed with reason BOUNCE at once. */
  suppress: boolean;
  /** The address is suppressed after this many bounces of this category within this many days. */
  suppressAfter: { bounces: number; days: number } | null;
  /** The next mail of this sending domain would be refused for the same reason: an operator should look. */
  ownFault: boolean;
  /** The delay that the reply itself asks for. */
  retryAfterMs: number | null;
  /** Shown to people who ask why a mail did not arrive. */
  reason: string;
}

/** Classifies a reply, or the report of a later failure, for the mail and for its address. Accepts any input. */
export function classifyReply({ code, enhanced = null, text, phase }: ReplyFacts): Classification {
  const said = text.slice(0, TEXT_MAX);
  const reply: Reply = { code, enhanced: enhanced ?? statusIn(said), text: said };
  const digit = firstDigit(reply, phase);
  if (digit === 2) return verdict('accepted', 'none', reply);
  const category = categoryOf(reply, digit === 5, phase);
  if (phase === 'connect' || phase === 'greeting') return verdict('relay', 'relay', reply);
  // A server that reports later has given up trying, so even a temporary status is final.
  if (phase === 'dsn')
    return verdict('bounced', category === 'temporary' || category === 'rate' ? 'expired' : category, reply);
  if (isThrottle(reply)) return verdict('relay', 'rate', reply);
  if (isAuthFault(reply) || (phase === 'mail' && isOutOfOrder(reply))) return verdict('relay', 'relay', reply);
  return verdict(digit === 5 ? permanentClass(category, phase) : 'deferred', category, reply);
}

/** The delay before the next try, or null when a mail has been deferred for 24 hours; `jitter` is a number from 0 to 1. */
export function retryDelayMs(input: {
  /** Tries that were deferred, including this one. */
  deferrals: number;
  /** Since the first try. */
  elapsedMs: number;
  jitter: number;
  retryAfterMs?: number | null;
}): number | null {
  const { deferrals, elapsedMs, jitter, retryAfterMs = null } = input;
  const leftMs = DEFER_MAX_MS - elapsedMs;
  if (leftMs <= 0) return null;
  const step = DELAYS_MS[Math.min(Math.max(deferrals, 1), DELAYS_MS.length) - 1]!;
  // The receiver's own delay is used the first time; one that keeps asking for "a second" is not believed.
  const wanted = retryAfterMs === null ? step : deferrals <= 1 ? retryAfterMs : Math.max(step, retryAfterMs);
  return Math.min(leftMs, Math.round(wanted * (1 + JITTER * jitter)));
}

const UNITS_MS: Record<string, number> = { s: 1_000, m: MINUTE_MS, h: HOUR_MS };
const RETRY_TEXT =
  /\b(?:again|retry|retried|wait|delayed|deferred|back|greylist(?:ed|ing)?|expires?|available)\b[^.;\d]{0,40}?(\d{1,5})\s*(s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?)\b/i;

/** "Please try again in 5 minutes": between 5 seconds and a day. */
export function parseRetryAfter(text: string): number | null {
  const [, count, unit] = RETRY_TEXT.exec(text.slice(0, 2_000)) ?? [];
  if (!count || !unit) return null;
  return Math.min(DAY_MS, Math.max(5_000, Number(count) * UNITS_MS[unit[0]!.toLowerCase()]!));
}

function firstDigit({ code, enhanced }: Reply, phase: ReplyFacts['phase']): number {
  const ofCode = code >= 200 && code < 600 ? Math.floor(code / 100) : 0;
  const ofStatus = Number(enhanced?.[0] ?? 0);
  // In a dialogue the reply code decides (RFC 5321); in a report the status does (RFC 3464).
  return phase === 'dsn' ? ofStatus || ofCode || 5 : ofCode || 4;
}

function permanentClass(category: BounceCategory, phase: Phase): Classification['class'] {
  switch (category) {
    case 'mailbox':
    case 'expired':
      return 'bounced';
    case 'full':
    case 'network':
      return 'deferred';
    case 'unknown':
      return phase === 'rcpt' ? 'bounced' : 'failed';
    default:
      return 'failed';
  }
}

function verdict(result: Classification['class'], category: BounceCategory, reply: Reply): Classification {
  return {
    class: result,
    category,
    suppress: result === 'bounced' && category === 'mailbox',
    suppressAfter: result === 'bounced' ? suppressAfter(category, reply) : null,
    ownFault: category === 'authentication' || category === 'sender',
    retryAfterMs: result === 'deferred' || result === 'relay' ? parseRetryAfter(reply.text) : null,
    reason: REASONS[category],
  };
}

function suppressAfter(category: BounceCategory, { enhanced }: Reply): Classification['suppressAfter'] {
  if (category === 'full') return { bounces: 3, days: 30 };
  if (category === 'unknown') return { bounces: 2, days: 7 };
  // A name that cannot be resolved means a bad address; a server that is down will be up again.
  return category === 'network' && enhanced === '5.4.4' ? { bounces: 3, days: 2 } : null;
}

const REASONS: Record<BounceCategory, string> = {
  none: '',
  mailbox: 'The address does not exist or takes no mail.',
  full: 'The mailbox is full.',
  temporary: 'The receiving server could not take the mail now.',
  greylist: 'The receiving server asks unknown senders to come back later.',
  rate: 'The server asks to send more slowly.',
  size: 'The mail is larger than the receiving server takes.',
  reputation: 'The receiving server refused the mail by its policy, as spam, or because of a block list.',
  content: 'The receiving server did not take the content of the mail.',
  authentication: 'The mail failed SPF, DKIM, DMARC or reverse DNS: check the records of the sending domain.',
  sender: 'The server does not take mail from this sender: check the relay and the sending domain.',
  network: 'The receiving server could not be found or reached.',
  expired: 'The relay gave up delivering the mail.',
  protocol: 'The server did not understand the mail transaction.',
  relay: 'The relay is not taking mail now.',
  unknown: 'The mail was refused without a reason that is known.',
};

/** Old servers put the status into the text, as in "(#5.1.1)". */
function statusIn(text: string): string | null {
  return /(?<![\d.])[245]\.\d{1,3}\.\d{1,3}(?!\.?\d)/.exec(text.slice(0, 2_000))?.[0] ?? null;
}
