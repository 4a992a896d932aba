import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { Item, Things } from './things.ts';

/** The things behind stored ids, wherever they are in the order. */
export interface Names<T> {
  /** undefined while it is loaded, null when it was deleted. */
  of(id: string): Item<T> | null | undefined;
  /** For people, whatever became of it. */
  name(id: string): string;
  learn(item: Item<T>): void;
}

/** Asks for each id once, by itself, but for those that the page knows. */
export function useNames<T>(
  things: Pick<Things<T>, 'one' | 'get'>,
  ids: readonly string[],
  known: readonly Item<T>[] = [],
): Names<T> {
  const found = useSignal<ReadonlyMap<string, Item<T> | null>>(new Map(known.map((item) => [item.value, item])));
  const asked = useRef(new Set<string>());
  const gone = useMemo(() => new AbortController(), []);
  useEffect(() => () => gone.abort(), []);

  function note(id: string, item: Item<T> | null): void {
    if (!gone.signal.aborted) found.value = new Map(found.peek()).set(id, item);
  }
  useEffect(() => {
    for (const id of ids) {
      if (id === '' || asked.current.has(id) || found.peek().has(id)) continue;
      asked.current.add(id);
      // A name that cannot be loaded is no reason to hide the thing.
      const asIs = () => note(id, { value: id, label: id });
      void things.get(id, gone.signal).then((item) => note(id, item), asIs);
    }
  }, [things, ids.join('\n')]);

  const of = (id: string) => found.value.get(id);
  return {
    of,
    name(id) {
      const item = of(id);
      return item === undefined ? '…' : (item?.label ?? `Deleted ${things.one}`);
    },
    learn: (item) => note(item.value, item),
  };
}
