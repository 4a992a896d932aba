import { type SourceA, SourceError, type SourceSuppressed, type SuppressionList } from './source.ts';

/** A page begins with the last rows of the one before: when rows are deleted in between, the others move up, and none is missed. */
const OVERLAP = 50;
/** More rows than that were deleted at once: the list is read again from its beginning. */
const RESTARTS_MAX = 5;
const ROWS_MAX = 20_000_000;

export interface SuppressedPage {
  rows: SourceSuppressed[];
  /** How many rows of the list come before the end of this page. */
  read: number;
  /** Where the next page begins; null after the last one. */
  next: number | null;
}

interface Range {
  from?: number;
  since?: Date | null;
  /** Whether an earlier read of the list had this address: asked about the row at `from`. */
  wasRead?: (email: string) => Promise<boolean>;
}

/** The pages of a list of provider A, which may change while it is read, and between a read that was stopped and the next. */
export async function* suppressedPages(
  source: SourceA,
  list: SuppressionList,
  { from = 0, since = null, wasRead = async () => true }: Range = {},
): AsyncGenerator<SuppressedPage> {
  let before: Set<string> | null = null;
  let restarts = 0;
  for (let offset = from; ; ) {
    const { rows, hasMore } = await source.listSuppressed(list, { offset, since });
    const known: Set<string> = before ?? new Set();
    const first = rows[0]?.email ?? '';
    const isNext = before ? known.has(first) : offset === 0 || (await wasRead(first));
    if (!isNext) {
      restarts += 1;
      if (restarts > RESTARTS_MAX) throw new SourceError('malformed', `Provider A gives no stable list of ${list}.`);
      offset = 0;
      before = null;
      continue;
    }
    if (hasMore && rows.every(({ email }) => known.has(email)))
      throw new SourceError('malformed', `Provider A repeats a page of its list of ${list}.`);
    const read = offset + rows.length;
    if (read > ROWS_MAX) throw new SourceError('too_large', `Provider A lists more than ${ROWS_MAX} ${list}.`);
    const next = hasMore ? Math.max(read - OVERLAP, offset + 1) : null;
    yield { rows, read, next };
    if (next === null) return;
    offset = next;
    before = new Set(rows.map(({ email }) => email));
  }
}
