import type { Document, ObjectId } from 'mongodb';
import { PREVIEWED_MAX } from '../../../schemas/people/lists.ts';
import { onSecondaries } from '../../base/database/secondaries.ts';
import { invalid } from '../../base/errors.ts';
import { Deadline, inTime } from '../../base/limits/deadlines.ts';
import type { Project } from '../../base/model.ts';
import { breather } from '../../base/work/breathe.ts';
import { countContacts } from '../changes/counts.ts';
import type { PeopleDeps } from '../deps.ts';
import { behavioursOf, compileFilter, type Filter, filterToQuery, parseFilter } from '../filters/filters.ts';
import type { Contact } from '../model.ts';
import { readPast } from '../past.ts';
import { limitsOf, projectRulesOf } from '../project-rules.ts';
import { requireLists } from './named.ts';
import { refuseTooLongAlone } from './searched.ts';
import { takeSlot } from './slots.ts';

/** Less than the two seconds that are promised. */
const TIME_MS = 1_700;
const CONTACTS_A_PAGE = 1_000;
/** The part of the time after which a count that is not ready gives way to an estimate, and after which the pace is known. */
const COUNTING_SHARE = 0.7;
const PACE_SHARE = 0.15;
/** The sample of an estimate. */
const PLACES = 100;
const CONTACTS_A_PLACE = 20;

interface Previewed {
  /** null: the time was not enough. */
  count: number | null;
  isExact: boolean;
  /** About how many, from a sample, where there is no count; null when the time was not enough for that either. */
  estimate: number | null;
  people: Contact[];
}

/** The contacts that a segment with this filter would have, newest first. */
export async function previewFilter(
  deps: PeopleDeps,
  { _id: projectId }: Pick<Project, '_id'>,
  given: Record<string, unknown>,
  { signal, timeMs = TIME_MS }: { signal: AbortSignal; timeMs?: number },
): Promise<Previewed & { filter: Filter }> {
  const parsed = parseFilter(given, limitsOf(deps, await projectRulesOf(deps, projectId)));
  if (!parsed.ok) throw invalid(`The filter is not valid: ${parsed.details}`, parsed.details);
  const { filter } = parsed;
  refuseTooLongAlone(filter);
  await requireLists(deps, { _id: projectId }, filter);
  const release = await takeSlot(deps, projectId, 'preview');
  try {
    const query = filterToQuery(filter);
    const begunMs = performance.now();
    const looking = {
      projectId,
      filter,
      signal,
      timeMs,
      begunMs,
      total: await countContacts(deps, { _id: projectId }),
    };
    const found = query ? await findByQuery(deps, looking, query) : await findHere(deps, looking);
    return { ...found, filter };
  } finally {
    await release();
  }
}

interface Looking {
  projectId: ObjectId;
  filter: Filter;
  signal: AbortSignal;
  timeMs: number;
  begunMs: number;
  /** Contacts of the project. */
  total: number;
}

async function findByQuery(deps: PeopleDeps, looking: Looking, query: Document): Promise<Previewed> {
  const { contacts } = deps.db;
  const matching = { projectId: looking.projectId, ...query };
  const reading = { hint: 'newest', maxTimeMS: Math.ceil(looking.timeMs * COUNTING_SHARE) };
  const [count, people] = await onSecondaries(deps, (read) =>
    Promise.all([
      inTime(contacts.countDocuments(matching, { ...reading, ...read })),
      inTime(
        contacts
          .find(matching, { ...reading, ...read, limit: PREVIEWED_MAX })
          .sort({ _id: -1 })
          .toArray(),
      ),
    ]),
  );
  return previewed(deps, looking, count, people ?? []);
}

/** For filters that a query cannot express: contacts are read in pages, while there is time for all of them. */
async function findHere(deps: PeopleDeps, looking: Looking): Promise<Previewed> {
  const people: Contact[] = [];
  let [compared, count] = [0, 0];
  for (let before: ObjectId | null = null; ; ) {
    const page: Contact[] | null = await readPage(deps, looking, before);
    const found = page && (await matchingOf(deps, looking, page));
    if (!page || !found) return previewed(deps, looking, null, people);
    people.push(...found.slice(0, PREVIEWED_MAX - people.length));
    count += found.length;
    compared += page.length;
    if (page.length < CONTACTS_A_PAGE) return previewed(deps, looking, count, people);
    if (isTooSlow(looking, compared)) return previewed(deps, looking, null, people);
    before = page.at(-1)?._id ?? null;
  }
}

async function previewed(
  deps: PeopleDeps,
  looking: Looking,
  count: number | null,
  people: Contact[],
): Promise<Previewed> {
  const estimate = count === null ? await estimateMatching(deps, looking) : null;
  return { count, isExact: count !== null, estimate, people };
}

/** By the pace so far, the time will not be enough for all contacts. */
function isTooSlow({ begunMs, timeMs, total }: Looking, compared: number): boolean {
  const tookMs = performance.now() - begunMs;
  return tookMs > timeMs * PACE_SHARE && tookMs * total > timeMs * compared;
}

/** Contacts from places all over the project: those that joined together are alike. */
async function estimateMatching(deps: PeopleDeps, looking: Looking): Promise<number | null> {
  const apart = Math.floor(looking.total / PLACES);
  if (apart < CONTACTS_A_PLACE) return null;
  const sample: Contact[] = [];
  for (let before: ObjectId | null = null, place = 0; place < PLACES; place += 1) {
    const skip: number = place === 0 ? Math.floor(apart / 2) : apart - CONTACTS_A_PLACE;
    const some: Contact[] | null = await readPage(deps, looking, before, { skip, limit: CONTACTS_A_PLACE });
    if (!some) return null;
    sample.push(...some);
    before = some.at(-1)?._id ?? before;
  }
  const found = await matchingOf(deps, looking, sample);
  return found && Math.round((found.length / Math.max(1, sample.length)) * looking.total);
}

/** null: the time is over. */
async function matchingOf(deps: PeopleDeps, looking: Looking, contacts: Contact[]): Promise<Contact[] | null> {
  const { projectId, filter, signal } = looking;
  const who = { $in: contacts.map(({ _id }) => _id) };
  const deadline = new Deadline(leftMs(looking));
  const pastOf = await inTime(readPast(deps, { projectId, who, behaviours: behavioursOf(filter), deadline }));
  if (!pastOf || signal.aborted || leftMs(looking) < 0) return null;
  const matches = compileFilter(filter);
  const nowMs = deps.clock.now().getTime();
  const breathe = breather();
  const found: Contact[] = [];
  for (const contact of contacts) {
    if (matches({ contact, nowMs, past: pastOf(contact._id) })) found.push(contact);
    if (deadline.isOver()) return null;
    await breathe();
  }
  return found;
}

/** Behind a contact, newest first; null: the time is over. */
async function readPage(
  { db }: PeopleDeps,
  looking: Looking,
  before: ObjectId | null,
  { skip = 0, limit = CONTACTS_A_PAGE } = {},
): Promise<Contact[] | null> {
  const maxTimeMS = Math.ceil(leftMs(looking));
  if (maxTimeMS <= 0) return null;
  const { projectId } = looking;
  const older = before ? { projectId, _id: { $lt: before } } : { projectId };
  const page = db.contacts.find(older, { hint: 'newest', skip, limit, maxTimeMS }).sort({ _id: -1 });
  return inTime(page.toArray());
}

function leftMs({ begunMs, timeMs }: Looking): number {
  return begunMs + timeMs - performance.now();
}
