import type { PageOf } from '../../core/base/paging.ts';

/** {<plural>: [...], pagination} */
export function presentPage<T, Wire>(plural: string, { entries, pagination }: PageOf<T>, present: (entry: T) => Wire) {
  return { [plural]: entries.map(present), pagination };
}
