import type { ObjectId } from 'mongodb';
import type { DotStates } from './dot-journal.ts';
import { LEASE_MS, type LedgerDeps } from './ledger.ts';
import type { Message } from './model.ts';
import { LANE_POLICIES } from './rules/lane-policy.ts';
import { reachOf } from './rules/taken.ts';
import { type MessageState, states } from './states.ts';

export interface OrphanCounts {
  sent: number;
  queued: number;
  unknown: number;
  /** Checked again later: no evidence could be had. */
  later: number;
}

type Orphan = Pick<Message, '_id' | 'lane' | 'state' | 'claim' | 'recipients' | 'orphaned'>;
/**
 * accepted, unsent: the owner's dot journal says so; unsent: the dot was never begun, or the relay refused it. partly: the relay has it
 * for some of to, cc and bcc. early: the relay is asked when it has had its time.
 */
export type Resolution = 'sent' | 'accepted' | 'partly' | 'queued' | 'unsent' | 'unknown' | 'early' | 'later';

/** Null: the campaign or the mail that the message belonged to is gone. */
export type MessageIdOf = (messageId: ObjectId) => Promise<string | null>;

/** A mail that ends the process that sends it must not do so for ever, nor hold up the others while it does. */
const ORPHANED_MAX = 5;

/** Decides about a message whose owner is gone: by the owner's dot journal, then by evidence, else by policy. */
export async function resolveOrphan(
  { evidence, log, config }: Pick<LedgerDeps, 'evidence' | 'log' | 'config'>,
  orphan: Orphan,
  { messageIdOf, dots }: { messageIdOf: MessageIdOf; dots: DotStates | null },
): Promise<Resolution> {
  const { _id, claim, state } = orphan;
  let isInPart = false;
  if (state === states.committing && claim !== undefined && dots) {
    const noted = dots.of({ _id, claim });
    if (noted === 'accepted') return 'accepted';
    isInPart = noted === 'inPart';
    if (noted !== 'begun' && !isInPart) return unsent(orphan);
  }
  const reach = reachOf(orphan, isInPart);
  if (evidence.isKnown && reach !== 'nothing') {
    if (state === states.committing && evidenceWaitMs(config) > 0) return 'early';
    try {
      const messageId = await messageIdOf(_id);
      if (messageId !== null && !(await evidence.accepted(messageId))) return again(orphan);
      if (messageId !== null) return reach === 'all' ? 'sent' : 'partly';
    } catch (error) {
      log.warn({ err: error, message: _id }, 'evidence about a message is unavailable; retrying');
      return 'later';
    }
  }
  return LANE_POLICIES[orphan.lane].repeatsUnknown ? again(orphan) : 'unknown';
}

function again(orphan: Orphan): Resolution {
  return orphanedTimes(orphan) < ORPHANED_MAX ? 'queued' : 'unknown';
}

function unsent(orphan: Orphan): Resolution {
  return again(orphan) === 'queued' ? 'unsent' : 'unknown';
}

/** Includes this time: a message that is unknown already was counted, or its process had an outcome to write. */
export function orphanedTimes({ state, orphaned = 0 }: Orphan): number {
  return state === states.committing ? orphaned + 1 : orphaned;
}

/** The relay may still be finishing the mail; the lease has given it some of that time. */
export function evidenceWaitMs({ smtpEvidenceDelaySeconds }: LedgerDeps['config']): number {
  return smtpEvidenceDelaySeconds * 1_000 - LEASE_MS;
}

/** For the timeline and the message's reason. */
function reasonOf(resolution: Exclude<Resolution, 'later'>, orphan: Orphan): string {
  switch (resolution) {
    case 'sent':
      return 'The relay has it, as the evidence says.';
    case 'accepted':
      return 'The relay took it, as the sending process noted before it ended.';
    case 'partly':
      return 'The relay has it for some of the recipients, as the evidence says; the others are tried again.';
    case 'queued':
      return 'Nobody knows that the relay took it, so it is sent again with the same Message-ID.';
    case 'unsent':
      return 'The sending process ended, and the relay did not have the mail.';
    case 'early':
      return 'The sending process ended before the relay had answered; the relay is asked.';
    case 'unknown': {
      const times = orphanedTimes(orphan);
      return times < ORPHANED_MAX
        ? 'The sending process ended before the relay had answered.'
        : `The sending process ended ${times} times before the relay had answered; the mail is not sent again.`;
    }
  }
}

/** Dates for a row that is inserted, expressions for one that is changed. */
interface Times<At> {
  now: At;
  /** Every delivered mail needs a start time to count from; the attempt is the nearest time that is known. */
  sentAt: At;
  /** When the relay is asked. */
  askedAt: At;
  /** When the mail is sent again; undefined: at once. */
  againAt: At | undefined;
}

interface SettledFields<At> {
  state: MessageState;
  reason?: string;
  dueAt?: At;
  sentAt?: At;
  endedAt?: At;
}

/** The fields of a message after its resolution, without `reason` and `dueAt` where it has none any more, and its line in the timeline. */
export function settledFields<At>(
  resolution: Exclude<Resolution, 'later'>,
  orphan: Orphan,
  { now, sentAt, askedAt, againAt }: Times<At>,
): { fields: SettledFields<At>; line: { type: string; reason: string } | null } {
  const reason = reasonOf(resolution, orphan);
  switch (resolution) {
    case 'sent':
    case 'accepted':
      return { fields: { state: states.sent, sentAt, endedAt: now }, line: { type: 'resolved', reason } };
    case 'partly':
    case 'queued':
    case 'unsent': {
      const due = againAt === undefined ? {} : { dueAt: againAt };
      return { fields: { state: states.queued, ...due }, line: { type: 'requeued', reason } };
    }
    case 'unknown':
      return { fields: { state: states.unknown, reason }, line: { type: 'unknown', reason } };
    case 'early':
      return { fields: { state: states.unknown, reason, dueAt: askedAt }, line: null };
  }
}

export function countAs(resolution: Resolution): keyof OrphanCounts {
  if (resolution === 'unsent' || resolution === 'partly') return 'queued';
  if (resolution === 'accepted') return 'sent';
  return resolution === 'early' ? 'later' : resolution;
}
