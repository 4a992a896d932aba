import type { Document, Filter } from 'mongodb';
import type { Described } from '../../../schemas/schema.ts';
import type { searchSuppressionsBody } from '../../../schemas/suppressions.ts';
import { SUPPRESSION_REASONS } from '../../../schemas/suppressions.ts';
import { partOf, searchKeys } from '../../base/database/search.ts';
import { invalid, notFound } from '../../base/errors.ts';
import type { Project } from '../../base/model.ts';
import { type Page, type PageOf, paginationOf, READ_TIME_MAX_MS, skipOf } from '../../base/paging.ts';
import { normalizeEmail } from '../../base/text/addresses.ts';
import { readDate } from '../../base/text/coercion.ts';
import type { ConsentDeps } from '../deps.ts';
import { liveGroups } from './find-groups.ts';
import { keptTotal } from './groups.ts';
import type { Suppression, SuppressionGroup } from './model.ts';

type SuppressionSearch = Pick<
  Described<typeof searchSuppressionsBody>,
  'groupId' | 'reason' | 'startDate' | 'endDate' | 'search' | 'email' | 'isGlobal' | 'isMarketing'
>;

interface TextFilter {
  /** Names the project. */
  filter: Filter<Suppression>;
  /** Any of these must match; empty: the filter is enough. */
  anyOf: Filter<Suppression>[];
}

type KeyOfEntry = Pick<Suppression, 'email' | 'groupId'>;
type Tenant = Pick<Project, '_id'>;

/** Newest first; matches of a text are ordered by address. */
export async function searchSuppressions(
  deps: ConsentDeps,
  project: Tenant,
  { page = 1, limit = 20, ...search }: Page & SuppressionSearch,
): Promise<PageOf<Suppression>> {
  const skip = skipOf(page, limit);
  const live = await liveGroups(deps, project);
  const groups = wantedAmong(live, search);
  const filter = filterOf(project, search, groups);
  if (!filter) return { entries: [], pagination: paginationOf(page, limit, 0) };
  if (search.search || search.email !== undefined) {
    const { total, entries } = await findByText(deps, project, textFilter(filter, search, groups), { skip, limit });
    return { entries, pagination: paginationOf(page, limit, total) };
  }
  const reading = { hint: hintOf(search), maxTimeMS: READ_TIME_MAX_MS };
  const [entries, total] = await Promise.all([
    deps.db.suppressions.find(filter, { ...reading, sort: { createdAt: -1, _id: -1 }, skip, limit }).toArray(),
    filter.createdAt ? deps.db.suppressions.countDocuments(filter, reading) : keptTotal(groups, search.reason),
  ]);
  return { entries, pagination: paginationOf(page, limit, total) };
}

/**
 * Entries of one page by address, with their exact number. To match one of several fields the server reads entries; to match a value
 * computed from the key it does not.
 */
async function findByText(
  deps: ConsentDeps,
  { _id: projectId }: Tenant,
  { filter, anyOf }: TextFilter,
  page: { skip: number; limit: number },
): Promise<{ total: number; entries: Suppression[] }> {
  const computed = { _id: 0, email: { $concat: ['$email', ''] }, groupId: 1, reason: 1 };
  const stages: Document[] = [{ $match: anyOf.length === 1 ? { $and: [filter, ...anyOf] } : filter }];
  if (anyOf.length > 1) stages.push({ $project: computed }, { $match: { $or: anyOf } });
  // The keys of `address` are shorter: a scan costs half.
  const hint = anyOf.length > 1 || filter.reason ? 'search' : 'address';
  const search = { hint, stages, fields: { email: 1, groupId: 1 } as const };
  const { total, keys } = await searchKeys<KeyOfEntry>(deps.db.suppressions, search, page);
  const found = await deps.db.suppressions
    .find({ projectId, email: { $in: keys.map(({ email }) => email) } }, { hint: 'address' })
    .toArray();
  const nameOf = ({ email, groupId }: KeyOfEntry) => `${groupId} ${email}`;
  const byName = new Map(found.map((entry) => [nameOf(entry), entry]));
  return { total, entries: keys.flatMap((key) => byName.get(nameOf(key)) ?? []) };
}

/** The groups that an address left, with why and when. */
export async function unsubscribeGroups(
  deps: ConsentDeps,
  project: Tenant,
  { email }: { email: string },
): Promise<{ group: SuppressionGroup; entry: Suppression }[]> {
  const entries = await deps.db.suppressions.find({ projectId: project._id, email }, { hint: 'address' }).toArray();
  const groups = await deps.db.suppressionGroups
    .find({ projectId: project._id, groupId: { $in: entries.map(({ groupId }) => groupId) }, deletedAt: null })
    .toArray();
  return groups.flatMap((group) => {
    const entry = entries.find(({ groupId }) => groupId === group.groupId);
    return entry ? [{ group, entry }] : [];
  });
}

/** null: nothing can match. */
function filterOf(project: Tenant, search: SuppressionSearch, [group]: SuppressionGroup[]): Filter<Suppression> | null {
  const between = readDates(search);
  if (!group) return null;
  return {
    projectId: project._id,
    ...(namesGroup(search) ? { groupId: group.groupId } : {}),
    ...(search.reason ? { reason: search.reason } : {}),
    ...(between ? { createdAt: between } : {}),
  };
}

/** Every combination of filters has its index. */
function hintOf({ reason, ...search }: SuppressionSearch): string {
  if (namesGroup(search)) return reason ? 'group_reason' : 'group';
  return reason ? 'reason' : 'newest';
}

function namesGroup({ groupId, isGlobal, isMarketing }: SuppressionSearch): boolean {
  return groupId !== undefined || isGlobal === true || isMarketing === true;
}

/** An entry is found by its address, its reason and the code of its group. */
function textFilter(
  filter: Filter<Suppression>,
  { search, email }: SuppressionSearch,
  groups: SuppressionGroup[],
): TextFilter {
  const exact = email === undefined ? filter : { ...filter, email: normalizeEmail(email) ?? '' };
  if (!search) return { filter: exact, anyOf: [] };
  const text = search.toUpperCase();
  const reasons = SUPPRESSION_REASONS.filter((reason) => reason.includes(text));
  const codes = groups.map(({ groupId }) => groupId).filter((code) => code.includes(text));
  const anyOf: Filter<Suppression>[] = [{ email: partOf(search) }];
  if (reasons.length > 0) anyOf.push({ reason: { $in: reasons } });
  if (codes.length > 0) anyOf.push({ groupId: { $in: codes } });
  return { filter: exact, anyOf };
}

function wantedAmong(
  live: SuppressionGroup[],
  { groupId, isGlobal, isMarketing }: SuppressionSearch,
): SuppressionGroup[] {
  const named = groupId === undefined ? live : live.filter((group) => group.groupId === groupId);
  if (groupId !== undefined && named.length === 0) throw notFound('SUPPRESSION_GROUP', 'groupId');
  return named.filter((group) => (!isGlobal || group.isGlobal) && (!isMarketing || group.isMarketing));
}

function readDates({ startDate, endDate }: SuppressionSearch) {
  const [from, to] = [startDate, endDate].map((text) => (text === undefined ? null : readDate(text)));
  if (from == null && to == null) return null;
  if (from != null && to != null && from > to)
    throw invalid('startDate must not be after endDate.', 'startDate: must not be after endDate');
  return { ...(from == null ? {} : { $gte: new Date(from) }), ...(to == null ? {} : { $lte: new Date(to) }) };
}
