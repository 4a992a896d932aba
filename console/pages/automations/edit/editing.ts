import { batch, useSignal } from '@preact/signals';
import type { Form } from '../../../parts/forms/form.ts';
import { toast } from '../../../parts/over/toast.tsx';
import type { Values } from './draft.ts';
import { act, begin, type History, redo, undo } from './model/history.ts';
import type { Outcome, Steps } from './model/steps.ts';

export type Editing = ReturnType<typeof useEditing>;

/** A step that is about to be put on another line. */
export interface Carried {
  stepId: string;
  isCopy: boolean;
}

/** The acts of the page on the values of the form, which can be taken back. */
export function useEditing(form: Form<Values>) {
  const history = useSignal<History<Values>>(begin(form.values.peek()));
  /** For screen readers. */
  const said = useSignal('');
  const carried = useSignal<Carried | null>(null);
  /** Grows when values come from elsewhere than the fields, which begin again then. */
  const epoch = useSignal(0);

  function show(next: Values): void {
    batch(() => {
      for (const name of Object.keys(next) as Array<keyof Values>)
        if (form.values.peek()[name] !== next[name]) form.set(name, next[name]);
    });
  }
  function change(next: Values, field: string | null = null): void {
    batch(() => {
      history.value = act(history.peek(), next, field);
      show(next);
    });
  }
  function turn(next: History<Values>, words: string): void {
    if (next === history.peek()) {
      said.value = 'Nothing is left.';
      return;
    }
    batch(() => {
      history.value = next;
      show(next.now);
      epoch.value += 1;
      said.value = words;
    });
  }
  return {
    said,
    carried,
    epoch,
    canUndo: history.value.past.length > 0,
    canRedo: history.value.future.length > 0,
    change,
    /** The step that an act was about; undefined when it was not done. */
    done(outcome: Outcome, words: (steps: Steps) => string): string | null | undefined {
      if ('why' in outcome) {
        toast(outcome.why);
        return undefined;
      }
      batch(() => {
        change({ ...form.values.peek(), steps: [...outcome.steps] });
        said.value = words(outcome.steps);
      });
      return outcome.stepId;
    },
    undo: () => turn(undo(history.peek()), 'Taken back.'),
    redo: () => turn(redo(history.peek()), 'Done again.'),
    /** After other values were loaded into the form. */
    restart() {
      batch(() => {
        history.value = begin(form.values.peek());
        epoch.value += 1;
      });
    },
  };
}
