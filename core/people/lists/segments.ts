import type { ObjectId } from 'mongodb';
import { isDuplicateKey } from '../../base/database/idempotent-insert.ts';
import { afterCommit, inTransaction } from '../../base/database/transactions.ts';
import { conflict, invalid, notFound } from '../../base/errors.ts';
import type { Session } from '../../base/model.ts';
import { requestRun } from '../../jobs/starts.ts';
import { countContacts } from '../changes/counts.ts';
import type { PeopleDeps } from '../deps.ts';
import { type Filter as ParsedFilter, parseFilter, searchedLength, storedForm } from '../filters/filters.ts';
import type { SegmentRecompute, StoredList } from '../model.ts';
import { limitsOf, projectRulesOf, touchProjectRules } from '../project-rules.ts';
import { requireLists } from './named.ts';
import { recomputeSegment, wakeRecomputes } from './recompute.ts';
import { refuseTooLong, storedLength } from './searched.ts';

const SEGMENTS_MAX = 100;
/** How long the caller of a create or edit waits; a larger project is finished in the background. */
const WAIT_MS = 1_000;
/** When a worker takes over if this process dies before it sets a date. */
const TAKE_OVER_MS = 5_000;

type Filter = Record<string, unknown>;

export async function createSegment(
  deps: PeopleDeps,
  list: StoredList,
  filterCriteria: Filter | null | undefined,
): Promise<StoredList> {
  const { criteria, filter } = await readCriteria(deps, list.projectId, filterCriteria);
  const recompute = await newRecompute(deps, list);
  const segment = { ...list, filterCriteria: criteria, recompute };
  try {
    await inTransaction(deps, async (session) => {
      await touchProjectRules(deps, { _id: list.projectId }, session);
      await requireLists(deps, { _id: list.projectId }, filter, { session });
      await refuseTooMany(deps, session, list.projectId);
      await refuseTooLong(deps, session, list, { own: searchedLength(filter), before: 0 });
      await deps.db.contactLists.insertOne(segment, { session });
      await requestRecompute(deps, session, segment, recompute);
    });
  } catch (error) {
    // A repeat of the same request meets the segment of the first try.
    if (!isDuplicateKey(error, '_id_')) throw error;
  }
  return recomputeNow(deps, segment);
}

/** Changes from now on use the new filter; all existing contacts are compared again. */
export async function updateSegmentFilter(
  deps: PeopleDeps,
  list: StoredList,
  filterCriteria: Filter,
  /** Of its other fields; it may refuse. */
  changeOf: (current: StoredList) => { $set: Partial<StoredList>; $unset?: { isPublic: true } },
): Promise<StoredList> {
  const { _id, projectId } = list;
  const { criteria, filter } = await readCriteria(deps, projectId, filterCriteria);
  const updated = await inTransaction(deps, async (session) => {
    await touchProjectRules(deps, { _id: projectId }, session);
    await requireLists(deps, { _id: projectId }, filter, { session });
    const current = await deps.db.contactLists.findOne({ _id, projectId, type: 'segment' }, { session });
    if (!current) throw notFound('CONTACT_LIST');
    const { $set, ...rest } = changeOf(current);
    await refuseTooLong(deps, session, current, { own: searchedLength(filter), before: storedLength(current) });
    const recompute = await newRecompute(deps, current);
    const change = { ...rest, $set: { ...$set, filterCriteria: criteria, recompute } };
    await deps.db.contactLists.updateOne({ _id, projectId }, change, { session });
    await requestRecompute(deps, session, current, recompute);
    return { ...current, ...change.$set };
  });
  return recomputeNow(deps, updated);
}

async function readCriteria(
  deps: PeopleDeps,
  projectId: ObjectId,
  given: Filter | null | undefined,
): Promise<{ criteria: Filter; filter: ParsedFilter }> {
  if (!given)
    throw invalid(
      'filterCriteria: is required: a segment needs a filter.',
      'filterCriteria: is required for a segment',
    );
  const parsed = parseFilter(given, limitsOf(deps, await projectRulesOf(deps, projectId)));
  if (!parsed.ok) throw invalid(`The filter is not valid: ${parsed.details}`, parsed.details);
  return { criteria: storedForm(given, parsed.filter), filter: parsed.filter };
}

/** Every new segment writes the project in its transaction, so that two calls cannot both take the last free place. */
async function refuseTooMany(deps: PeopleDeps, session: Session, projectId: ObjectId): Promise<void> {
  const count = await deps.db.contactLists.countDocuments(
    { projectId, type: 'segment' },
    { session, hint: 'project', limit: SEGMENTS_MAX },
  );
  if (count >= SEGMENTS_MAX)
    throw conflict('INVALID_STATE', `A project holds ${SEGMENTS_MAX} segments at most; delete one first.`);
}

async function newRecompute(deps: PeopleDeps, segment: StoredList): Promise<SegmentRecompute> {
  return {
    generation: (segment.recompute?.generation ?? 0) + 1,
    status: 'running',
    cursor: null,
    processed: 0,
    total: await countContacts(deps, { _id: segment.projectId }),
    requestedAt: deps.clock.now(),
    completedAt: null,
  };
}

/** This process recomputes it first; a run takes over when it is not done in time. */
async function requestRecompute(
  deps: PeopleDeps,
  session: Session,
  segment: StoredList,
  { requestedAt }: SegmentRecompute,
): Promise<void> {
  const at = new Date(requestedAt.getTime() + TAKE_OVER_MS);
  await requestRun(deps, 'segment', segment, { session, at });
}

/** The segment as it is after a first second, or as it was written. */
async function recomputeNow(deps: PeopleDeps, written: StoredList): Promise<StoredList> {
  const { _id, projectId } = written;
  const recomputed = async () => {
    await recomputeSegment(deps, projectId, _id, { timeMs: WAIT_MS });
    await wakeRecomputes(deps, projectId, _id);
    return deps.db.contactLists.findOne({ _id, projectId });
  };
  return (await afterCommit(deps, recomputed, 'a segment is recomputed later')) ?? written;
}
