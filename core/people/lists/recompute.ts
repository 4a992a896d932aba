import type { ObjectId, Filter as Query } from 'mongodb';
import { AppError } from '../../base/errors.ts';
import { breather } from '../../base/work/breathe.ts';
import { again, done } from '../../jobs/document-queue.ts';
import type { JobQueue } from '../../jobs/queue.ts';
import { requestRun, startQueue, wakeStarts } from '../../jobs/starts.ts';
import { changeContacts, IMPORT_CHANGES_TOGETHER_MAX } from '../changes/changes.ts';
import { isDueBefore } from '../changes/compare-segments.ts';
import type { PeopleDeps } from '../deps.ts';
import {
  behavioursOf,
  compileFilter,
  compileWindows,
  type Filter,
  filterToQuery,
  parseFilter,
} from '../filters/filters.ts';
import type { Contact, SegmentRecompute, StoredList } from '../model.ts';
import { readPast } from '../past.ts';

const CONTACTS_A_PAGE = 5_000;
/**
 * A change that read the old filters can commit this long after the new one was stored (the server ends any transaction after 60 s). A
 * second pass after it corrects the effects of such a change.
 */
export const SETTLE_MS = 65_000;
const LOOK_AFTER_MS = 30_000;

export interface RecomputeProgress {
  status: SegmentRecompute['status'] | 'deleted';
  processed: number;
  total: number;
  /** While settling: the time until the second pass. */
  waitMs: number;
}

interface RecomputeLimits {
  timeMs: number;
  settleMs?: number;
  signal?: AbortSignal;
}

/**
 * Compares contacts with the filter, in ranges, until all are done or the time is over. The cursor is kept on the segment and moves by
 * compare-and-set, so any number of runs may do this, one after the other or at the same time.
 */
export async function recomputeSegment(
  deps: PeopleDeps,
  projectId: ObjectId,
  listId: ObjectId,
  { timeMs, settleMs = SETTLE_MS, signal }: RecomputeLimits,
): Promise<RecomputeProgress> {
  const deadline = performance.now() + timeMs;
  for (;;) {
    const list = await deps.db.contactLists.findOne({ _id: listId, projectId, type: 'segment' });
    if (!list?.recompute) return { status: 'deleted', processed: 0, total: 0, waitMs: 0 };
    const progress = progressOf(deps, list.recompute, settleMs);
    const isOver = performance.now() > deadline || signal?.aborted;
    if (progress.status === 'completed' || progress.waitMs > 0 || isOver) return progress;
    await recomputePage(deps, list, list.recompute);
  }
}

/** Starts recomputes, and checks on running ones until they are completed. */
export function segmentRecomputes(deps: PeopleDeps): JobQueue {
  return startQueue(deps, 'segment', {
    concurrencyMax: 4,
    lookEveryMs: 1_000,
    run: async ({ subjectId, projectId }) => {
      const list = await deps.db.contactLists.findOne({ _id: subjectId, projectId }, { projection: { recompute: 1 } });
      if (!list?.recompute || list.recompute.status === 'completed') return done;
      await deps.workflows.recomputeSegment({ projectId: projectId.toHexString(), listId: subjectId.toHexString() });
      return again(new Date(deps.clock.now().getTime() + LOOK_AFTER_MS));
    },
  });
}

export async function wakeRecomputes(deps: PeopleDeps, projectId: ObjectId, listId: ObjectId): Promise<void> {
  await requestRun(deps, 'segment', { _id: listId, projectId });
  wakeStarts(deps, 'segment', projectId);
}

function progressOf(deps: PeopleDeps, recompute: SegmentRecompute, settleMs: number): RecomputeProgress {
  const { status, cursor, processed, total, requestedAt } = recompute;
  const elapsedMs = deps.clock.now().getTime() - requestedAt.getTime();
  const waitMs = status === 'settling' && cursor === null ? Math.max(0, settleMs - elapsedMs) : 0;
  return { status, processed, total: Math.max(total, processed), waitMs };
}

async function recomputePage(deps: PeopleDeps, list: StoredList, recompute: SegmentRecompute): Promise<void> {
  const { _id, projectId } = list;
  const { generation, status, cursor } = recompute;
  const ids = await nextIds(deps, projectId, cursor);
  const last = ids.at(-1);
  if (last) await correct(deps, projectId, await findWrong(deps, list, cursor, last));
  const processed = recompute.processed + (status === 'running' ? ids.length : 0);
  const next = ids.length < CONTACTS_A_PAGE ? afterLook(deps, status) : { cursor: last };
  const moved = { ...recompute, processed, total: Math.max(recompute.total, processed), ...next };
  await deps.db.contactLists.updateOne(
    { _id, projectId, 'recompute.generation': generation, 'recompute.status': status, 'recompute.cursor': cursor },
    { $set: { recompute: moved } },
  );
}

function afterLook(deps: PeopleDeps, status: SegmentRecompute['status']): Partial<SegmentRecompute> {
  if (status === 'running') return { status: 'settling', cursor: null, completedAt: deps.clock.now() };
  return { status: 'completed', cursor: null };
}

/** Corrects every contact as it is committed now, whatever the recompute has done so far. */
export async function correctSegment(deps: PeopleDeps, list: StoredList, signal: AbortSignal): Promise<void> {
  const { projectId } = list;
  for (let cursor: ObjectId | null = null; !signal.aborted; ) {
    const ids: ObjectId[] = await nextIds(deps, projectId, cursor);
    const last = ids.at(-1);
    if (!last) return;
    await correct(deps, projectId, await findWrong(deps, list, cursor, last));
    cursor = last;
  }
}

async function nextIds(deps: PeopleDeps, projectId: ObjectId, cursor: ObjectId | null): Promise<ObjectId[]> {
  const page = await deps.db.contacts
    .find(cursor ? { projectId, _id: { $gt: cursor } } : { projectId }, { projection: { _id: 1 }, hint: 'newest' })
    .sort({ _id: 1 })
    .limit(CONTACTS_A_PAGE)
    .toArray();
  return page.map(({ _id }) => _id);
}

/**
 * Contacts that match but are not in the segment, or are in it but do not match. Evaluated by the server when a query can express the
 * filter exactly.
 */
async function findWrong(
  deps: PeopleDeps,
  { _id, projectId, filterCriteria }: StoredList,
  after: ObjectId | null,
  last: ObjectId,
): Promise<ObjectId[]> {
  const parsed = parseFilter(filterCriteria, { contactProperties: {} });
  if (!parsed.ok) return [];
  const range: Query<Contact> = { projectId, _id: after ? { $gt: after, $lte: last } : { $lte: last } };
  const matching = filterToQuery(parsed.filter) as Query<Contact> | null;
  if (!matching) return findWrongHere(deps, { _id, projectId }, { after, last }, parsed.filter);
  const wrong = { $or: [{ $and: [matching, { segmentIds: { $ne: _id } }] }, { segmentIds: _id, $nor: [matching] }] };
  const found = await deps.db.contacts
    .find({ ...range, ...wrong }, { projection: { _id: 1 }, hint: 'newest' })
    .toArray();
  return found.map((contact) => contact._id);
}

/** A contact whose next change would come too late is wrong too. */
async function findWrongHere(
  deps: PeopleDeps,
  { _id: segmentId, projectId }: Pick<StoredList, '_id' | 'projectId'>,
  { after, last }: { after: ObjectId | null; last: ObjectId },
  filter: Filter,
): Promise<ObjectId[]> {
  const matches = compileFilter(filter);
  const nextChange = compileWindows(filter);
  const who = after ? { $gt: after, $lte: last } : { $lte: last };
  const pastOf = await readPast(deps, { projectId, who, behaviours: behavioursOf(filter) });
  const nowMs = deps.clock.now().getTime();
  const wrong: ObjectId[] = [];
  const breathe = breather();
  const found = deps.db.contacts.find({ projectId, _id: who }, { hint: 'newest', batchSize: 1_000 });
  for await (const contact of found) {
    const subject = { contact, nowMs, past: pastOf(contact._id) };
    const isIn = contact.segmentIds.some((id) => id.equals(segmentId));
    const isLate = nextChange !== null && !isDueBefore(contact, nextChange(subject));
    if (isLate || matches(subject) !== isIn) wrong.push(contact._id);
    await breathe();
  }
  return wrong;
}

async function correct(deps: PeopleDeps, projectId: ObjectId, contactIds: ObjectId[]): Promise<void> {
  const changes = contactIds.map((contactId) => ({ ...RECHECK, contactId, newId: contactId }));
  const outcomes = await changeContacts(deps, { _id: projectId }, changes, IMPORT_CHANGES_TOGETHER_MAX);
  for (const outcome of outcomes) if (outcome instanceof AppError) throw outcome;
}

const RECHECK = { whenMissing: 'leave', whenPresent: 'change', recheckSegments: true } as const;
