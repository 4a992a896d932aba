import type { ObjectId } from 'mongodb';
import type { Described } from '../../../schemas/schema.ts';
import type { suppressBody } from '../../../schemas/suppressions.ts';
import { invalid, notFound } from '../../base/errors.ts';
import type { ConsentDeps } from '../deps.ts';
import { builtInGroup, type Tenant } from './built-in-groups.ts';
import type { SuppressionGroup } from './model.ts';
import type { MailFacts } from './rules.ts';

/** The group that a caller names; without a name, the default one. */
export type GroupChoice = Pick<Described<typeof suppressBody>, 'groupId' | 'isGlobal' | 'isMarketing'>;

export async function chooseGroup(
  deps: ConsentDeps,
  project: Tenant,
  { groupId, isGlobal, isMarketing }: GroupChoice,
): Promise<SuppressionGroup> {
  if (isGlobal && isMarketing)
    throw invalid(
      'Give isGlobal: true or isMarketing: true, not both: the global group stops marketing mail too.',
      'isMarketing: must not be given together with isGlobal: true',
    );
  if (groupId !== undefined && (isGlobal || isMarketing)) {
    const flag = isGlobal ? 'isGlobal' : 'isMarketing';
    throw invalid(`Give groupId or ${flag}: true, not both.`, `groupId: must not be given together with ${flag}: true`);
  }
  if (groupId !== undefined) return findGroup(deps, project, groupId, 'groupId');
  return builtInGroup(deps, project, isGlobal ? 'global' : isMarketing ? 'marketing' : 'default');
}

/** The group that a mail, a campaign, an automation or a form names. */
export async function findNamableGroup(
  deps: ConsentDeps,
  project: Tenant,
  groupId: string,
  field: string,
): Promise<SuppressionGroup> {
  const group = await findGroup(deps, project, groupId, field);
  if (group.isMarketing)
    throw invalid(
      'The marketing group stops all marketing mail by itself; name another group, or none.',
      `${field}: must not be the marketing group`,
    );
  return group;
}

export async function findGroup(
  deps: ConsentDeps,
  project: Tenant,
  groupId: string,
  field?: string,
): Promise<SuppressionGroup> {
  const found = await deps.db.suppressionGroups.findOne({ projectId: project._id, groupId, deletedAt: null });
  if (!found) throw notFound('SUPPRESSION_GROUP', field);
  return found;
}

/** Returns which of these codes name no live group. Mail with such a code is treated as mail without a group. */
export async function goneGroups(
  { db }: Pick<ConsentDeps, 'db'>,
  projectId: ObjectId,
  codes: Iterable<string | null>,
): Promise<Set<string>> {
  const named = new Set([...codes].filter((code) => code !== null));
  if (named.size === 0) return named;
  const live = await db.suppressionGroups
    .find({ projectId, groupId: { $in: [...named] }, deletedAt: null }, { projection: { groupId: 1 }, hint: 'code' })
    .toArray();
  for (const { groupId } of live) named.delete(groupId);
  return named;
}

/** The facts of marketing mail that names the group; a group that is gone counts as none. */
export async function marketingFacts(
  deps: Pick<ConsentDeps, 'db'>,
  projectId: ObjectId,
  groupId: string | null,
): Promise<MailFacts> {
  const gone = await goneGroups(deps, projectId, [groupId]);
  return { marketing: true, groupId, isGroupGone: gone.size > 0, bypass: false };
}

export function liveGroups({ db }: Pick<ConsentDeps, 'db'>, { _id: projectId }: Tenant): Promise<SuppressionGroup[]> {
  return db.suppressionGroups.find({ projectId, deletedAt: null }, { hint: 'code' }).toArray();
}

/** The groups that the preference page shows, oldest first. */
export function publicGroups({ db }: Pick<ConsentDeps, 'db'>, { _id: projectId }: Tenant): Promise<SuppressionGroup[]> {
  return db.suppressionGroups.find({ projectId, isPublic: true, deletedAt: null }, { sort: { _id: 1 } }).toArray();
}
