import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { place, setQuery } from '../../../router.ts';
import { isNarrow } from './narrow.ts';

/** In the query: a step, or the entry. */
const ENTRY_ASKED = 'entry';
const SIMULATION = 'simulate';

/** The step that the address names, and what the panel shows. */
export function useChoosing(panel: RefObject<HTMLElement | null>) {
  const { query } = place.value;
  const asked = query.get('step');
  const isSimulating = query.get('panel') === SIMULATION;
  const wantsFields = useRef(false);
  useLayoutEffect(() => {
    if (wantsFields.current) focusFields(panel.current);
    else if (asked !== null && isNarrow()) panel.current?.querySelector<HTMLElement>('.title')?.focus();
    wantsFields.current = false;
  }, [asked]);
  return {
    /** null: nothing, or the entry. */
    stepId: asked === ENTRY_ASKED ? null : asked,
    isSimulating,
    /** On a narrow screen the panel covers the steps only when it was asked for. */
    isAsked: isSimulating || asked !== null,
    /** null: the entry. `fields`: the focus moves to the first of its fields. */
    choose(stepId: string | null, then?: 'fields'): void {
      const next = stepId ?? ENTRY_ASKED;
      wantsFields.current = then === 'fields';
      setQuery({ step: next, panel: null });
      if (asked === next && then) focusFields(panel.current);
    },
    /** On a wide screen the panel stays next to the steps. */
    close: () => isNarrow() && setQuery({ step: null }),
    simulate: (isOn: boolean) => setQuery({ panel: isOn ? SIMULATION : null }),
  };
}

function focusFields(panel: Element | null): void {
  panel?.querySelector<HTMLElement>('.fields :is(input, select, textarea, [contenteditable]):enabled')?.focus();
}
