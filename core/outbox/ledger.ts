import { ObjectId } from 'mongodb';
import type { Claim, Held, Verdict } from './claim.ts';
import type { MessageState, SmtpReply } from './model.ts';
import type { Lane, SendingDeps } from './relay.ts';

/** After a claim or a renewal, nobody else takes the message for this long, by the database's clock. */
export const LEASE_MS = 30_000;
/** How long after asking for the lease a final dot may still be written, by this process's monotonic clock. */
export const DOT_MS = 20_000;
export const RENEW_EVERY_MS = 10_000;
/** More messages than this are never claimed at once. */
export const CLAIM_MAX = 64;

/** What may still be sent; every other state is an outcome. */
export const OPEN_STATES: readonly MessageState[] = ['queued', 'deferred', 'committing'];

export type LedgerDeps = Pick<SendingDeps, 'db' | 'clock' | 'log' | 'evidence' | 'config'>;

/** What one process knows about the messages that it has claimed. Its owner is new with every start, so no other process is ever mistaken for it. */
export interface Ledger {
  readonly owner: string;
  readonly held: Map<string, Held>;
  claims: number;
  /** No dot is written any more; what is claimed goes back. */
  stopping: boolean;
  /** Monotonic milliseconds, the time included that the machine was suspended. */
  now(): number;
}

/** The wall clock may be set a little; more than this between two looks is a suspended machine, or as good as one. */
const GAP_MIN_MS = 1_000;

export function openLedger(monotonic?: () => number, wall: () => number = monotonic ?? Date.now): Ledger {
  const now = countingSuspension(monotonic ?? (() => performance.now()), wall);
  return { owner: new ObjectId().toHexString(), held: new Map(), claims: 0, stopping: false, now };
}

/**
 * The monotonic clock stands still while the machine is suspended, and leases do not: what the wall clock is ahead afterwards is added, so
 * every lease counts as over until the database has renewed it. A clock that is set ahead costs a renewal, one that is set back nothing.
 */
function countingSuspension(monotonic: () => number, wall: () => number): () => number {
  let before = { monotonic: monotonic(), wall: wall() };
  let suspendedMs = 0;
  return () => {
    const now = { monotonic: monotonic(), wall: wall() };
    const gapMs = now.wall - before.wall - (now.monotonic - before.monotonic);
    if (gapMs > GAP_MIN_MS) suspendedMs += gapMs;
    before = now;
    return now.monotonic + suspendedMs;
  };
}

/** How an attempt, or the look before it, ended. `back`: no dot was written and nothing is counted. */
export type Outcome =
  | { kind: 'sent'; reply: SmtpReply }
  | { kind: 'bounced'; reply: SmtpReply; reason: string }
  | { kind: 'deferred'; reply: SmtpReply | null; reason: string; delayMs: number }
  | { kind: 'unknown'; reason: string; retryMs: number | null }
  | { kind: 'back'; delayMs: number }
  | Verdict;

/** `$$NOW` and so many milliseconds, for update pipelines: leases are measured by the database's clock. */
export function after(amount: number | string) {
  return { $dateAdd: { startDate: '$$NOW', unit: 'millisecond', amount } };
}

/**
 * After an ambiguous end only the transactional lane sends again by itself, with the same Message-ID: a receipt twice is better than none.
 * Everything else stays `unknown` for a person to see.
 */
export function repeatsUnknown(lane: Lane): boolean {
  return lane === 'transactional';
}

export type { Claim, Held, Verdict };
