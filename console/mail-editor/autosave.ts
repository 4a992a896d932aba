import { type ReadonlySignal, useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { apiFoundCount } from '../api.ts';
import { moment } from '../parts/data/format.ts';
import type { Form } from '../parts/forms/form.ts';

/** Typing rests that long. */
const REST_MS = 2_000;
/** Each save is a version, of which the last hundred are kept. */
const APART_MS = 30_000;

/**
 * Saves when what is typed rests, and not more often than a person would look back at versions. Until then the text is kept in this
 * browser.
 */
export function useAutosave<V extends object>(
  form: Form<V>,
  save: () => Promise<boolean>,
  isHeld: boolean,
): { isSoon: ReadonlySignal<boolean> } {
  const isSoon = useSignal(false);
  const latest = useRef({ save, isHeld });
  latest.current = { save, isHeld };
  const savedAt = useRef(-Infinity);
  useLayoutEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const due = async () => {
      isSoon.value = form.isBusy.peek() && form.isUnsent.peek() && !latest.current.isHeld;
      if (isSoon.peek()) {
        // A save is on its way, and another one would be refused: it waits for it.
        timer = setTimeout(() => void due(), REST_MS);
        return;
      }
      if (!form.isUnsent.peek() || latest.current.isHeld) return;
      if (await latest.current.save()) savedAt.current = performance.now();
    };
    const later = () => {
      clearTimeout(timer);
      isSoon.value = form.isUnsent.peek() && !latest.current.isHeld;
      if (!isSoon.peek()) return;
      timer = setTimeout(() => void due(), Math.max(REST_MS, savedAt.current + APART_MS - performance.now()));
    };
    const stops = [form.values.subscribe(later), apiFoundCount.subscribe(later)];
    return () => {
      clearTimeout(timer);
      for (const stop of stops) stop();
    };
    // A hold that ends lets the typed text go.
  }, [form, isHeld]);
  return { isSoon };
}

/** Whether it is saved, for the head of the page. */
export function savedWords({
  isChanged,
  isSoon,
  isSaving,
  at,
}: {
  isChanged: boolean;
  isSoon: boolean;
  isSaving: boolean;
  at: string;
}): string {
  if (isSaving) return 'Saving';
  if (isChanged) return isSoon ? 'Changed, saved soon' : 'Changed, not saved';
  return `Saved ${moment(at)}`;
}
