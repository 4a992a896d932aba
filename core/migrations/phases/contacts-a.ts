import { setTimeout as sleep } from 'node:timers/promises';
import type { ObjectId } from 'mongodb';
import { HOUR_MS } from '../../base/time/durations.ts';
import type { PhaseRun } from '../progress/progress.ts';
import { type SourceA, type SourceContact, SourceError, type SourceExport, type SourceRow } from '../source.ts';
import {
  addContacts,
  addMembers,
  type Counts,
  countsOf,
  type Imported,
  importContacts,
  type MappedField,
  mappedFields,
  notesOf,
} from './contacts.ts';
import { targetLists } from './lists.ts';
import { afterStep, cursorOf, type Step, type StepCursor, saveCursor, walkSteps } from './steps.ts';
import { compareListed, type Reading, suppressListed, suppressNewlyListed } from './suppressions-a.ts';

const BATCH_SIZE = 500;
/** Pages that are written at the same time. */
const PAGES_AT_ONCE = 3;
/** The keys of the steps, in their order. */
const SUPPRESSIONS = '1 suppressions';
const PEOPLE = '2 people';
const LIST = '3 list';
const END = '4 end';
const POLL_FIRST_MS = 250;
const POLL_MAX_MS = 15_000;
const EXPORT_WAIT_MAX_MS = 2 * HOUR_MS;
/** Exports that fail, expire or are cut off are repeated this many times before the run holds. */
const EXPORTS_MAX = 4;

const NO_COUNTS: Counts = { succeeded: 0, failed: 0, skipped: 0, created: 0, updated: 0, details: {} };

/** The first step suppresses the addresses that the source does not mail. The last one suppresses those that were added since, and compares. */
interface SuppressionStep extends Step {
  key: typeof SUPPRESSIONS | typeof END;
}

/** One export: first the contacts (all, or those of all selected lists), then the members of each list. */
interface ExportStep extends Step {
  /** null: the whole account. */
  sourceListIds: string[] | null;
  addListIds: ObjectId[];
  counts: 'contacts' | 'members';
}

interface Cursor extends StepCursor {
  exportId: string | null;
  /** Exports of this step that failed. */
  tries: number;
  /** How far the export is read: this file, its rows so far, and the rows of all files. */
  file: number;
  row: number;
  rows: number;
  counts: Counts;
  /** The counts when the step began: the rows of a new export may come in another order, so counting starts from here. */
  base: Counts;
  /** The part of the lists that the first step has read; null in every other step, and before the first page. */
  reading: Reading | null;
  /** The comparison at the end found addresses that are not suppressed. */
  isMissing?: boolean;
}

export async function contactsOfA(run: PhaseRun, source: SourceA): Promise<boolean> {
  const steps = await stepsOf(run, source);
  if (steps.length === 0) return false;
  const mapped = await mappedFields(run, source);
  if (!isBegun(run)) {
    const isWhole = run.migration.selection.listIds === null;
    const total = isWhole ? await source.countContacts() : 0;
    await saveCursor(run, beginStep(SUPPRESSIONS, NO_COUNTS), { total });
  }
  await walkSteps<SuppressionStep | ExportStep>(
    run,
    [{ key: SUPPRESSIONS }, ...steps, { key: END }],
    (key) => beginStep(key, cursorOf<Cursor>(run).counts),
    (step) => ('counts' in step ? workStep(run, source, step, mapped) : workSuppressions(run, source, step)),
  );
  return true;
}

/** False when an earlier version, which read no suppressions, began the phase: it then starts again, and changes nothing twice. */
function isBegun({ phase }: PhaseRun): boolean {
  return phase.cursor !== null && 'reading' in phase.cursor;
}

async function workSuppressions(run: PhaseRun, source: SourceA, step: SuppressionStep): Promise<void> {
  const { reading, isMissing = false } = cursorOf<Cursor>(run);
  if (step.key === SUPPRESSIONS) {
    await suppressListed(run, source, reading, (read, change) =>
      saveCursor(run, { ...cursorOf<Cursor>(run), reading: read }, change),
    );
  } else {
    await suppressNewlyListed(run, source);
    const missing = await compareListed(run, isMissing);
    if (missing) {
      await saveCursor(run, { ...cursorOf<Cursor>(run), isMissing: true });
      throw missing;
    }
  }
  await saveCursor(run, beginStep(afterStep(step), cursorOf<Cursor>(run).counts));
}

async function stepsOf(run: PhaseRun, source: SourceA): Promise<ExportStep[]> {
  const { listIds } = run.migration.selection;
  if (listIds?.length === 0) return [];
  const all = await source.listLists();
  const chosen = all.filter(({ id, contactCount }) => contactCount > 0 && (listIds === null || listIds.includes(id)));
  const lists = await targetLists(run, chosen);
  if (listIds !== null && lists.length === 0) return [];
  const sourceListIds = listIds === null ? null : lists.map(({ source }) => source.id);
  const isOneList = listIds?.length === 1;
  const addListIds = isOneList ? lists.map(({ listId }) => listId) : [];
  const people: ExportStep = { key: PEOPLE, sourceListIds, addListIds, counts: 'contacts' };
  // A single list needs no second export: its members are its contacts.
  if (isOneList) return [people];
  const members = lists.map(
    ({ source: list, listId }): ExportStep => ({
      key: `${LIST} ${list.id}`,
      sourceListIds: [list.id],
      addListIds: [listId],
      counts: 'members',
    }),
  );
  return [people, ...members];
}

async function workStep(run: PhaseRun, source: SourceA, step: ExportStep, mapped: MappedField[]): Promise<void> {
  try {
    const { urls, contactCount } = await readyExport(run, source, step);
    // A person who unsubscribed after the first step may be in the export.
    await suppressNewlyListed(run, source);
    if (step.counts === 'contacts' && contactCount !== null) await run.save({ total: contactCount });
    await readFiles(run, source, step, { mapped, urls });
    const { rows, counts } = cursorOf<Cursor>(run);
    if (contactCount !== null && rows < contactCount)
      throw new SourceError('file_gone', `The export holds ${rows} of its ${contactCount} contacts.`);
    const total = step.counts === 'contacts' ? rows : run.phase.total;
    await saveCursor(run, beginStep(afterStep(step), counts), { total, ...counts, details: detailsOf(run, counts) });
  } catch (error) {
    const mayTryAgain = error instanceof SourceError && (error.kind === 'file_gone' || error.kind === 'not_found');
    if (!mayTryAgain) throw error;
    await forgetExport(run, error);
  }
}

async function forgetExport(run: PhaseRun, error: SourceError): Promise<void> {
  const { step, tries, base } = cursorOf<Cursor>(run);
  const isLast = tries + 1 >= EXPORTS_MAX;
  await saveCursor(run, { ...beginStep(step, base), tries: isLast ? 0 : tries + 1 });
  if (isLast) throw error;
}

async function readyExport(run: PhaseRun, source: SourceA, { sourceListIds }: ExportStep): Promise<SourceExport> {
  const cursor = cursorOf<Cursor>(run);
  const id = cursor.exportId ?? (await source.startExport(sourceListIds));
  if (cursor.exportId === null) await saveCursor(run, { ...cursor, exportId: id });
  const giveUpAt = performance.now() + EXPORT_WAIT_MAX_MS;
  for (let waitMs = POLL_FIRST_MS; ; waitMs = Math.min(waitMs * 2, POLL_MAX_MS)) {
    const found = await source.readExport(id);
    if (found.state === 'ready') return found;
    if (found.state === 'failed')
      throw new SourceError(
        'file_gone',
        `Provider A could not make the export: ${found.message || 'no reason given'}.`,
      );
    if (performance.now() > giveUpAt)
      throw new SourceError('file_gone', 'Provider A did not finish the export within two hours.');
    await sleep(waitMs, undefined, { signal: run.signal });
  }
}

/** A file cannot be opened in the middle, so rows that are already done are read and skipped. Batches are cut the same way each time. */
async function readFiles(
  run: PhaseRun,
  source: SourceA,
  step: ExportStep,
  { mapped, urls }: { mapped: MappedField[]; urls: string[] },
): Promise<void> {
  const start = cursorOf<Cursor>(run);
  const pages = pagesInOrder(run, step);
  for (const [file, url] of urls.entries()) {
    if (file < start.file) continue;
    let row = 0;
    for await (const batch of source.readExportFile(url, BATCH_SIZE)) {
      run.signal?.throwIfAborted();
      row += batch.length;
      if (file === start.file && row <= start.row) continue;
      const place = pages.started % PAGES_AT_ONCE;
      await pages.add({ file, row, rows: batch.length }, importRows(run, step, { mapped, place }, batch));
    }
  }
  await pages.finish();
}

/** Several pages are written at the same time, which keeps both the database and this process busy; they are saved one after the other. */
function pagesInOrder(run: PhaseRun, step: ExportStep) {
  const underWay: { at: { file: number; row: number; rows: number }; page: Promise<Imported> }[] = [];

  async function saveFirst(): Promise<void> {
    const first = underWay.shift();
    if (!first) return;
    const { file, row, rows } = first.at;
    const page = await first.page;
    const cursor = cursorOf<Cursor>(run);
    const counts = step.counts === 'contacts' ? addContacts(cursor.counts, page) : addMembers(cursor.counts, page);
    const next = { ...cursor, file, row, rows: cursor.rows + rows, counts };
    const shown = { ...neverDecreasing(countsOf(run.phase), counts), details: detailsOf(run, counts) };
    await saveCursor(run, next, { ...shown, ...notesOf(run.phase, page) });
  }

  return {
    started: 0,
    async add(at: { file: number; row: number; rows: number }, page: Promise<Imported>): Promise<void> {
      // The save of an earlier page reports its failure; this page is then repeated.
      page.catch(() => {});
      this.started += 1;
      underWay.push({ at, page });
      if (underWay.length >= PAGES_AT_ONCE) await saveFirst();
    },
    async finish(): Promise<void> {
      while (underWay.length > 0) await saveFirst();
    },
  };
}

async function importRows(
  run: PhaseRun,
  { addListIds }: ExportStep,
  { mapped, place }: { mapped: MappedField[]; place: number },
  rows: SourceRow[],
): Promise<Imported> {
  const contacts: SourceContact[] = [];
  const bad: string[] = [];
  for (const row of rows) {
    if (row.ok) contacts.push(row.contact);
    else bad.push(row.message);
  }
  const imported = await importContacts(run, contacts, { mapped, addListIds, place });
  imported.failed += bad.length;
  imported.errors.push(...bad.map((message) => ({ item: 'a line of the export', message })));
  return imported;
}

/** The counts that are shown never decrease, although an export may have to be read again. */
function neverDecreasing(shown: Counts, counts: Counts): Omit<Counts, 'details'> {
  const most = (name: keyof Omit<Counts, 'details'>) => Math.max(shown[name], counts[name]);
  return {
    succeeded: most('succeeded'),
    failed: most('failed'),
    skipped: most('skipped'),
    created: most('created'),
    updated: most('updated'),
  };
}

/** The cursor counts memberships alone. */
function detailsOf({ phase }: PhaseRun, { details: { memberships } }: Counts): Counts['details'] {
  if (memberships === undefined) return phase.details;
  return { ...phase.details, memberships: Math.max(phase.details.memberships ?? 0, memberships) };
}

function beginStep(step: string, counts: Counts): Cursor {
  return { step, exportId: null, tries: 0, file: 0, row: 0, rows: 0, counts, base: counts, reading: null };
}
