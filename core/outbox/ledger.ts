import { ObjectId } from 'mongodb';
import type { Message, MessageRecipient, MessageState, SmtpReply } from './model.ts';
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

/** Who must not get it, and why. `back`: not now (a campaign was paused). */
export type Verdict = (
  | { kind: 'suppressed'; by: { groupId: string; reason: string } }
  | { kind: 'failed'; reason: string; reply?: SmtpReply | null }
  | { kind: 'back'; delayMs: number }
) & {
  /** Where to, cc and bcc have outcomes of their own. */
  recipients?: MessageRecipient[] | undefined;
};

/** Asked on the primary, after the claim and with every renewal. Says nothing about a message that may go. */
export type Look = (ids: ObjectId[]) => Promise<Map<string, Verdict>>;

/** A message that is ours until `safeUntilMs`, unless the lease is renewed. */
export interface Held {
  readonly _id: ObjectId;
  readonly projectId: ObjectId;
  readonly claim: number;
  safeUntilMs: number;
  look: Look | null;
  /** What a later look found: the dot must not be written. */
  stopped: Verdict | null;
  dotWritten: boolean;
  /** What it is, for those who want to know how it ended. */
  about: MessageFacts | null;
}

/** What events about a message say; a lane fills in what it has read. */
export type MessageFacts = Pick<
  Message,
  'lane' | 'email' | 'recipients' | 'copy' | 'campaignId' | 'automationId' | 'batchId' | 'contactId' | 'subject'
>;

export interface Claim {
  readonly number: number;
  readonly held: Held[];
  /** Becomes the Date of those that had none; read it from the document where another attempt came before. */
  readonly firstAt: Date;
}

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
