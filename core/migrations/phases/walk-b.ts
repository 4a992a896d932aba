import type { MigrationPhase } from '../model.ts';
import { type PhaseRun, withNotes } from '../run/progress.ts';
import { type SourceContact, SourceError, type SourcePage } from '../source.ts';

/** The number of last ids that are kept, for when the contact at the cursor is deleted at the source. */
const RECENT_MAX = 20;
/** When all recent contacts were deleted, the walk restarts; a source that refuses its own cursors every time is broken. */
const RESTARTS_MAX = 5;

/** All contacts, or the members of one audience. */
export interface WalkStep {
  /** The order of the steps, which stays the same whatever is added or deleted at the source during the run. */
  key: string;
  segmentId: string | null;
  /** Read again from the top, down to the contacts known when the step began: contacts added since then. */
  isNewcomers: boolean;
}

/** The first two steps of a walk over the whole account; both keys sort before every key of a segment. */
export const EVERYBODY: WalkStep = { key: 'everybody', segmentId: null, isNewcomers: false };
export const NEWCOMERS: WalkStep = { key: 'newcomers', segmentId: null, isNewcomers: true };

export function segmentStep(segmentId: string): WalkStep {
  return { key: `segment ${segmentId}`, segmentId, isNewcomers: false };
}

interface Cursor {
  /** The current step, by its key. */
  step: string;
  /** The ids that were done last, the newest at the end; the next page begins after the last of them that still exists. */
  recent: string[];
  /** When the newest contact of the walk was created, as the source writes it. */
  newestAt: string | null;
}

/** Reads the contacts of each step page by page. `work` writes a page and saves it with `saveWalked`, whole or in parts. */
export async function walkContacts<Step extends WalkStep>(
  run: PhaseRun,
  given: Step[],
  work: (step: Step, contacts: SourceContact[]) => Promise<void>,
): Promise<void> {
  const steps = given.toSorted((a, b) => (a.key < b.key ? -1 : 1));
  if (run.phase.cursor === null) await saveCursor(run, { step: '', recent: [], newestAt: null });
  for (;;) {
    const { step: key, newestAt } = cursorOf(run);
    const step = steps.find((one) => one.key >= key);
    if (!step) return;
    if (step.key !== key) await saveCursor(run, { step: step.key, recent: [], newestAt });
    await walkStep(run, step, (contacts) => work(step, contacts));
  }
}

/** Counts and cursor together; `part` are the contacts of the step that this save completes. */
export async function saveWalked(
  run: PhaseRun,
  part: SourceContact[],
  change: Partial<MigrationPhase> = {},
): Promise<void> {
  const { step, recent, newestAt } = cursorOf(run);
  const isFirst = step === EVERYBODY.key && recent.length === 0;
  const cursor = {
    step,
    recent: [...recent, ...part.map(({ sourceId }) => sourceId)].slice(-RECENT_MAX),
    newestAt: isFirst ? (part[0]?.createdAt ?? null) : newestAt,
  };
  await saveCursor(run, cursor, change);
}

type PageWork = (contacts: SourceContact[]) => Promise<void>;

/** A segment that was deleted at the source during the run has no more members. */
async function walkStep(run: PhaseRun, step: WalkStep, work: PageWork): Promise<void> {
  try {
    await walkPages(run, step, work);
  } catch (error) {
    const isGone = step.segmentId !== null && error instanceof SourceError && error.kind === 'not_found';
    if (!isGone) throw error;
    const note = { item: step.segmentId ?? '', message: 'The audience was deleted at the source meanwhile.' };
    await run.save({ review: withNotes(run.phase.review, [note]) });
  }
  // The next step is the first one after this key.
  await saveCursor(run, { step: `${step.key} done`, recent: [], newestAt: cursorOf(run).newestAt });
}

/** A page that was read before means that the source repeats itself in a cycle: the other contacts cannot be reached. */
async function walkPages(run: PhaseRun, step: WalkStep, work: PageWork): Promise<void> {
  const { newestAt } = cursorOf(run);
  const lastIds = new Set<string>();
  let restarts = 0;
  for (;;) {
    const { contacts, hasMore, isRestart } = await nextPage(run, step);
    if (isRestart) {
      lastIds.clear();
      restarts += 1;
      if (restarts > RESTARTS_MAX) throw new SourceError('malformed', 'Provider B refuses its own cursors.');
    }
    const known = step.isNewcomers ? contacts.findIndex(({ createdAt }) => createdAt <= (newestAt ?? '')) : -1;
    await work(known === -1 ? contacts : contacts.slice(0, known));
    if (!hasMore || known !== -1) return;
    const last = contacts.at(-1)?.sourceId;
    if (last === undefined || lastIds.has(last))
      throw new SourceError('malformed', 'Provider B promises more contacts, but lists the same page again.');
    lastIds.add(last);
  }
}

/** Tries the last ids, newest first, until one still exists; when none does, the walk restarts, which the upserts make harmless. */
async function nextPage(run: PhaseRun, { segmentId }: WalkStep): Promise<SourcePage & { isRestart: boolean }> {
  const { recent } = cursorOf(run);
  for (const id of recent.toReversed()) {
    try {
      return { ...(await run.b.listContacts(id, segmentId ?? undefined)), isRestart: false };
    } catch (error) {
      if (!(error instanceof SourceError && error.kind === 'stale_cursor')) throw error;
      run.beat();
    }
  }
  return { ...(await run.b.listContacts(null, segmentId ?? undefined)), isRestart: recent.length > 0 };
}

function cursorOf({ phase }: PhaseRun): Cursor {
  return phase.cursor as unknown as Cursor;
}

async function saveCursor(run: PhaseRun, cursor: Cursor, change: Partial<MigrationPhase> = {}): Promise<void> {
  await run.save({ ...change, cursor: { ...cursor } });
}
