import type { Sort } from 'mongodb';
import { isDuplicateKey } from '../../base/database/idempotent-insert.ts';
import { named } from '../../base/database/search.ts';
import { inTransaction } from '../../base/database/transactions.ts';
import type { CallerDeps } from '../../base/deps.ts';
import { conflict, notFound } from '../../base/errors.ts';
import type { Origin } from '../../base/maker.ts';
import type { Session } from '../../base/model.ts';
import { type Page, type PageOf, pageOf } from '../../base/paging.ts';
import type { ConsentDeps } from '../deps.ts';
import { type GroupInput, kindOf, newGroup, type Tenant } from './built-in-groups.ts';
import { publicGroups } from './find-groups.ts';
import type { SuppressionGroup, SuppressionReason } from './model.ts';

type NamedGroup = Pick<SuppressionGroup, 'projectId' | 'groupId'>;

/** Throws while mail that waits needs the group. */
type GroupRemovalSubscriber = (deps: CallerDeps, group: NamedGroup) => Promise<void>;

/** Returns in words what names the group, or null. Called in the transaction that removes it. */
type UseOfGroup = (deps: CallerDeps, session: Session, group: NamedGroup) => Promise<string | null>;

declare module '../../base/deps.ts' {
  interface Subscribers {
    groupRemovals: readonly GroupRemovalSubscriber[];
    usesOfGroup: readonly UseOfGroup[];
  }
}

/** A page that shows more would be no help. */
const PUBLIC_GROUPS_MAX = 25;

interface GroupSearch {
  search?: string | undefined;
  newestFirst?: boolean | undefined;
}

/** The unsubscribes that were written before this moment are carried over to the marketing group. */
export async function keepWidened({ db }: ConsentDeps, { _id, projectId }: SuppressionGroup, at: Date): Promise<void> {
  await db.suppressionGroups.updateOne({ _id, projectId }, { $max: { widenedAt: at } });
}

export async function createGroup(
  deps: ConsentDeps,
  project: Tenant,
  input: GroupInput,
  { at, seed }: Origin,
): Promise<SuppressionGroup> {
  if (input.isPublic) await requireRoom(deps, project);
  for (let attempt = 0; ; attempt += 1) {
    const made = newGroup(deps, project, `${seed.toHexString()}:${attempt}`, at, input);
    try {
      await deps.db.suppressionGroups.insertOne(made);
      return made;
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      const own = await deps.db.suppressionGroups.findOne({ _id: made._id, projectId: project._id });
      if (own) return own;
    }
  }
}

export async function listGroups(
  deps: ConsentDeps,
  project: Tenant,
  { search, newestFirst, ...page }: Page & GroupSearch,
): Promise<PageOf<SuppressionGroup>> {
  const filter = { projectId: project._id, deletedAt: null, ...named(search, 'name') };
  const sort: Sort = newestFirst ? { createdAt: -1, _id: -1 } : { groupId: 1 };
  return pageOf(deps.db.suppressionGroups, filter, page, { sort, hint: 'code' });
}

export async function updateGroup(
  deps: ConsentDeps,
  project: Tenant,
  groupId: string,
  { name, description, isPublic }: Partial<GroupInput>,
): Promise<SuppressionGroup> {
  await refuseBuiltIn(
    deps,
    project,
    groupId,
    'changed',
    isPublic !== undefined && name === undefined && description === undefined,
  );
  if (isPublic) await requireRoom(deps, project, groupId);
  const updated = await deps.db.suppressionGroups.findOneAndUpdate(
    { projectId: project._id, groupId, deletedAt: null },
    {
      $set: { name, description, ...(isPublic ? { isPublic } : {}), updatedAt: deps.clock.now() },
      ...(isPublic === false ? { $unset: { isPublic: true } } : {}),
    },
    { returnDocument: 'after' },
  );
  if (!updated) throw notFound('SUPPRESSION_GROUP');
  return updated;
}

/**
 * Marked first, so that no entry is added any more; an interrupted call is finished by its repeat. Publishing and activating
 * write the group too: of two concurrent calls one is repeated and sees the other.
 */
export async function deleteGroup(deps: ConsentDeps, project: Tenant, groupId: string): Promise<void> {
  await refuseBuiltIn(deps, project, groupId, 'deleted');
  const filter = { projectId: project._id, groupId };
  for (const refuse of deps.subscribers.groupRemovals) await refuse(deps, filter);
  await inTransaction(deps, async (session) => {
    const $set = { deletedAt: deps.clock.now() };
    await deps.db.suppressionGroups.updateOne({ ...filter, deletedAt: null }, { $set }, { session });
    await refuseUsed(deps, session, filter);
  });
  await deps.db.suppressions.deleteMany(filter, { hint: 'group' });
  await deps.db.suppressionGroups.deleteOne({ ...filter, deletedAt: { $ne: null } });
}

/** Removing a group removes its entries, so mail that names it would reach people who had unsubscribed. */
async function refuseUsed(deps: ConsentDeps, session: Session, group: NamedGroup): Promise<void> {
  for (const useOf of deps.subscribers.usesOfGroup) {
    const use = await useOf(deps, session, group);
    if (use) throw conflict('INVALID_STATE', `The suppression group is named by ${use}; take it out there first.`);
  }
}

/** Runs in a transaction that stores a reference to the group, so that a concurrent removal conflicts. */
export async function holdGroup(
  deps: ConsentDeps,
  session: Session,
  project: Tenant,
  groupId: string,
  field = 'unsubscribeGroupId',
): Promise<void> {
  const filter = { projectId: project._id, groupId, deletedAt: null };
  const { matchedCount } = await deps.db.suppressionGroups.updateOne(filter, { $inc: { holds: 1 } }, { session });
  if (matchedCount === 0) throw notFound('SUPPRESSION_GROUP', field);
}

/** The stored counts of groups, of one reason or of all. */
export function keptTotal(groups: SuppressionGroup[], reason?: SuppressionReason): number {
  return groups.reduce((sum, { counts }) => sum + entriesOf(counts, reason), 0);
}

/** How many entries a group has, of one reason or of all. */
export function entriesOf(counts: SuppressionGroup['counts'], reason?: SuppressionReason): number {
  if (reason) return counts[reason];
  return counts.UNSUBSCRIBE + counts.BOUNCE + counts.COMPLAINT + counts.MANUAL;
}

async function requireRoom(deps: ConsentDeps, project: Tenant, groupId?: string): Promise<void> {
  const others = (await publicGroups(deps, project)).filter((group) => group.groupId !== groupId);
  if (others.length >= PUBLIC_GROUPS_MAX)
    throw conflict('INVALID_STATE', `A project has at most ${PUBLIC_GROUPS_MAX} public groups.`);
}

/** The default group may be shown on the preference page or not; nothing else of the built-in groups changes. */
async function refuseBuiltIn(
  deps: ConsentDeps,
  project: Tenant,
  groupId: string,
  done: string,
  mayBeDefault = false,
): Promise<void> {
  const found = await deps.db.suppressionGroups.findOne({ projectId: project._id, groupId });
  if (!found) throw notFound('SUPPRESSION_GROUP');
  const kind = kindOf(found);
  if (kind && !(kind === 'default' && mayBeDefault))
    throw conflict('INVALID_STATE', `The ${kind} group belongs to the project and cannot be ${done}.`);
}
