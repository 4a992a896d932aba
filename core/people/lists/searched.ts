import type { ObjectId } from 'mongodb';
import { conflict } from '../../base/errors.ts';
import type { Session } from '../../base/model.ts';
import type { PeopleDeps } from '../deps.ts';
import { type Filter, parseFilter, SEARCHED_LENGTH_MAX, searchedLength, searchedTooLong } from '../filters/filters.ts';

/** A filter that every change of a contact is compared with, and the characters that it searches for. */
export interface SearchedFilter {
  _id: ObjectId;
  length: number;
}

declare module '../../base/deps.ts' {
  interface Subscribers {
    /** The filters that are no segments. */
    searchedFilters(deps: CallerDeps, session: Session, projectId: ObjectId): Promise<SearchedFilter[]>;
  }
}

/** A project that is over the limit already keeps what it has: only what searches for more than `before` is refused. */
export async function refuseTooLong(
  deps: PeopleDeps,
  session: Session,
  { _id, projectId }: { _id: ObjectId; projectId: ObjectId },
  { own, before }: { own: number; before: number },
): Promise<void> {
  if (own <= before) return;
  const segments = await deps.db.contactLists
    .find({ projectId, type: 'segment' }, { session, hint: 'project', projection: { filterCriteria: 1 } })
    .toArray();
  const lengths = segments.map((segment) => ({ _id: segment._id, length: storedLength(segment) }));
  const all = [...lengths, ...(await deps.subscribers.searchedFilters(deps, session, projectId))];
  const others = all.filter((one) => !one._id.equals(_id)).reduce((sum, { length }) => sum + length, 0);
  if (others + own <= SEARCHED_LENGTH_MAX) return;
  const together = 'all segments of a project, and in the entry criteria of its active automations,';
  throw conflict('INVALID_STATE', `The ${searchedTooLong(together, SEARCHED_LENGTH_MAX, others + own)}.`);
}

/** Of a filter that is not stored, whatever others there are. */
export function refuseTooLongAlone(filter: Filter): void {
  const length = searchedLength(filter);
  if (length > SEARCHED_LENGTH_MAX)
    throw conflict('INVALID_STATE', `The ${searchedTooLong('a filter', SEARCHED_LENGTH_MAX, length)}.`);
}

/** The characters that a stored filter searches for; null: there is no filter. */
export function storedLength({
  filterCriteria,
}: {
  filterCriteria?: Record<string, unknown> | null | undefined;
}): number {
  if (!filterCriteria) return 0;
  const parsed = parseFilter(filterCriteria, { contactProperties: {}, event: {} });
  return parsed.ok ? searchedLength(parsed.filter) : 0;
}
