import type { MigrationPhase } from '../model.ts';
import { type PhaseRun, withNotes } from '../progress/progress.ts';
import { type SourceB, type SourceContact, SourceError, type SourcePage } from '../source.ts';
import { afterStep, cursorOf, type Step, type StepCursor, saveCursor, walkSteps } from './steps.ts';

/** The number of last ids that are kept, for when the contact at the cursor is deleted at the source. */
const RECENT_MAX = 20;
/** When all recent contacts were deleted, the walk restarts; a source that refuses its own cursors every time is broken. */
const RESTARTS_MAX = 5;

/** All contacts, or the members of one audience. */
export interface WalkStep extends Step {
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

interface Cursor extends StepCursor {
  /** The ids that were done last, the newest at the end; the next page begins after the last of them that still exists. */
  recent: string[];
  /** When the newest contact of the walk was created, as the source writes it. */
  newestAt: string | null;
}

/**
 * Writes a page and saves it with `saveWalked`, whole or in parts. `known` are contacts of the page that an earlier step has written;
 * they may have unsubscribed since.
 */
type PageWork<One extends WalkStep> = (step: One, contacts: SourceContact[], known: SourceContact[]) => Promise<void>;

/** Reads the contacts of each step page by page. */
export async function walkContacts<One extends WalkStep>(
  run: PhaseRun,
  source: SourceB,
  steps: One[],
  work: PageWork<One>,
): Promise<void> {
  if (run.phase.cursor === null) await saveCursor(run, beginStep('', null));
  await walkSteps(
    run,
    steps,
    (key) => beginStep(key, cursorOf<Cursor>(run).newestAt),
    (step) => walkStep(run, source, step, work),
  );
}

/** Counts and cursor together; `part` are the contacts of the step that this save completes. */
export async function saveWalked(
  run: PhaseRun,
  part: SourceContact[],
  change: Partial<MigrationPhase> = {},
): Promise<void> {
  const { step, recent, newestAt } = cursorOf<Cursor>(run);
  const isFirst = step === EVERYBODY.key && recent.length === 0;
  const cursor = {
    step,
    recent: [...recent, ...part.map(({ sourceId }) => sourceId)].slice(-RECENT_MAX),
    newestAt: isFirst ? (part[0]?.createdAt ?? null) : newestAt,
  };
  await saveCursor(run, cursor, change);
}

/** A segment that was deleted at the source during the run has no more members. */
async function walkStep<One extends WalkStep>(
  run: PhaseRun,
  source: SourceB,
  step: One,
  work: PageWork<One>,
): Promise<void> {
  try {
    await walkPages(run, source, step, work);
  } catch (error) {
    const isGone = step.segmentId !== null && error instanceof SourceError && error.kind === 'not_found';
    if (!isGone) throw error;
    const note = { item: step.segmentId ?? '', message: 'The audience was deleted at the source meanwhile.' };
    await run.save({ review: withNotes(run.phase.review, [note]) });
  }
  await saveCursor(run, beginStep(afterStep(step), cursorOf<Cursor>(run).newestAt));
}

/** A page that was read before means that the source repeats itself in a cycle: the other contacts cannot be reached. */
async function walkPages<One extends WalkStep>(
  run: PhaseRun,
  source: SourceB,
  step: One,
  work: PageWork<One>,
): Promise<void> {
  const { newestAt } = cursorOf<Cursor>(run);
  const lastIds = new Set<string>();
  let restarts = 0;
  for (;;) {
    const { contacts, hasMore, isRestart } = await nextPage(run, source, step);
    if (isRestart) {
      lastIds.clear();
      restarts += 1;
      if (restarts > RESTARTS_MAX) throw new SourceError('malformed', 'Provider B refuses its own cursors.');
    }
    const firstKnown = step.isNewcomers ? contacts.findIndex(({ createdAt }) => createdAt <= (newestAt ?? '')) : -1;
    const isEnd = firstKnown !== -1;
    const [fresh, known] = isEnd ? [contacts.slice(0, firstKnown), contacts.slice(firstKnown)] : [contacts, []];
    await work(step, fresh, known);
    if (!hasMore || isEnd) return;
    const last = contacts.at(-1)?.sourceId;
    if (last === undefined || lastIds.has(last))
      throw new SourceError('malformed', 'Provider B promises more contacts, but lists the same page again.');
    lastIds.add(last);
  }
}

/** Tries the last ids, newest first, until one still exists; when none does, the walk restarts, which the upserts make harmless. */
async function nextPage(
  run: PhaseRun,
  source: SourceB,
  { segmentId }: WalkStep,
): Promise<SourcePage & { isRestart: boolean }> {
  const { recent } = cursorOf<Cursor>(run);
  for (const id of recent.toReversed()) {
    try {
      return { ...(await source.listContacts(id, segmentId ?? undefined)), isRestart: false };
    } catch (error) {
      if (!(error instanceof SourceError && error.kind === 'stale_cursor')) throw error;
    }
  }
  return { ...(await source.listContacts(null, segmentId ?? undefined)), isRestart: recent.length > 0 };
}

function beginStep(step: string, newestAt: string | null): Cursor {
  return { step, recent: [], newestAt };
}
