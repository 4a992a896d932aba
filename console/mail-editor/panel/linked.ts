import { signal } from '@preact/signals';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { Form } from '../../parts/forms/form.ts';

export type Texts = Record<string, string>;

/**
 * Fields over values that are elsewhere: a key is one call of `set`. A text that cannot be a value stays in its field, and a value that
 * changes elsewhere, by undo for example, takes the place of the text.
 */
export function useLinkedFields(values: Texts, errors: Texts, set: (name: string, text: string) => void): Form<Texts> {
  const latest = useRef(set);
  latest.current = set;
  const form = useMemo(() => formOver(values, (name, text) => latest.current(name, text)), []);
  const known = useRef(values);
  useLayoutEffect(() => {
    const before = known.current;
    known.current = values;
    const changed = Object.entries(values).filter(([name, value]) => value !== before[name]);
    if (changed.length > 0) form.reset({ ...form.values.peek(), ...Object.fromEntries(changed) });
  });
  const said = JSON.stringify(errors);
  useLayoutEffect(() => {
    form.errors.value = errors;
  }, [said]);
  return form;
}

function formOver(initial: Texts, set: (name: string, text: string) => void): Form<Texts> {
  const values = signal(initial);
  return {
    values,
    errors: signal<Record<string, string>>({}),
    failure: signal<string | null>(null),
    isBusy: signal(false),
    isChanged: signal(false),
    isUnsent: signal(false),
    set(name, value) {
      values.value = { ...values.peek(), [name]: value };
      set(name, value);
    },
    reset(next = initial) {
      values.value = next;
    },
    take() {},
    submit: () => async () => false,
    mount: () => () => {},
  };
}
