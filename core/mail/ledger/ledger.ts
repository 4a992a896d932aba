import { randomInt } from 'node:crypto';
import { ObjectId } from 'mongodb';
import { distinctIds } from '../../base/ids.ts';
import type { MailDeps } from '../deps.ts';
import type { BlockClaim } from './blocks/model.ts';
import { BLOCK_CLAIM } from './blocks/recipient-id.ts';
import type { Tally } from './counting/tally.ts';
import type { DotState, DotWriter } from './dot-journal.ts';
import type { Message, MessageRecipient, SmtpReply, SuppressedBy } from './model.ts';

/** For this long after a claim or a renewal no other process takes the message, by the database's clock. */
export const LEASE_MS = 30_000;
/** How long after asking for the lease a final dot may still be written, by this process's monotonic clock. */
export const DOT_MS = 20_000;
export const RENEW_EVERY_MS = 10_000;
/** The most messages that are claimed at once. */
export const CLAIM_MAX = 64;

export type LedgerDeps = Pick<MailDeps, 'state' | 'db' | 'mongo' | 'clock' | 'log' | 'evidence' | 'config' | 'dots'>;

/** Why a message must not be sent. `back`: not now (a campaign was paused); with a reason where its recipient waits for a time. */
export type Verdict = (
  | { kind: 'suppressed'; by: SuppressedBy }
  | { kind: 'failed'; reason: string; reply?: SmtpReply | null }
  | { kind: 'back'; delayMs: number; reason?: string }
) & {
  /** Set where to, cc and bcc have outcomes of their own. */
  recipients?: MessageRecipient[] | undefined;
};

/**
 * Checks claimed messages on the primary, after the claim and with every renewal. Messages that may be sent are not in the
 * result.
 */
export type Check = (held: readonly Claimed[]) => Promise<Map<Claimed, Verdict>>;

/** The time in which final dots may be written. A message has one of its own, or shares that of its block's claim. */
interface Lease {
  /** By the monotonic clock of this process. */
  safeUntilMs: number;
  check: Check | null;
}

/** A claim of a part of a block, until it is closed. */
export interface OpenClaim extends Lease {
  readonly place: BlockClaim;
  /** In the order of the block, from `place.from`. */
  readonly recipients: Claimed[];
  /** Recipients whose outcome is not a row yet. */
  unwritten: number;
  /** Another process has taken it over, and settles what has no row. */
  isLost: boolean;
  /** Of what its rows were inserted with; null: some were there already, so that the rows have to be read. */
  tally: Tally | null;
}

/** A message that this process has claimed. */
export interface Claimed {
  readonly _id: ObjectId;
  readonly projectId: ObjectId;
  readonly claim: number;
  readonly lease: Lease;
  /** Set for a recipient of a block, which has no row before its outcome. */
  readonly part: { readonly claim: OpenClaim; readonly seq: number } | null;
  /** The result of a check during a renewal: the final dot must not be written. */
  stopped: Verdict | null;
  dotWritten: boolean;
  /** As the dot journal has it. */
  noted?: DotState;
  /** When the final dot was written, by the monotonic clock; then how long the relay took to answer it. */
  dotAtMs?: number;
  answeredMs?: number;
  /** The address that its contact has today, where that is another one. */
  presentEmail?: string;
  /** The message's facts, for code that follows outcomes. */
  about: MessageFacts | null;
}

/** The facts that events of a message carry, and when it was accepted or was to be sent; a lane sets them when it has read them. */
type MessageFacts = Pick<
  Message,
  | 'lane'
  | 'email'
  | 'recipients'
  | 'copy'
  | 'campaignId'
  | 'automationId'
  | 'batchId'
  | 'contactId'
  | 'tags'
  | 'subject'
  | 'createdAt'
  | 'scheduledAt'
>;

export interface Claim {
  readonly number: number;
  readonly held: Claimed[];
  /** Becomes the Date of messages that had none; after an earlier attempt the document has it. */
  readonly firstAt: Date;
}

/** The claims of one process. The owner is new with every start, so no other process is ever mistaken for it. */
export interface Ledger {
  readonly owner: string;
  /** Claimed rows, by id. */
  readonly held: Map<string, Claimed>;
  /** Open claims of blocks, by id. */
  readonly blocks: Map<string, OpenClaim>;
  /** The number of its last claim. */
  claims: number;
  /** Not set where no dot journal can be kept. */
  dots?: DotWriter;
  /** True while the process stops: no final dot is written any more, and unsent claims are returned. */
  stopping: boolean;
  /** Monotonic milliseconds, including the time that the machine was suspended. */
  now(): number;
}

/** The wall clock may be set a little; a larger difference between two readings counts as a suspended machine. */
const GAP_MIN_MS = 1_000;

/** Half of the numbers that a dot journal has place for. */
const FIRST_CLAIM_MAX = 2 ** 29;

export function openLedger(monotonic?: () => number, wall: () => number = monotonic ?? Date.now): Ledger {
  const now = countingSuspension(monotonic ?? (() => performance.now()), wall);
  // Two processes that defer a message have two events of it: the number of the claim is in their key.
  const claims = randomInt(BLOCK_CLAIM, FIRST_CLAIM_MAX);
  return { owner: new ObjectId().toHexString(), held: new Map(), blocks: new Map(), claims, stopping: false, now };
}

/**
 * The monotonic clock does not run while the machine is suspended, but leases do. The time by which the wall clock is ahead
 * afterwards is added, so every lease counts as ended until the database has renewed it. Setting the clock ahead costs a renewal;
 * setting it back costs nothing.
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

/** Messages whose outcome this process still has to write. */
export function claimedBy({ held, blocks }: Ledger): number {
  return [...blocks.values()].reduce((sum, { unwritten }) => sum + unwritten, held.size);
}

/** How an attempt, or the check before it, ended. `back`: no final dot was written, and no attempt is counted. */
export type Outcome =
  | { kind: 'sent'; reply: SmtpReply }
  | { kind: 'bounced'; reply: SmtpReply; reason: string }
  | { kind: 'deferred'; reply: SmtpReply | null; reason: string; delayMs: number }
  | { kind: 'unknown'; reason: string; retryMs: number | null; relay?: string }
  | Verdict;

/** `$$NOW` plus this many milliseconds, for update pipelines: leases are measured by the database's clock. */
export function after(amount: number | string) {
  return { $dateAdd: { startDate: '$$NOW', unit: 'millisecond', amount } };
}

export function distinctProjects(held: readonly Pick<Claimed, 'projectId'>[]): ObjectId[] {
  return distinctIds(held.map(({ projectId }) => projectId));
}
