import type { ObjectId } from 'mongodb';
import {
  addContacts,
  addMembers,
  countsOf,
  type Imported,
  importContacts,
  type MappedField,
  mappedFields,
  notesOf,
} from './migrations-contacts.ts';
import { targetLists } from './migrations-lists.ts';
import { type PhaseRun, withNotes } from './migrations-progress.ts';
import { type SourceContact, SourceError, type SourcePage } from './migrations-sources.ts';
import { noteUnsubscribed } from './migrations-unsubscribed.ts';

/** Keys of the first two steps, before every key of a segment. */
const EVERYBODY = 'everybody';
const NEWCOMERS = 'newcomers';
/** How many of the last ids are kept, for when the contact at the cursor is deleted at the source. */
const RECENT_MAX = 20;
/** With a request for each contact, progress is saved this often. */
const DETAILED_SIZE = 10;

/** Everybody, then the members of each audience. Audiences alone: their members are the contacts. */
interface Step {
  /** The order of the steps, which stays the same whatever is added or deleted at the source meanwhile. */
  key: string;
  segmentId: string | null;
  addListIds: ObjectId[];
  counts: 'contacts' | 'members';
  /** Read again from the top until what was known when the step began: who came in meanwhile. */
  isNewcomers: boolean;
}

interface Cursor {
  /** The step under way, by its key. */
  step: string;
  /** The ids that were done last, the newest at the end; the next page begins after the last of them that still exists. */
  recent: string[];
  /** When the newest contact of the walk was created, as the source writes it. */
  newestAt: string | null;
}

export async function contactsOfB(run: PhaseRun): Promise<boolean> {
  const steps = await stepsOf(run);
  if (steps.length === 0) return false;
  const mapped = await mappedFields(run);
  if (run.phase.cursor === null) await saveCursor(run, { step: EVERYBODY, recent: [], newestAt: null });
  for (;;) {
    const { step: key, newestAt } = cursorOf(run);
    const step = steps.find((one) => one.key >= key);
    if (!step) break;
    if (step.key !== key) await saveCursor(run, { step: step.key, recent: [], newestAt });
    await walkStep(run, step, mapped);
  }
  await run.save({ total: run.phase.succeeded + run.phase.failed + run.phase.skipped });
  return true;
}

async function stepsOf(run: PhaseRun): Promise<Step[]> {
  const { listIds } = run.migration.selection;
  if (listIds?.length === 0) return [];
  const all = await run.b.listSegments();
  const lists = await targetLists(
    run,
    all.filter(({ id }) => listIds === null || listIds.includes(id)),
  );
  const members = lists.map(
    ({ source, listId }): Step => ({
      key: `segment ${source.id}`,
      segmentId: source.id,
      addListIds: [listId],
      counts: listIds === null ? 'members' : 'contacts',
      isNewcomers: false,
    }),
  );
  members.sort((a, b) => (a.key < b.key ? -1 : 1));
  if (listIds !== null) return members;
  const everybody: Step = { key: EVERYBODY, segmentId: null, addListIds: [], counts: 'contacts', isNewcomers: false };
  return [everybody, { ...everybody, key: NEWCOMERS, isNewcomers: true }, ...members];
}

/** A segment that is deleted at the source meanwhile has no more members. */
async function walkStep(run: PhaseRun, step: Step, mapped: MappedField[]): Promise<void> {
  try {
    await walk(run, step, mapped);
  } catch (error) {
    const isGone = step.segmentId !== null && error instanceof SourceError && error.kind === 'not_found';
    if (!isGone) throw error;
    const note = { item: step.segmentId ?? '', message: 'The audience was deleted at the source meanwhile.' };
    await run.save({ review: withNotes(run.phase.review, [note]) });
  }
  // The next step is the first one behind this key.
  await saveCursor(run, { step: `${step.key} done`, recent: [], newestAt: cursorOf(run).newestAt });
}

async function walk(run: PhaseRun, step: Step, mapped: MappedField[]): Promise<void> {
  for (;;) {
    const { contacts, hasMore } = await nextPage(run, step);
    const { newestAt } = cursorOf(run);
    const known = step.isNewcomers ? contacts.findIndex(({ createdAt }) => createdAt <= (newestAt ?? '')) : -1;
    const fresh = known === -1 ? contacts : contacts.slice(0, known);
    await importPage(run, step, mapped, fresh);
    if (!hasMore || known !== -1) return;
  }
}

/** Goes back over the last ids until one is still there; when none is, the walk begins again, which the upserts make harmless. */
async function nextPage(run: PhaseRun, { segmentId }: Step): Promise<SourcePage> {
  const { recent } = cursorOf(run);
  for (const id of recent.toReversed()) {
    try {
      return await run.b.listContacts(id, segmentId ?? undefined);
    } catch (error) {
      if (!(error instanceof SourceError && error.kind === 'stale_cursor')) throw error;
      run.beat();
    }
  }
  return run.b.listContacts(null, segmentId ?? undefined);
}

async function importPage(run: PhaseRun, step: Step, mapped: MappedField[], contacts: SourceContact[]): Promise<void> {
  const isDetailed = mapped.length > 0 && step.counts === 'contacts';
  const size = isDetailed ? DETAILED_SIZE : contacts.length;
  for (let from = 0; from < contacts.length; from += size) {
    run.signal?.throwIfAborted();
    const part = contacts.slice(from, from + size);
    const { present, gone } = isDetailed ? await withProperties(run, part) : { present: part, gone: 0 };
    await noteUnsubscribed(run, present);
    const page = await importContacts(run, present, { mapped, addListIds: step.addListIds });
    page.skipped += gone;
    await savePart(run, step, part, page);
  }
}

/** Lists leave properties out: one request a contact. Who was deleted at the source meanwhile is skipped. */
async function withProperties(
  run: PhaseRun,
  contacts: SourceContact[],
): Promise<{ present: SourceContact[]; gone: number }> {
  const present: SourceContact[] = [];
  for (const { sourceId } of contacts) {
    const contact = await run.b.readContact(sourceId);
    if (contact) present.push(contact);
    run.beat();
  }
  return { present, gone: contacts.length - present.length };
}

async function savePart(run: PhaseRun, step: Step, part: SourceContact[], page: Imported): Promise<void> {
  const { step: key, recent, newestAt } = cursorOf(run);
  const before = countsOf(run.phase);
  const counts = step.counts === 'contacts' ? addContacts(before, page) : addMembers(before, page);
  const isFirst = key === EVERYBODY && recent.length === 0;
  const cursor = {
    step: key,
    recent: [...recent, ...part.map(({ sourceId }) => sourceId)].slice(-RECENT_MAX),
    newestAt: isFirst ? (part[0]?.createdAt ?? null) : newestAt,
  };
  const seen = counts.succeeded + counts.failed + counts.skipped;
  const total = Math.max(run.phase.total, seen);
  await saveCursor(run, cursor, { ...counts, ...notesOf(run.phase, page), total });
}

function cursorOf({ phase }: PhaseRun): Cursor {
  return phase.cursor as unknown as Cursor;
}

async function saveCursor(run: PhaseRun, cursor: Cursor, change: Partial<PhaseRun['phase']> = {}): Promise<void> {
  await run.save({ ...change, cursor: { ...cursor } });
}
