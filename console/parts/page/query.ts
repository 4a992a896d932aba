import { batch, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { EverpostError } from '../../../client/index.ts';
import { apiFoundCount } from '../../api.ts';

/** Loaded data. The last data stays while it is loaded again, and when that fails. */
export interface Query<T> {
  /** null until the first answer. A page may write to it what it learned from a change or from the stream. */
  readonly data: Signal<T | null>;
  readonly error: ReadonlySignal<unknown>;
  readonly isLoading: ReadonlySignal<boolean>;
  reload(): Promise<void>;
}

/**
 * Loads with `load`, and again whenever one of `inputs` changes; an answer that was overtaken is dropped. Nothing is repeated by
 * time: events of the stream call `reload`, or write to `data`.
 */
export function useQuery<T>(load: (signal: AbortSignal) => PromiseLike<T>, inputs: readonly unknown[] = []): Query<T> {
  const latest = useRef(load);
  latest.current = load;
  const query = useMemo(() => createQuery<T>((signal) => latest.current(signal)), []);
  useEffect(() => {
    void query.reload();
  }, inputs);
  useEffect(() => query.stop, []);
  useWhenFound(query.error, query.reload);
  return query;
}

/** Asks again when the API is found that could not be reached. */
export function useWhenFound(error: ReadonlySignal<unknown>, ask: () => unknown): void {
  const latest = useRef(ask);
  latest.current = ask;
  useEffect(
    () =>
      apiFoundCount.subscribe((count) => {
        if (count > 0 && isUnreachable(error.peek())) void latest.current();
      }),
    [error],
  );
}

function createQuery<T>(load: (signal: AbortSignal) => PromiseLike<T>): Query<T> & { stop(): void } {
  const data = signal<T | null>(null);
  const error = signal<unknown>(null);
  const isLoading = signal(true);
  let current: AbortController | null = null;
  return {
    data,
    error,
    isLoading,
    stop: () => current?.abort(),
    async reload() {
      current?.abort();
      const own = new AbortController();
      current = own;
      isLoading.value = true;
      try {
        const answer = await load(own.signal);
        if (current !== own) return;
        batch(() => {
          data.value = answer;
          error.value = null;
          isLoading.value = false;
        });
      } catch (fault) {
        if (current !== own || own.signal.aborted) return;
        batch(() => {
          error.value = fault;
          isLoading.value = false;
        });
      }
    },
  };
}

export function isUnreachable(error: unknown): boolean {
  return error instanceof EverpostError && (error.code === 'NETWORK' || error.code === 'TIMEOUT');
}
