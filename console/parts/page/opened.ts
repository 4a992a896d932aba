import { type Query, useQuery } from './query.ts';

interface Opened<T> {
  opened: T | null;
  /** Loads the one that is not among the rows. */
  query: Query<T | null>;
}

/** The thing that the address of the page names: one of the rows, or loaded by itself when another page of the list has it. */
export function useOpened<T extends { id: string }>(
  id: string | null,
  rows: readonly T[] | null,
  load: (id: string, signal: AbortSignal) => PromiseLike<T>,
): Opened<T> {
  const listed = rows?.find((row) => row.id === id) ?? null;
  const query = useQuery(
    async (signal) => (id && rows && !listed ? await load(id, signal) : null),
    [id, rows === null, listed === null],
  );
  const loaded = query.data.value;
  return { opened: listed ?? (loaded?.id === id ? loaded : null), query };
}
