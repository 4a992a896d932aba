import type { LongPageOf, PageOf } from '../../core/base/paging.ts';
import { LongPage } from '../http/endpoint.ts';

/** {<plural>: [...], pagination} */
export function presentPage<T, Wire>(plural: string, { entries, pagination }: PageOf<T>, present: (entry: T) => Wire) {
  return { [plural]: entries.map(present), pagination };
}

/** The same, where an entry may have megabytes. */
export function presentLongPage<T>(
  plural: string,
  { entries, pagination }: LongPageOf<T>,
  present: (entry: T) => object,
): LongPage {
  return new LongPage(plural, presented(entries, present), pagination);
}

/** All entries, which may have megabytes together. */
export function presentLongList<T>(plural: string, entries: readonly T[], present: (entry: T) => object): LongPage {
  return new LongPage(plural, presented(entries, present), null);
}

async function* presented<T>(
  entries: AsyncIterable<T> | Iterable<T>,
  present: (entry: T) => object,
): AsyncGenerator<object> {
  for await (const entry of entries) yield present(entry);
}
