import type { ObjectId } from 'mongodb';
import type { PhaseRun } from '../progress/progress.ts';
import type { SourceB, SourceContact } from '../source.ts';
import {
  addContacts,
  addMembers,
  countsOf,
  type Imported,
  importContacts,
  type MappedField,
  mappedFields,
  notesOf,
} from './contacts.ts';
import { targetLists } from './lists.ts';
import { beginNotes, keepCountOfNotes, suppressMarked } from './unsubscribed.ts';
import { EVERYBODY, NEWCOMERS, saveWalked, segmentStep, type WalkStep, walkContacts } from './walk-b.ts';

/** With a request for each contact, progress is saved after this many. */
const DETAILED_SIZE = 10;

/** All contacts, then the members of each audience. When only audiences are selected, their members are the contacts. */
interface ContactStep extends WalkStep {
  addListIds: ObjectId[];
  counts: 'contacts' | 'members';
}

export async function contactsOfB(run: PhaseRun, source: SourceB): Promise<boolean> {
  const steps = await stepsOf(run, source);
  if (steps.length === 0) return false;
  const mapped = await mappedFields(run, source);
  await beginNotes(run);
  await walkContacts(run, source, steps, async (step, contacts, known) => {
    await suppressMarked(run, known);
    await importPage(run, source, { step, mapped }, contacts);
  });
  await keepCountOfNotes(run);
  await run.save({ total: run.phase.succeeded + run.phase.failed + run.phase.skipped });
  return true;
}

async function stepsOf(run: PhaseRun, source: SourceB): Promise<ContactStep[]> {
  const { listIds } = run.migration.selection;
  if (listIds?.length === 0) return [];
  const all = await source.listSegments();
  const lists = await targetLists(
    run,
    all.filter(({ id }) => listIds === null || listIds.includes(id)),
  );
  const members = lists.map(
    ({ source: segment, listId }): ContactStep => ({
      ...segmentStep(segment.id),
      addListIds: [listId],
      counts: listIds === null ? 'members' : 'contacts',
    }),
  );
  if (listIds !== null) return members;
  const everybody = [EVERYBODY, NEWCOMERS].map(
    (step): ContactStep => ({ ...step, addListIds: [], counts: 'contacts' }),
  );
  return [...everybody, ...members];
}

/** The unsubscribed are suppressed before they become contacts here, so that they can never be mailed. */
async function importPage(
  run: PhaseRun,
  source: SourceB,
  { step, mapped }: { step: ContactStep; mapped: MappedField[] },
  contacts: SourceContact[],
): Promise<void> {
  const isDetailed = mapped.length > 0 && step.counts === 'contacts';
  const size = isDetailed ? DETAILED_SIZE : contacts.length;
  for (let from = 0; from < contacts.length; from += size) {
    run.signal?.throwIfAborted();
    const part = contacts.slice(from, from + size);
    const { present, gone } = isDetailed ? await withProperties(source, part) : { present: part, gone: 0 };
    // Marked in the list, or later when its properties are read: either counts.
    await suppressMarked(run, [...part, ...present]);
    const page = await importContacts(run, present, { mapped, addListIds: step.addListIds });
    page.skipped += gone;
    await savePart(run, step, part, page);
  }
}

/** Lists leave properties out, so each contact costs a request. A contact that was deleted at the source since is skipped. */
async function withProperties(
  source: SourceB,
  contacts: SourceContact[],
): Promise<{ present: SourceContact[]; gone: number }> {
  const present: SourceContact[] = [];
  for (const { sourceId } of contacts) {
    const contact = await source.readContact(sourceId);
    if (contact) present.push(contact);
  }
  return { present, gone: contacts.length - present.length };
}

async function savePart(run: PhaseRun, step: ContactStep, part: SourceContact[], page: Imported): Promise<void> {
  const before = countsOf(run.phase);
  const counts = step.counts === 'contacts' ? addContacts(before, page) : addMembers(before, page);
  const seen = counts.succeeded + counts.failed + counts.skipped;
  const total = Math.max(run.phase.total, seen);
  await saveWalked(run, part, { ...counts, ...notesOf(run.phase, page), total });
}
