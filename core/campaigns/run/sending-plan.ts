import { type Seqs, unclaimedRange } from '../../mail/ledger/blocks/counts.ts';
import { BLOCK_MAX } from '../../mail/ledger/blocks/model.ts';
import { states } from '../../mail/ledger/states.ts';
import type { CampaignsDeps } from '../deps.ts';
import type { Campaign, CampaignStatus } from '../model.ts';
import { heldFrom } from '../variants/waiting.ts';
import { release } from './gradual-release.ts';

export interface WaitStep {
  kind: 'wait';
  status: CampaignStatus;
  waitMs: number;
  summary: string;
}

/** Ranges of blocks, and before them what waits in rows. */
export interface SendStep {
  kind: 'send';
  status: CampaignStatus;
  fromSeq: number;
  toSeq: number;
  pageSize: number;
  pagesAtOnce: number;
  /** The last `seq` of rows that may be sent now, deferred, retried or returned; null: there are none. */
  deferredUpTo: number | null;
  summary: string;
}

const PAGE_MIN = 2 * BLOCK_MAX;
/** Takes some five seconds, so that it costs little to pause, to deploy or to crash. Only large campaigns have larger ones. */
export const PAGE_SHORT = 40 * BLOCK_MAX;
/** Of each range that is sent at the same time: a small campaign is shared by all processes, and a large one takes few events. */
const PAGES_EACH = [
  { count: 3, sizeMax: PAGE_SHORT },
  { count: 12, sizeMax: 160 * BLOCK_MAX },
];
/** Deferred messages become due one by one; each check includes those of the next seconds. */
const DEFERRED_LOOK_MS = 2_000;
const NO_LIMIT = Number.MAX_SAFE_INTEGER;

/** The recipients that may be sent to now, or until when they wait; null when none is left. */
export async function sendingStep(deps: CampaignsDeps, campaign: Campaign): Promise<SendStep | WaitStep | null> {
  const { status, freeze } = campaign;
  const released = status === 'sending_gradual' ? await release(deps, campaign) : heldFrom(campaign, deps.clock.now());
  const upTo = (released?.upTo ?? NO_LIMIT) - 1;
  const [deferredMs, rows, blocks] = await Promise.all([
    deferredWaitMs(deps, campaign),
    queuedRange(deps, campaign, upTo),
    unclaimed(deps, campaign, upTo),
  ]);
  const isDue = deferredMs !== null && deferredMs <= 0;
  const [range, isInRows] = freeze?.run ? [blocks, isDue || rows !== null] : [rows, isDue];
  if (range || isInRows) {
    // By all of the audience: a large campaign is planned every few minutes, and its last recipients are not cut in small ranges.
    const people = released ? null : (freeze?.frozen?.inBlocks ?? null);
    return sendStep(deps, campaign, { range, people, deferredUpTo: isInRows ? upTo : null });
  }
  const untilDeferred = deferredMs === null ? [] : [Math.max(deferredMs, DEFERRED_LOOK_MS)];
  const nextSlice = released && (await isLeftAfter(deps, campaign, upTo)) ? released.nextBatchAt : null;
  const untilSlice = nextSlice ? [Math.max(1, nextSlice.getTime() - deps.clock.now().getTime())] : [];
  const waits = [...untilDeferred, ...untilSlice];
  if (waits.length === 0) return null;
  const summary = nextSlice ? `next slice at ${nextSlice.toISOString()}` : 'some are deferred';
  return { kind: 'wait', status, waitMs: Math.min(...waits), summary };
}

function sendStep(
  { config }: CampaignsDeps,
  { status, sendRatePerSecond }: Campaign,
  { range, people, deferredUpTo }: { range: Seqs | null; people: number | null; deferredUpTo: number | null },
): SendStep {
  // Only a single range at a time can keep a rate.
  const pagesAtOnce = sendRatePerSecond === null ? config.workerProcesses + 1 : 1;
  const { fromSeq, toSeq } = range ?? { fromSeq: 1, toSeq: 0 };
  const pageSize = pageSizeOf(people ?? toSeq - fromSeq + 1, pagesAtOnce);
  return { kind: 'send', status, fromSeq, toSeq, pageSize, pagesAtOnce, deferredUpTo, summary: 'sends' };
}

/** Of whole blocks, so that two ranges do not claim from the same one. Each range is six events of the run. */
export function pageSizeOf(people: number, pagesAtOnce: number): number {
  const sizes = PAGES_EACH.map(({ count, sizeMax }) => {
    const share = Math.ceil(people / (pagesAtOnce * count));
    return Math.min(sizeMax, Math.ceil(share / BLOCK_MAX) * BLOCK_MAX);
  });
  return Math.max(PAGE_MIN, ...sizes);
}

/** The recipients of blocks up to `upTo` who are not claimed. */
async function unclaimed(
  deps: CampaignsDeps,
  { _id, projectId, freeze }: Campaign,
  upTo: number,
): Promise<Seqs | null> {
  if (!freeze?.run || !freeze.frozen) return null;
  return unclaimedRange(deps, { projectId, campaignId: _id }, Math.min(upTo, freeze.frozen.inBlocks));
}

/** The lowest and the highest `seq` of queued rows. */
async function queuedRange({ db }: CampaignsDeps, { _id, projectId }: Campaign, upTo: number): Promise<Seqs | null> {
  const filter = { campaignId: _id, projectId, state: states.queued, seq: { $lte: upTo } };
  const end = (seq: 1 | -1) => db.messages.findOne(filter, { sort: { seq }, projection: { seq: 1 }, hint: 'campaign' });
  const [first, last] = await Promise.all([end(1), end(-1)]);
  return first?.seq !== undefined && last?.seq !== undefined ? { fromSeq: first.seq, toSeq: last.seq } : null;
}

/** Nothing waits up to `place`, so all that is left is above it. */
async function isLeftAfter(deps: CampaignsDeps, campaign: Campaign, place: number): Promise<boolean> {
  const { _id, projectId, freeze } = campaign;
  if (freeze?.run) return (freeze.frozen?.inBlocks ?? 0) > place;
  const filter = { campaignId: _id, projectId, state: states.queued, seq: { $gt: place } };
  return (await deps.db.messages.findOne(filter, { projection: { _id: 1 }, hint: 'campaign' })) !== null;
}

/** Until the first deferred message is due, by the database's clock; null when there is none. */
async function deferredWaitMs({ db }: CampaignsDeps, { _id, projectId }: Campaign): Promise<number | null> {
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
