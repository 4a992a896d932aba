import { createHash } from 'node:crypto';
import type { ObjectId } from 'mongodb';
import type { Described } from '../../../schemas/schema.ts';
import type { createGroupBody } from '../../../schemas/suppressions.ts';
import { isDuplicateKey } from '../../base/database/idempotent-insert.ts';
import { derivedId } from '../../base/ids.ts';
import type { Project } from '../../base/model.ts';
import type { ConsentDeps } from '../deps.ts';
import type { SuppressionGroup } from './model.ts';

export type Tenant = Pick<Project, '_id'>;
export type GroupInput = Described<typeof createGroupBody>;

/** The groups that every project has. */
export type BuiltIn = 'global' | 'default' | 'marketing';

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

export async function builtInGroup(deps: ConsentDeps, project: Tenant, kind: BuiltIn): Promise<SuppressionGroup> {
  const filter = { projectId: project._id, groupId: builtInCode(project._id, kind) };
  const found = await deps.db.suppressionGroups.findOne(filter);
  if (found) return found;
  await makeBuiltInGroups(deps, project);
  return deps.db.suppressionGroups.findOne(filter) as Promise<SuppressionGroup>;
}

export function kindOf({ isGlobal, isDefault, isMarketing }: SuppressionGroup): BuiltIn | null {
  if (isGlobal) return 'global';
  if (isMarketing) return 'marketing';
  return isDefault ? 'default' : null;
}

export function newGroup(
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
