import type { Document, ObjectId } from 'mongodb';
import { waitToBeCounted } from './counting/facts.ts';
import { after, type Claimed, type Outcome, type Verdict } from './ledger.ts';
import type { MessageRecipient, SmtpReply } from './model.ts';
import type { Classification } from './rules/bounces.ts';
import { COUNTED_STATES, DEFERRAL_STATES, DELIVERED_STATES, FINAL_STATES, states } from './states.ts';

export interface Ended {
  held: Claimed;
  outcome: Outcome;
  /** Refusals of this attempt that concern an address. */
  bounces?: Bounce[] | undefined;
  /** Set where to, cc and bcc have outcomes of their own. */
  recipients?: MessageRecipient[] | undefined;
}

export interface Bounce {
  email: string;
  reply: SmtpReply;
  classification: Classification;
}

export function endedBy(held: Claimed, { recipients, ...outcome }: Verdict): Ended {
  return { held, outcome, recipients };
}

/**
 * One update that gives each message its own outcome. A sent message keeps the facts in its fields, so its timeline is not
 * touched.
 */
export function outcomePipeline(ids: ObjectId[], outcomes: Document[]): Document[] {
  const ended = { $in: ['$outcome.state', FINAL_STATES] };
  const entry = { $mergeObjects: ['$outcome.entry', { at: '$$NOW', claimedAt: '$claimedAt' }] };
  const dueAt = { $cond: [{ $eq: ['$lane', 'campaign'] }, '$$REMOVE', '$$NOW'] };
  const later = { $cond: [{ $gte: ['$outcome.delayMs', 0] }, after('$outcome.delayMs'), '$$REMOVE'] };
  return [
    { $set: { outcome: { $arrayElemAt: [{ $literal: outcomes }, { $indexOfArray: [{ $literal: ids }, '$_id'] }] } } },
    { $set: waitToBeCounted({ $in: ['$outcome.state', COUNTED_STATES] }) },
    {
      $set: {
        state: '$outcome.state',
        reply: { $ifNull: ['$outcome.reply', '$reply'] },
        reason: '$outcome.reason',
        suppressedBy: '$outcome.suppressedBy',
        recipients: { $ifNull: ['$outcome.recipients', '$recipients'] },
        deferrals: {
          $cond: [
            { $in: ['$outcome.state', DEFERRAL_STATES] },
            { $add: [{ $ifNull: ['$deferrals', 0] }, 1] },
            '$deferrals',
          ],
        },
        sentAt: { $cond: [{ $in: ['$outcome.state', DELIVERED_STATES] }, '$$NOW', '$sentAt'] },
        endedAt: { $cond: [ended, '$$NOW', '$endedAt'] },
        dueAt: { $cond: [{ $eq: ['$outcome.delayMs', 'none'] }, dueAt, later] },
        timeline: {
          $cond: ['$outcome.entry', { $concatArrays: [{ $ifNull: ['$timeline', []] }, [entry]] }, '$timeline'],
        },
      },
    },
    { $unset: 'outcome' },
  ];
}

/** The outcome in the form that outcomePipeline takes. */
export function stored({ outcome, recipients }: Pick<Ended, 'outcome' | 'recipients'>): Document {
  const own = recipients ? { recipients } : {};
  switch (outcome.kind) {
    case 'sent':
      return { state: states.sent, reply: outcome.reply, ...own };
    case 'bounced': {
      const { reply, reason } = outcome;
      return { state: states.bounced, reply, reason, ...own, entry: { type: 'bounced', reply, reason } };
    }
    case 'failed': {
      const { reply = null, reason } = outcome;
      return {
        state: states.failed,
        ...(reply ? { reply } : {}),
        reason,
        ...own,
        entry: entryOf('failed', reply, reason),
      };
    }
    case 'deferred': {
      const { reply, reason, delayMs } = outcome;
      const said = { ...(reply ? { reply } : {}), reason, delayMs: Math.round(delayMs) };
      return { state: states.deferred, ...said, ...own, entry: entryOf('deferred', reply, reason) };
    }
    case 'unknown': {
      const { reason, retryMs, relay } = outcome;
      const entry = { type: 'unknown', reason, ...(relay === undefined ? {} : { relay }) };
      return { state: states.unknown, reason, ...due(retryMs), ...own, entry };
    }
    case 'suppressed': {
      const { by } = outcome;
      return { state: states.suppressed, suppressedBy: by, ...own, entry: { type: 'suppressed', reason: by.reason } };
    }
    case 'back': {
      const { delayMs, reason } = outcome;
      const said = reason === undefined ? {} : { reason, entry: entryOf('capped', null, reason) };
      return { state: states.queued, ...own, ...said, delayMs: delayMs > 0 ? Math.round(delayMs) : 'none' };
    }
  }
}

function due(delayMs: number | null): Document {
  return delayMs === null ? {} : { delayMs: Math.round(delayMs) };
}

function entryOf(type: string, reply: object | null, reason: string): Document {
  return { type, ...(reply ? { reply } : {}), reason };
}
