import type { Filter } from 'mongodb';
import type { Deps } from './deps.ts';
import { invalid } from './errors.ts';
import type { Contact, Project, Suppression, SuppressionGroup, SuppressionReason } from './model.ts';
import { type Page, type PageOf, paginationOf, READ_TIME_MAX_MS, skipOf } from './pages.ts';
import { normalizeEmail } from './rules/addresses.ts';
import { readDate } from './rules/coercion.ts';
import { partOf } from './rules/searches.ts';
import { entriesOf, findGroup } from './suppression-groups.ts';

export interface SuppressionSearch {
  groupId?: string | undefined;
  reason?: SuppressionReason | undefined;
  startDate?: string | undefined;
  endDate?: string | undefined;
  search?: string | undefined;
  email?: string | undefined;
  isGlobal?: boolean | undefined;
}

type Tenant = Pick<Project, '_id'>;

/** Endpoint 16, newest first; what is found by a text comes by address. */
export async function searchSuppressions(
  deps: Deps,
  project: Tenant,
  { page = 1, limit = 20, ...search }: Page & SuppressionSearch,
): Promise<PageOf<Suppression>> {
  const skip = skipOf(page, limit);
  const plan = planOf(project, search, await wantedGroups(deps, project, search));
  if (!plan) return { entries: [], pagination: paginationOf(page, limit, 0) };
  const reading = { hint: plan.hint, maxTimeMS: READ_TIME_MAX_MS };
  const [entries, counted] = await Promise.all([
    deps.db.suppressions.find(plan.filter, { ...reading, sort: plan.sort, skip, limit }).toArray(),
    plan.counted ? deps.db.suppressions.countDocuments(plan.counted, reading) : 0,
  ]);
  return { entries, pagination: paginationOf(page, limit, plan.kept + counted) };
}

/** The groups that an address left, with why and when. */
export async function unsubscribeGroups(
  deps: Deps,
  project: Tenant,
  { email }: Contact,
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

export interface SearchPlan {
  filter: Filter<Suppression>;
  hint: string;
  sort: Record<string, 1 | -1>;
  /** The total is what the groups say they have, and what must be counted besides. */
  kept: number;
  counted: Filter<Suppression> | null;
}

/** Every combination of filters has its index; null: nothing can be found. */
export function planOf(project: Tenant, search: SuppressionSearch, groups: SuppressionGroup[]): SearchPlan | null {
  const { groupId, reason, isGlobal } = search;
  const hasGroup = groupId !== undefined || isGlobal === true;
  const [group] = groups;
  if (!group) return null;
  const between = readDates(search);
  const filter: Filter<Suppression> = { projectId: project._id };
  if (hasGroup) filter.groupId = group.groupId;
  if (reason) filter.reason = reason;
  if (between) filter.createdAt = between;
  if (search.search || search.email !== undefined) return textPlan(filter, search, groups, between !== null);
  const hint = hasGroup ? (reason ? 'group_reason' : 'group') : reason ? 'reason' : 'newest';
  const kept = groups.reduce((sum, { counts }) => sum + entriesOf(counts, reason), 0);
  const total = between ? { kept: 0, counted: filter } : { kept, counted: null };
  return { filter, hint, sort: { createdAt: -1, _id: -1 }, ...total };
}

/** Address, reason and code of the group are what an entry can be found by. */
function textPlan(
  base: Filter<Suppression>,
  { search = '', email, reason }: SuppressionSearch,
  groups: SuppressionGroup[],
  mustRead: boolean,
): SearchPlan {
  const text = search.toUpperCase();
  const reasons = REASONS.filter((one) => text !== '' && one.includes(text));
  const codes = groups.map(({ groupId }) => groupId).filter((code) => text !== '' && code.includes(text));
  const byAddress = { email: partOf(search) };
  const ways: Filter<Suppression>[] = search ? [byAddress] : [];
  if (reasons.length > 0) ways.push({ reason: { $in: reasons } });
  if (codes.length > 0) ways.push({ groupId: { $in: codes } });
  const exact = email === undefined ? [] : [{ email: normalizeEmail(email) ?? '' }];
  const found = ways.length === 1 ? [byAddress] : ways.length > 1 ? [{ $or: ways }] : [];
  const filter = { $and: [base, ...exact, ...found] };
  const plan = { filter, hint: 'search', sort: { email: 1, groupId: 1 } as const };
  if (mustRead || email !== undefined || ways.length === 1) return { ...plan, kept: 0, counted: filter };
  const kept = groups.reduce((sum, { groupId, counts }) => {
    const found = codes.includes(groupId) ? REASONS : reasons;
    return sum + found.filter((one) => !reason || one === reason).reduce((part, one) => part + counts[one], 0);
  }, 0);
  const others = { reason: { $nin: reasons }, groupId: { $nin: codes } };
  return { ...plan, kept, counted: { $and: [base, byAddress, others] } };
}

async function wantedGroups(
  deps: Deps,
  project: Tenant,
  { groupId, isGlobal }: SuppressionSearch,
): Promise<SuppressionGroup[]> {
  const groups =
    groupId === undefined
      ? await deps.db.suppressionGroups.find({ projectId: project._id, deletedAt: null }, { hint: 'code' }).toArray()
      : [await findGroup(deps, project, groupId, 'groupId')];
  return isGlobal ? groups.filter((group) => group.isGlobal) : groups;
}

function readDates({ startDate, endDate }: SuppressionSearch) {
  const [from, to] = [startDate, endDate].map((text) => (text === undefined ? null : readDate(text)));
  if (from == null && to == null) return null;
  if (from != null && to != null && from > to)
    throw invalid('startDate must not be after endDate.', 'startDate: must not be after endDate');
  return { ...(from == null ? {} : { $gte: new Date(from) }), ...(to == null ? {} : { $lte: new Date(to) }) };
}

const REASONS: SuppressionReason[] = ['UNSUBSCRIBE', 'BOUNCE', 'COMPLAINT', 'MANUAL'];
