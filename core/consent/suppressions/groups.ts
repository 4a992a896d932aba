import { createHash } from 'node:crypto';
import type { ObjectId, Sort } from 'mongodb';
import type { Described } from '../../../schemas/schema.ts';
import type { createGroupBody, suppressBody } from '../../../schemas/suppressions.ts';
import { isDuplicateKey } from '../../base/database/idempotent-insert.ts';
import { named } from '../../base/database/search.ts';
import { inTransaction } from '../../base/database/transactions.ts';
import type { CallerDeps } from '../../base/deps.ts';
import { conflict, invalid, notFound } from '../../base/errors.ts';
import { derivedId } from '../../base/ids.ts';
import type { Origin } from '../../base/maker.ts';
import type { Project, Session } from '../../base/model.ts';
import { type Page, type PageOf, pageOf } from '../../base/paging.ts';
import type { ConsentDeps } from '../deps.ts';
import type { SuppressionGroup, SuppressionReason } from './model.ts';
import type { MailFacts } from './rules.ts';

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

type GroupInput = Described<typeof createGroupBody>;

/** The group that a caller names; without a name, the default one. */
export type GroupChoice = Pick<Described<typeof suppressBody>, 'groupId' | 'isGlobal' | 'isMarketing'>;

/** The groups that every project has. */
export type BuiltIn = 'global' | 'default' | 'marketing';

interface GroupSearch {
  search?: string | undefined;
  newestFirst?: boolean | undefined;
}

type Tenant = Pick<Project, '_id'>;

/** Their ids are derived from the project's, so making them again changes nothing. */
export async function makeBuiltInGroups(deps: ConsentDeps, project: Tenant): Promise<void> {
  const at = deps.clock.now();
  const groups = [
    newGroup(deps, project, 'global', at, { name: 'Global', description: 'Stops every mail of this project.' }),
    newGroup(deps, project, 'default', at, { name: 'Default', description: 'Stops mail that names no other group.' }),
    newGroup(deps, project, 'marketing', at, {
      name: 'Marketing',
      description: 'Stops all marketing mail, whichever group it names.',
    }),
  ];
  await deps.db.suppressionGroups.insertMany(groups, { ordered: false }).catch((error) => {
    if (!isDuplicateKey(error)) throw error;
  });
}

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

export async function builtInGroup(deps: ConsentDeps, project: Tenant, kind: BuiltIn): Promise<SuppressionGroup> {
  const filter = { projectId: project._id, groupId: builtInCode(project._id, kind) };
  const found = await deps.db.suppressionGroups.findOne(filter);
  if (found) return found;
  await makeBuiltInGroups(deps, project);
  return deps.db.suppressionGroups.findOne(filter) as Promise<SuppressionGroup>;
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

function kindOf({ isGlobal, isDefault, isMarketing }: SuppressionGroup): BuiltIn | null {
  if (isGlobal) return 'global';
  if (isMarketing) return 'marketing';
  return isDefault ? 'default' : null;
}

function newGroup(
  deps: ConsentDeps,
  { _id: projectId }: Tenant,
  seed: string,
  at: Date,
  { name, description = '', isPublic }: GroupInput,
): SuppressionGroup {
  const now = deps.clock.now();
  return {
    _id: derivedId(seed in kinds ? projectId.getTimestamp() : at, 'suppression group', projectId.toHexString(), seed),
    projectId,
    groupId: code(projectId, seed),
    name,
    description,
    isGlobal: seed === 'global',
    isDefault: seed === 'default',
    ...(seed === 'marketing' ? { isMarketing: true } : {}),
    ...(isPublic ? { isPublic } : {}),
    counts: { UNSUBSCRIBE: 0, BOUNCE: 0, COMPLAINT: 0, MANUAL: 0 },
    createdAt: now,
    updatedAt: now,
    deletedAt: null,
  };
}

const kinds: Record<BuiltIn, true> = { global: true, default: true, marketing: true };

export function builtInCode(projectId: ObjectId, kind: BuiltIn): string {
  return code(projectId, kind);
}

/** Six upper-case letters or digits. */
function code(projectId: ObjectId, seed: string): string {
  const hash = createHash('sha256').update(`${projectId.toHexString()}:${seed}`).digest();
  const number = hash.readBigUInt64BE() % 36n ** 6n;
  return number.toString(36).toUpperCase().padStart(6, '0');
}
