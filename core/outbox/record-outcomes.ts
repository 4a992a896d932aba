import type { Document, Filter, ObjectId } from 'mongodb';
import type { Check, Held, Verdict } from './ledger.ts';
import { after, type Ledger, type LedgerDeps, type Outcome } from './ledger.ts';
import type { Message, MessageRecipient, SmtpReply } from './model.ts';
import type { Lane } from './relay.ts';
import type { Classification } from './rules/bounces.ts';
import { DEFERRAL_STATES, DELIVERED_STATES, FINAL_STATES, ORPHAN_STATES, states } from './states.ts';

const GROUP_MAX = 64;
const GROUP_WAIT_MS = 10;
/** No connection waits for these writes, and a batch of 64 costs MongoDB a third less per message than one of 16. */
const GROUP_WAIT_CAMPAIGN_MS = 25;
/** In the transactional lane the connection waits for the write. */
const GROUP_WAIT_AWAITED_MS = 2;
const WRITES_MAX = 4;
/** Nothing new is claimed while more outcomes than this are unwritten. */
export const UNWRITTEN_MAX = 1_000;
const REPEAT_FIRST_MS = 50;
const REPEAT_MAX_MS = 2_000;

export interface Ended {
  held: Held;
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

export interface OutcomeWriter {
  /** Resolves when the outcome is durable. Never rejects: the write is repeated until it succeeds. */
  write(ended: Ended): Promise<void>;
  /** The number of outcomes that are not written yet. */
  unwritten(): number;
  /** Resolves when everything is written. */
  drained(): Promise<void>;
}

/**
 * Runs before the outcomes are stored, and again when that fails: suppressions after a hard bounce, events for webhooks. It must
 * be safe to repeat; then nothing that follows from an outcome is lost in a crash.
 */
export type Effects = (ended: Ended[]) => Promise<void>;

type Waiting = { ended: Ended; resolve: () => void };

/**
 * Writes outcomes in batches of up to 64, gathered for 2 to 25 ms, one outcome per message, and releases each message when it is
 * written.
 */
export function outcomeWriter(
  deps: LedgerDeps,
  ledger: Ledger,
  effects: Effects,
  written: (ended: Ended[]) => void = () => undefined,
): OutcomeWriter {
  const waiting: Waiting[] = [];
  let writing = 0;
  let count = 0;
  let timer: NodeJS.Timeout | undefined;
  const idle: Array<() => void> = [];

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    while (waiting.length > 0 && writing < WRITES_MAX) {
      writing += 1;
      void settle(waiting.splice(0, GROUP_MAX));
    }
  }

  async function settle(group: Waiting[]): Promise<void> {
    await untilWritten(
      group.map(({ ended }) => ended),
      () =>
        writeOutcomes(
          deps,
          ledger,
          effects,
          group.map(({ ended }) => ended),
        ),
    );
    written(group.map(({ ended }) => ended));
    for (const { ended, resolve } of group) {
      ledger.held.delete(ended.held._id.toHexString());
      resolve();
    }
    writing -= 1;
    count -= group.length;
    if (count === 0) for (const resolve of idle.splice(0)) resolve();
    if (waiting.length > 0) flush();
  }

  async function untilWritten(group: Ended[], write: () => Promise<void>): Promise<void> {
    for (let waitMs = REPEAT_FIRST_MS; ; waitMs = Math.min(REPEAT_MAX_MS, waitMs * 2)) {
      try {
        return await write();
      } catch (error) {
        deps.log.warn({ err: error, messages: group.length }, 'writing outcomes failed; retrying');
        await new Promise((resolve) => setTimeout(resolve, waitMs));
      }
    }
  }

  return {
    write: (ended) =>
      new Promise((resolve) => {
        waiting.push({ ended, resolve });
        count += 1;
        if (waiting.length >= GROUP_MAX) flush();
        else timer ??= setTimeout(flush, waitMs(ended.held.about?.lane));
      }),
    unwritten: () => count,
    drained: () => (count === 0 ? Promise.resolve() : new Promise((resolve) => idle.push(resolve))),
  };
}

function waitMs(lane: Lane | undefined): number {
  if (lane === 'transactional') return GROUP_WAIT_AWAITED_MS;
  return lane === 'campaign' ? GROUP_WAIT_CAMPAIGN_MS : GROUP_WAIT_MS;
}

/** Checks suppression and status after the claim; records the refused messages and returns the rest. */
export async function checkAfterClaim(held: Held[], check: Check, writer: OutcomeWriter): Promise<Held[]> {
  return applyCheck(held, await check(held.map(({ _id }) => _id)), check, writer);
}

/** For callers that have made the first check themselves; `check` is repeated with every renewal. */
export function applyCheck(held: Held[], verdicts: Map<string, Verdict>, check: Check, writer: OutcomeWriter): Held[] {
  return held.filter((one) => {
    one.check = check;
    const verdict = verdicts.get(one._id.toHexString());
    if (verdict) void writer.write(endedBy(one, verdict));
    return !verdict;
  });
}

export function endedBy(held: Held, { recipients, ...outcome }: Verdict): Ended {
  return { held, outcome, recipients };
}

async function writeOutcomes(deps: LedgerDeps, ledger: Ledger, effects: Effects, group: Ended[]): Promise<void> {
  await effects(group);
  const byWay = Map.groupBy(group, (ended) =>
    staysUnknown(ended) ? 'late' : ended.outcome.kind === 'sent' ? 'sent' : 'known',
  );
  const [late = [], sent = [], known = []] = [byWay.get('late'), byWay.get('sent'), byWay.get('known')];
  await Promise.all([
    updateOwn(deps, ledger, sent, [...inDoubt, ...queuedAgain(sent)]),
    updateOwn(deps, ledger, known, inDoubt),
    // A message that orphan settling has already marked unknown keeps its state.
    updateOwn(deps, ledger, late, [{ state: states.committing }]),
  ]);
}

const inDoubt: Filter<Message>[] = [{ state: { $in: ORPHAN_STATES } }];

/** Orphan settling has queued the message again, and the relay's 250 came before the next claim. */
function queuedAgain(sent: Ended[]): Filter<Message>[] {
  return [...Map.groupBy(sent, ({ held }) => held.claim)].map(([claim, some]) => ({
    state: states.queued,
    claim,
    _id: { $in: some.map(({ held }) => held._id) },
  }));
}

/**
 * A campaign counts unknown messages as settled and may be over: a message returned by a process that was stopped past its lease
 * would be queued and never sent. It stays unknown, for a person to send again. In the other lanes the queue picks it up.
 */
function staysUnknown({ outcome, held }: Ended): boolean {
  const isOpenAgain = outcome.kind === 'back' || outcome.kind === 'deferred';
  return outcome.kind === 'unknown' || (isOpenAgain && held.about?.lane === 'campaign');
}

async function updateOwn(
  { db }: LedgerDeps,
  { owner }: Ledger,
  group: Ended[],
  from: Filter<Message>[],
): Promise<void> {
  if (group.length === 0) return;
  const ids = group.map(({ held }) => held._id);
  const projectIds = [...new Map(group.map(({ held }) => [held.projectId.toHexString(), held.projectId])).values()];
  await db.messages.updateMany(
    { _id: { $in: ids }, projectId: { $in: projectIds }, owner, $or: from },
    outcomePipeline(ids, group.map(stored)),
  );
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
      const { reason, retryMs } = outcome;
      return { state: states.unknown, reason, ...due(retryMs), ...own, entry: { type: 'unknown', reason } };
    }
    case 'suppressed': {
      const { by } = outcome;
      return { state: states.suppressed, suppressedBy: by, ...own, entry: { type: 'suppressed', reason: by.reason } };
    }
    case 'back':
      return { state: states.queued, ...own, delayMs: outcome.delayMs > 0 ? Math.round(outcome.delayMs) : 'none' };
  }
}

function due(delayMs: number | null): Document {
  return delayMs === null ? {} : { delayMs: Math.round(delayMs) };
}

function entryOf(type: string, reply: object | null, reason: string): Document {
  return { type, ...(reply ? { reply } : {}), reason };
}
