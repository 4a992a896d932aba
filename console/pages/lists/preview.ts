import { effect, type ReadonlySignal, signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { ContactListPreview } from '../../../client/index.ts';
import { api } from '../../api.ts';
import { useWhenFound } from '../../parts/page/query.ts';
import { type GroupRow, isComplete, isRowComplete, type KnownField, newGroup, toCriteria } from './filter.ts';

const PAUSE_MS = 400;

export interface Preview {
  found: ReadonlySignal<ContactListPreview | null>;
  isCounting: ReadonlySignal<boolean>;
  error: ReadonlySignal<unknown>;
  /** People of each row alone. */
  counts: ReadonlySignal<ReadonlyMap<number, number | null>>;
  again(): void;
}

/**
 * People found by the filter while it is typed: first the whole, then each row that is new, one after the other, since the interface counts
 * two at a time for a project. A change drops what is not needed any more.
 */
export function usePreview(group: ReadonlySignal<GroupRow>, fields: readonly KnownField[]): Preview {
  const preview = useMemo(() => createPreview(), []);
  useEffect(() => {
    const stop = effect(() => preview.follow(group.value, fields));
    return () => {
      stop();
      preview.stop();
    };
  }, [group, fields]);
  const again = () => preview.follow(group.peek(), fields);
  useWhenFound(preview.error, again);
  return { ...preview, again };
}

function createPreview() {
  const found = signal<ContactListPreview | null>(null);
  const isCounting = signal(false);
  const error = signal<unknown>(null);
  const counts = signal<ReadonlyMap<number, number | null>>(new Map());
  /** Of rows that did not change the count is known. */
  const known = new Map<string, number | null>();
  let current: AbortController | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function count(group: GroupRow, fields: readonly KnownField[], own: AbortController): Promise<void> {
    const ask = (some: GroupRow) =>
      api.contactLists.preview({ filterCriteria: toCriteria(some, fields) }, { signal: own.signal });
    isCounting.value = true;
    try {
      const answer = await ask(group);
      if (own.signal.aborted) return;
      found.value = answer;
      error.value = null;
      for (const row of group.rows) {
        if (!isRowComplete(row)) continue;
        const alone = newGroup([row]);
        const id = JSON.stringify(toCriteria(alone, fields));
        const n = known.has(id) ? (known.get(id) ?? null) : (await ask(alone)).count;
        if (own.signal.aborted) return;
        known.set(id, n);
        counts.value = new Map(counts.peek()).set(row.key, n);
      }
    } catch (fault) {
      if (own.signal.aborted) return;
      error.value = fault;
    } finally {
      if (!own.signal.aborted) isCounting.value = false;
    }
  }

  function stop(): void {
    clearTimeout(timer);
    current?.abort();
  }

  return {
    found,
    isCounting,
    error,
    counts,
    stop,
    follow(group: GroupRow, fields: readonly KnownField[]): void {
      stop();
      const own = new AbortController();
      current = own;
      if (!isComplete(group)) {
        isCounting.value = false;
        return;
      }
      timer = setTimeout(() => void count(group, fields, own), PAUSE_MS);
    },
  };
}
