import type { MigrationPhase } from '../model.ts';
import type { PhaseRun } from '../progress/progress.ts';

export interface Step {
  /** The order of the steps, which stays the same whatever is added or deleted at the source during the run. */
  key: string;
}

/** The key of the current step; a walk adds what it needs to resume in the middle of it. */
export interface StepCursor {
  step: string;
}

/** Works through the steps from the cursor on. `begin` makes the cursor of a step; `work` ends by saving one of `afterStep`. */
export async function walkSteps<One extends Step>(
  run: PhaseRun,
  steps: One[],
  begin: (key: string) => StepCursor,
  work: (step: One) => Promise<void>,
): Promise<void> {
  const inOrder = steps.toSorted((a, b) => (a.key < b.key ? -1 : 1));
  for (;;) {
    const { step: key } = cursorOf(run);
    const step = inOrder.find((one) => one.key >= key);
    if (!step) return;
    if (step.key !== key) await saveCursor(run, begin(step.key));
    await work(step);
  }
}

/** The next step is the first one after this key. */
export function afterStep({ key }: Step): string {
  return `${key} done`;
}

/** Only the phase that wrote a cursor reads it. */
export function cursorOf<Cursor extends StepCursor>({ phase }: PhaseRun): Cursor {
  return phase.cursor as Cursor | null as Cursor;
}

/** Counts and cursor together. */
export async function saveCursor<Cursor extends StepCursor>(
  run: PhaseRun,
  cursor: Cursor,
  change: Partial<MigrationPhase> = {},
): Promise<void> {
  await run.save({ ...change, cursor: cursor as Cursor & Record<string, unknown> });
}
