import { type Document, MongoServerError, type ObjectId } from 'mongodb';
import { PREVIEWED_MAX } from '../../../schemas/lists.ts';
import { breather } from '../../base/breathe.ts';
import type { Deps } from '../../base/deps.ts';
import { AppError, invalid } from '../../base/errors.ts';
import { isDuplicateKey } from '../../base/idempotent-insert.ts';
import type { Project } from '../../base/model.ts';
import { readPast } from '../behaviour/past.ts';
import { behavioursOf, compileFilter, type Filter, filterToQuery, parseFilter } from '../filters/filters.ts';
import type { Contact } from '../model.ts';
import { limitsOf, projectRulesOf } from '../project-rules.ts';

/** Less than the two seconds that are promised. */
const TIME_MS = 1_700;
const CONTACTS_A_PAGE = 1_000;
const SLOTS = 2;
/** The slot of a process that was killed is free after this time. */
const SLOT_MS = 5_000;
const TIME_IS_OVER = 50;

interface Previewed {
  /** null: the time was not enough. */
  count: number | null;
  isExact: boolean;
  people: Contact[];
}

/** The contacts that a segment with this filter would have, newest first. */
export async function previewFilter(
  deps: Deps,
  { _id: projectId }: Pick<Project, '_id'>,
  given: Record<string, unknown>,
  { signal, timeMs = TIME_MS }: { signal: AbortSignal; timeMs?: number },
): Promise<Previewed & { filter: Filter }> {
  const parsed = parseFilter(given, limitsOf(deps, await projectRulesOf(deps, projectId)));
  if (!parsed.ok) throw invalid(`The filter is not valid: ${parsed.details}`, parsed.details);
  const { filter } = parsed;
  const release = await takeSlot(deps, projectId);
  try {
    const query = filterToQuery(filter);
    const limits = { signal, timeMs };
    const found = query
      ? await findByQuery(deps, projectId, query, timeMs)
      : await findHere(deps, projectId, filter, limits);
    return { ...found, filter };
  } finally {
    await release();
  }
}

async function findByQuery({ db }: Deps, projectId: ObjectId, query: Document, timeMs: number): Promise<Previewed> {
  const matching = { projectId, ...query };
  const reading = { hint: 'newest', maxTimeMS: timeMs };
  const newest = db.contacts.find(matching, { ...reading, limit: PREVIEWED_MAX }).sort({ _id: -1 });
  const [count, people] = await Promise.all([
    inTime(db.contacts.countDocuments(matching, reading)),
    inTime(newest.toArray()),
  ]);
  return { count, isExact: count !== null, people: people ?? [] };
}

/** For filters that a query cannot express: contacts are read in pages, until all are compared or the time is over. */
async function findHere(
  deps: Deps,
  projectId: ObjectId,
  filter: Filter,
  { signal, timeMs }: { signal: AbortSignal; timeMs: number },
): Promise<Previewed> {
  const deadline = performance.now() + timeMs;
  const matches = compileFilter(filter);
  const behaviours = behavioursOf(filter);
  const breathe = breather();
  const people: Contact[] = [];
  let count = 0;
  for (let before: ObjectId | null = null; ; ) {
    const page: Contact[] | null = await readPage(deps, projectId, before, deadline);
    const who = { $in: page?.map(({ _id }) => _id) ?? [] };
    const asked = { projectId, who, behaviours, timeMs: deadline - performance.now() };
    const pastOf = page && (await inTime(readPast(deps, asked)));
    if (!page || !pastOf || signal.aborted || performance.now() > deadline)
      return { count: null, isExact: false, people };
    const nowMs = deps.clock.now().getTime();
    for (const contact of page) {
      if (matches({ contact, nowMs, past: pastOf(contact._id) })) {
        count += 1;
        if (people.length < PREVIEWED_MAX) people.push(contact);
      }
      await breathe();
    }
    if (page.length < CONTACTS_A_PAGE) return { count, isExact: true, people };
    before = page.at(-1)?._id ?? null;
  }
}

async function readPage({ db }: Deps, projectId: ObjectId, before: ObjectId | null, deadline: number) {
  const maxTimeMS = Math.ceil(deadline - performance.now());
  if (maxTimeMS <= 0) return null;
  const older = before ? { projectId, _id: { $lt: before } } : { projectId };
  const page = db.contacts.find(older, { hint: 'newest', limit: CONTACTS_A_PAGE, maxTimeMS }).sort({ _id: -1 });
  return inTime(page.toArray());
}

/** null: the server stopped it, because the time was over. */
async function inTime<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof MongoServerError && error.code === TIME_IS_OVER) return null;
    throw error;
  }
}

/** A project has two previews at a time, over all processes. Returns the function that frees the slot. */
async function takeSlot({ db, clock }: Deps, projectId: ObjectId): Promise<() => Promise<void>> {
  const now = clock.now();
  const until = new Date(now.getTime() + SLOT_MS);
  for (let slot = 0; slot < SLOTS; slot += 1) {
    const _id = `${projectId.toHexString()}:${slot}`;
    try {
      await db.previewSlots.updateOne({ _id, projectId, until: { $lte: now } }, { $set: { until } }, { upsert: true });
      return async () => {
        await db.previewSlots.updateOne({ _id, projectId, until }, { $set: { until: new Date(0) } });
      };
    } catch (error) {
      // The slot is there, and is taken.
      if (!isDuplicateKey(error)) throw error;
    }
  }
  throw new AppError('rate_limited', 'Two previews of this project are running; repeat the call when one has ended.', {
    code: 'RATE_LIMIT_EXCEEDED',
    retryAfterSeconds: 1,
  });
}
