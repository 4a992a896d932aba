import type { Deps } from '../../base/deps.ts';
import { states } from '../../outbox/states.ts';
import type { Campaign, CampaignStatus } from '../model.ts';
import { release } from './gradual-release.ts';

export interface WaitStep {
  kind: 'wait';
  status: CampaignStatus;
  waitMs: number;
  summary: string;
}

/** Ranges of queued messages, and before them the deferred ones that are due. */
export interface SendStep {
  kind: 'send';
  status: CampaignStatus;
  fromSeq: number;
  toSeq: number;
  pageSize: number;
  pagesAtOnce: number;
  /** The last `seq` of deferred messages that may be sent now; null: none is due. */
  deferredUpTo: number | null;
  summary: string;
}

/**
 * A range takes some five seconds, so that pauses, deploys and crashes cost little; small campaigns are shared by all processes
 * too.
 */
const PAGE_MAX = 10_000;
const PAGE_MIN = 500;
const PAGES_EACH = 3;
/** Deferred messages become due one by one; each check includes those of the next seconds. */
const DEFERRED_LOOK_MS = 2_000;
const NO_LIMIT = Number.MAX_SAFE_INTEGER;

/** The recipients that may be sent to now, or until when they wait; null when none is left. */
export async function sendingStep(deps: Deps, campaign: Campaign): Promise<SendStep | WaitStep | null> {
  const { status } = campaign;
  const released = status === 'sending_gradual' ? await release(deps, campaign) : null;
  const upTo = (released?.upTo ?? NO_LIMIT) - 1;
  const [deferredMs, range] = await Promise.all([deferredWaitMs(deps, campaign), queuedRange(deps, campaign, upTo)]);
  const deferredUpTo = deferredMs !== null && deferredMs <= 0 ? upTo : null;
  if (range || deferredUpTo !== null) return sendStep(deps, campaign, range, deferredUpTo);
  const untilDeferred = deferredMs === null ? [] : [Math.max(deferredMs, DEFERRED_LOOK_MS)];
  const nextSlice = released && (await isQueuedAfter(deps, campaign, upTo)) ? released.nextBatchAt : null;
  const untilSlice = nextSlice ? [Math.max(1, nextSlice.getTime() - deps.clock.now().getTime())] : [];
  const waits = [...untilDeferred, ...untilSlice];
  if (waits.length === 0) return null;
  const summary = nextSlice ? `next slice at ${nextSlice.toISOString()}` : 'some are deferred';
  return { kind: 'wait', status, waitMs: Math.min(...waits), summary };
}

interface Range {
  fromSeq: number;
  toSeq: number;
}

function sendStep(
  { config }: Deps,
  { status, sendRatePerSecond }: Campaign,
  range: Range | null,
  deferredUpTo: number | null,
): SendStep {
  // Only a single range at a time can keep a rate.
  const pagesAtOnce = sendRatePerSecond === null ? config.workerProcesses + 1 : 1;
  const { fromSeq, toSeq } = range ?? { fromSeq: 1, toSeq: 0 };
  const share = Math.ceil((toSeq - fromSeq + 1) / (pagesAtOnce * PAGES_EACH));
  const pageSize = Math.min(PAGE_MAX, Math.max(PAGE_MIN, share));
  return { kind: 'send', status, fromSeq, toSeq, pageSize, pagesAtOnce, deferredUpTo, summary: 'sends' };
}

/** The lowest and the highest `seq` of queued messages. */
async function queuedRange({ db }: Deps, { _id, projectId }: Campaign, upTo: number): Promise<Range | null> {
  const filter = { campaignId: _id, projectId, state: states.queued, seq: { $lte: upTo } };
  const end = (seq: 1 | -1) => db.messages.findOne(filter, { sort: { seq }, projection: { seq: 1 }, hint: 'campaign' });
  const [first, last] = await Promise.all([end(1), end(-1)]);
  return first?.seq !== undefined && last?.seq !== undefined ? { fromSeq: first.seq, toSeq: last.seq } : null;
}

async function isQueuedAfter({ db }: Deps, { _id, projectId }: Campaign, place: number): Promise<boolean> {
  const filter = { campaignId: _id, projectId, state: states.queued, seq: { $gt: place } };
  return (await db.messages.findOne(filter, { projection: { _id: 1 }, hint: 'campaign' })) !== null;
}

/** Until the first deferred message is due, by the database's clock; null when there is none. */
async function deferredWaitMs({ db }: Deps, { _id, projectId }: Campaign): Promise<number | null> {
  const [first] = await db.messages
    .aggregate<{ waitMs: number | null }>(
      [
        { $match: { campaignId: _id, projectId, state: states.deferred } },
        { $group: { _id: null, dueAt: { $min: '$dueAt' } } },
        { $project: { waitMs: { $subtract: [{ $ifNull: ['$dueAt', '$$NOW'] }, '$$NOW'] } } },
      ],
      { hint: 'campaign' },
    )
    .toArray();
  return first?.waitMs ?? null;
}
