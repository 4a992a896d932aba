import type { Filter, ObjectId } from 'mongodb';
import { after, LEASE_MS, type Ledger, type LedgerDeps, repeatsUnknown } from './ledger.ts';
import type { Message } from './model.ts';
import { DELIVERED_STATES, isOpenRecipient, ORPHAN_STATES, states } from './states.ts';

export interface OrphanCounts {
  sent: number;
  queued: number;
  unknown: number;
  /** Checked again later: no evidence could be had. */
  later: number;
}

type Orphan = Pick<Message, '_id' | 'projectId' | 'lane' | 'state' | 'owner' | 'claim' | 'recipients' | 'orphaned'>;
type Resolution = keyof OrphanCounts | 'early';

/** A mail that ends the process that sends it must not do so for ever, nor hold up the others while it does. */
const ORPHANED_MAX = 5;
const ORPHANED_AGAIN_MS = 60_000;

/**
 * Settles messages for which it is not known whether the relay took them: by evidence, else by policy. Claims of this process are
 * left alone, however late their renewal is. Safe to run anywhere at any time: each change names the owner, the claim and the
 * ended lease on which it was decided.
 */
export async function settleOrphans(
  deps: LedgerDeps,
  ledger: Ledger,
  { projectId, ids, messageIdOf }: { projectId: ObjectId; ids: ObjectId[]; messageIdOf: MessageIdOf },
): Promise<OrphanCounts> {
  const counts: OrphanCounts = { sent: 0, queued: 0, unknown: 0, later: 0 };
  const strangers = ids.filter((id) => !ledger.held.has(id.toHexString()));
  const filter: Filter<Message> = { _id: { $in: strangers }, projectId, state: { $in: ORPHAN_STATES } };
  const orphans = await deps.db.messages
    .find({ ...filter, $expr: { $lte: ['$dueAt', '$$NOW'] } })
    .project<Orphan>({ projectId: 1, lane: 1, state: 1, owner: 1, claim: 1, recipients: 1, orphaned: 1 })
    .toArray();
  const decided = await Promise.all(
    orphans.map(async (orphan) => ({ orphan, resolution: await decide(deps, orphan, messageIdOf) })),
  );
  await Promise.all(
    decided.map(async ({ orphan, resolution }) => {
      const { modifiedCount } = await apply(deps, orphan, resolution);
      counts[resolution === 'early' ? 'later' : resolution] += modifiedCount;
    }),
  );
  return counts;
}

/** Null: the campaign or the mail that the message belonged to is gone. */
export type MessageIdOf = (messageId: ObjectId) => Promise<string | null>;

async function decide(
  { evidence, log, config }: LedgerDeps,
  orphan: Orphan,
  messageIdOf: MessageIdOf,
): Promise<Resolution> {
  if (evidence.isKnown && !isOfSeveralAttempts(orphan)) {
    if (orphan.state === states.committing && waitMs(config) > 0) return 'early';
    try {
      const messageId = await messageIdOf(orphan._id);
      if (messageId !== null) return (await evidence.accepted(messageId)) ? 'sent' : again(orphan);
    } catch (error) {
      log.warn({ err: error, message: orphan._id }, 'evidence about a message is unavailable; retrying');
      return 'later';
    }
  }
  return repeatsUnknown(orphan.lane) ? again(orphan) : 'unknown';
}

function again(orphan: Orphan): Resolution {
  return orphanedTimes(orphan) < ORPHANED_MAX ? 'queued' : 'unknown';
}

/** Includes this time: a message that is unknown already was counted, or its process had an outcome to write. */
function orphanedTimes({ state, orphaned = 0 }: Orphan): number {
  return state === states.committing ? orphaned + 1 : orphaned;
}

/**
 * An earlier attempt delivered the mail to some of its recipients: the relay knows the Message-ID, which proves nothing for the
 * others.
 */
function isOfSeveralAttempts({ recipients }: Orphan): boolean {
  return recipients?.some(({ state }) => DELIVERED_STATES.includes(state)) ?? false;
}

/** The relay may still be finishing the mail; the lease has given it some of that time. */
function waitMs({ smtpEvidenceDelaySeconds }: LedgerDeps['config']): number {
  return smtpEvidenceDelaySeconds * 1_000 - LEASE_MS;
}

function apply({ db, config }: LedgerDeps, orphan: Orphan, resolution: Resolution) {
  const { _id, projectId, state, owner, claim } = orphan;
  const unchanged = { _id, projectId, state, ...(owner ? { owner } : {}), ...(claim ? { claim } : {}) };
  return db.messages.updateOne({ ...unchanged, $expr: { $lte: ['$dueAt', '$$NOW'] } }, [
    { $set: { ...changes(orphan, resolution, waitMs(config)), ...counted(orphan, resolution) } },
  ]);
}

function counted(orphan: Orphan, resolution: Resolution): object {
  return resolution === 'later' || resolution === 'sent' ? {} : { orphaned: orphanedTimes(orphan) };
}

function changes(orphan: Orphan, resolution: Resolution, earlyMs: number): object {
  const { lane, recipients } = orphan;
  const at = { at: '$$NOW', claimedAt: '$claimedAt' };
  const timeline = (type: string, reason: string) => ({
    $concatArrays: [{ $ifNull: ['$timeline', []] }, [{ type, reason, ...at }]],
  });
  switch (resolution) {
    case 'sent': {
      const taken = recipients?.map((one) =>
        isOpenRecipient(one.state) ? { ...one, state: states.sent, reason: null } : one,
      );
      return {
        state: states.sent,
        reason: '$$REMOVE',
        dueAt: '$$REMOVE',
        // Every delivered mail needs a start time to count from; the attempt is the nearest time that is known.
        sentAt: { $ifNull: ['$claimedAt', '$$NOW'] },
        endedAt: '$$NOW',
        ...(taken ? { recipients: { $literal: taken } } : {}),
        timeline: timeline('resolved', 'The relay has it, as the evidence says.'),
      };
    }
    case 'queued':
      return {
        state: states.queued,
        reason: '$$REMOVE',
        dueAt: lane === 'campaign' ? '$$REMOVE' : after(Math.max(0, orphanedTimes(orphan) - 1) * ORPHANED_AGAIN_MS),
        timeline: timeline(
          'requeued',
          'Nobody knows that the relay took it, so it is sent again with the same Message-ID.',
        ),
      };
    case 'unknown': {
      const reason = reasonOfUnknown(orphan);
      return { state: states.unknown, reason, dueAt: '$$REMOVE', timeline: timeline('unknown', reason) };
    }
    case 'early':
      return {
        state: states.unknown,
        reason: 'The sending process ended before the relay had answered; the relay is asked.',
        dueAt: after(earlyMs),
      };
    case 'later':
      return { dueAt: after(LEASE_MS) };
  }
}

function reasonOfUnknown(orphan: Orphan): string {
  const times = orphanedTimes(orphan);
  return times < ORPHANED_MAX
    ? 'The sending process ended before the relay had answered.'
    : `The sending process ended ${times} times before the relay had answered; the mail is not sent again.`;
}
