import { computed, type Signal, useSignal } from '@preact/signals';
import { useMemo, useRef } from 'preact/hooks';
import { useWarningBeforeLeaving } from '../../../parts/forms/leaving.ts';
import type { Seen } from './texts.ts';

/** A text that is typed and not saved. */
export interface Unsaved {
  text: string;
  /** That of the template and that of the language, as they were when this one was begun. */
  seen: Seen;
  why: string | null;
}

export type UnsavedWords = ReturnType<typeof useUnsaved>;

/** The unsaved texts of all languages: one that is refused stays, also while another language is shown. */
export function useUnsaved() {
  const words = useSignal<Readonly<Record<string, Unsaved>>>({});
  const last = useRef<Promise<unknown>>(Promise.resolve());
  const isChanged = useMemo(() => computed(() => Object.keys(words.value).length > 0), []);
  useWarningBeforeLeaving({ isChanged });
  return {
    isChanged,
    of: (language: string) => ofLanguage(words, language),
    /** One after the other: a save that another one overtakes would be refused. */
    next<T>(call: () => PromiseLike<T>): Promise<T> {
      const done = last.current.then(call);
      last.current = done.catch(() => undefined);
      return done;
    },
  };
}

function ofLanguage(words: Signal<Readonly<Record<string, Unsaved>>>, language: string) {
  const keyOf = (name: string) => `${language} ${name}`;
  const without = (isGone: (key: string) => boolean) => {
    words.value = Object.fromEntries(Object.entries(words.peek()).filter(([key]) => !isGone(key)));
  };
  return {
    get: (name: string) => words.value[keyOf(name)],
    put(name: string, word: Unsaved) {
      words.value = { ...words.peek(), [keyOf(name)]: word };
    },
    drop: (name: string) => without((key) => key === keyOf(name)),
    dropAll: () => without((key) => key.startsWith(keyOf(''))),
  };
}
