import { type ReadonlySignal, useSignal } from '@preact/signals';
import { useLayoutEffect, useMemo } from 'preact/hooks';
import { draftName, keepDraft, keptDraft, removeDraft } from '../../drafts.ts';
import { holdPage, linkedProject } from '../../router.ts';
import { session } from '../../session.ts';
import { confirm } from '../over/confirm.tsx';
import type { Form } from './form.ts';

const PAUSE_MS = 300;

/** An earlier text that is on the page again. */
export interface Restored {
  at: string;
  isOlder: boolean;
}

/** The console and the browser ask before they leave a page with something that is not saved. */
export function useWarningBeforeLeaving(
  { isChanged }: { isChanged: ReadonlySignal<boolean> },
  text = 'What you changed here is not saved.',
): void {
  useLayoutEffect(() => {
    const warn = (event: BeforeUnloadEvent) => {
      if (isChanged.peek()) event.preventDefault();
    };
    addEventListener('beforeunload', warn);
    const release = holdPage((go) => {
      if (isChanged.peek())
        void confirm({
          title: 'Leave without saving',
          text,
          action: 'Leave',
          run: go,
        });
      return isChanged.peek();
    });
    return () => {
      removeEventListener('beforeunload', warn);
      release();
    };
  }, [isChanged]);
}

/** Hands what is typed to the page that is opened next, which shows it as its own. */
export function keepForPage(page: string, values: object, savedAt: string): void {
  keepDraft(nameOf(page), { values, savedAt, at: new Date().toISOString() });
}

function nameOf(page: string): string {
  return draftName(session.peek()?.email ?? '', linkedProject.peek() ?? '', page);
}

/** Besides, what is typed is kept in this browser until it is saved, and is on the page again when it is opened. */
export function useKeptDraft<V extends object>(form: Form<V>, page: string, savedAt: string | null) {
  useWarningBeforeLeaving(
    form,
    'What you changed here is not saved. It is kept in this browser until you are here again.',
  );
  const name = useMemo(() => nameOf(page), [page]);
  const restored = useSignal<Restored | null>(null);
  useMemo(() => {
    const kept = keptDraft(name);
    if (!kept) return;
    for (const [key, value] of Object.entries(kept.values))
      if (key in form.values.peek()) form.set(key as keyof V & string, value as V[keyof V & string]);
    restored.value = { at: kept.at, isOlder: kept.savedAt !== savedAt };
  }, [name]);
  useLayoutEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const write = () => {
      clearTimeout(timer);
      // After signing out nothing is kept.
      if (form.isChanged.peek() && session.peek())
        keepDraft(name, { values: form.values.peek(), savedAt, at: new Date().toISOString() });
      else removeDraft(name);
    };
    const stops = [form.values, form.isChanged].map((signal) =>
      signal.subscribe(() => {
        if (!form.isChanged.peek()) restored.value = null;
        clearTimeout(timer);
        timer = setTimeout(write, PAUSE_MS);
      }),
    );
    addEventListener('pagehide', write);
    return () => {
      removeEventListener('pagehide', write);
      for (const stop of stops) stop();
      write();
    };
  }, [form, name, savedAt]);
  return {
    restored: restored as ReadonlySignal<Restored | null>,
    /** Another save came in between: the state that it began from is not what is saved. */
    overtaken() {
      restored.value &&= { ...restored.value, isOlder: true };
    },
    drop() {
      form.reset();
      restored.value = null;
    },
  };
}
