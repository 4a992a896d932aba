import { effect, type ReadonlySignal, signal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { useWhenFound } from './query.ts';

const PAUSE_MS = 300;

export interface Preview<A> {
  answer: ReadonlySignal<A | null>;
  error: ReadonlySignal<unknown>;
  /** The answer is older than the draft. */
  isOld: ReadonlySignal<boolean>;
}

/** The answer to a draft, again when the typing pauses; an overtaken answer is dropped. null: nothing to show yet. */
export function usePreview<D, A>(
  draft: ReadonlySignal<D | null>,
  ask: (draft: D, signal: AbortSignal) => PromiseLike<A>,
): Preview<A> {
  const latest = useRef(ask);
  latest.current = ask;
  const preview = useMemo(() => createPreview<D, A>((...asked) => latest.current(...asked)), []);
  useEffect(() => {
    const stop = effect(() => preview.follow(draft.value));
    return () => {
      stop();
      preview.stop();
    };
  }, [draft]);
  useWhenFound(preview.error, () => preview.follow(draft.peek()));
  return preview;
}

function createPreview<D, A>(ask: (draft: D, signal: AbortSignal) => PromiseLike<A>) {
  const answer = signal<A | null>(null);
  const error = signal<unknown>(null);
  const isOld = signal(false);
  let current: AbortController | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function load(draft: D, own: AbortController): Promise<void> {
    try {
      const made = await ask(draft, own.signal);
      if (own.signal.aborted) return;
      answer.value = made;
      error.value = null;
      isOld.value = false;
    } catch (fault) {
      if (!own.signal.aborted) error.value = fault;
    }
  }
  function stop(): void {
    clearTimeout(timer);
    current?.abort();
  }
  return {
    answer,
    error,
    isOld,
    stop,
    follow(draft: D | null): void {
      stop();
      if (draft === null) return;
      const own = new AbortController();
      current = own;
      isOld.value = answer.peek() !== null;
      timer = setTimeout(() => void load(draft, own), answer.peek() ? PAUSE_MS : 0);
    },
  };
}
