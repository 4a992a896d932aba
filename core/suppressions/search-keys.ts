import type { ObjectId } from 'mongodb';
import { SUPPRESSION_REASONS } from '../../schemas/suppressions.ts';
import type { Deps } from '../base/deps.ts';
import type { Project } from '../base/model.ts';
import { perDatabase } from '../base/per-database.ts';
import { keptTotal, liveGroups } from './groups.ts';
import type { Suppression, SuppressionGroup, SuppressionReason } from './model.ts';

type Place = Pick<Suppression, 'email' | 'groupId'>;
type Tenant = Pick<Project, '_id'>;

/** Projects with more entries than this are searched in the database every time. */
const ENTRIES_MAX = 100_000;
const PROJECTS_MAX = 20;
/** While entries change all the time, they are read again this often at most. */
const READ_EVERY_MS = 5_000;

/** The suppressions of a project, by address, in the memory of this process. */
interface Keys {
  version: string;
  /** Every address, each on a line of its own. */
  text: string;
  /** The offset of each line, and the end. */
  starts: Uint32Array;
  groups: string[];
  reasons: SuppressionReason[];
}

export interface KeySearch {
  part: string;
  groupId?: string | undefined;
  reason?: SuppressionReason | undefined;
  /** Entries with these reasons match whatever their address. */
  reasons: SuppressionReason[];
  codes: string[];
}

interface Known {
  keys: Keys | null;
  readAt: number;
  isReading: boolean;
}

/**
 * Entries that contain a text, from memory: a scan of the index costs more than a microsecond per entry. null: the copy is older
 * than the versions of the live groups; it is being read again, and the caller has to ask the database.
 */
export function findInKeys(
  deps: Deps,
  project: Tenant,
  groups: SuppressionGroup[],
  search: KeySearch,
  { skip, limit }: { skip: number; limit: number },
): { total: number; places: Place[] } | null {
  if (search.part.includes('\n')) return null;
  const known = knownOf(deps)(project._id);
  if (known.keys?.version !== versionOf(groups)) {
    readAgain(deps, project, groups, known);
    return null;
  }
  return lookThrough(known.keys, search, skip, limit);
}

const knownOf = perDatabase((_: Deps) => {
  const projects = new Map<string, Known>();
  return (projectId: ObjectId): Known => {
    const name = projectId.toHexString();
    const known = projects.get(name) ?? { keys: null, readAt: Number.NEGATIVE_INFINITY, isReading: false };
    // The most recently used project is last.
    projects.delete(name);
    projects.set(name, known);
    const [oldest] = projects.keys();
    if (oldest !== undefined && projects.size > PROJECTS_MAX) projects.delete(oldest);
    return known;
  };
});

/** Changes in the transaction that changes entries. */
function versionOf(groups: SuppressionGroup[]): string {
  return groups.map(({ groupId, version = 0 }) => `${groupId} ${version}`).join();
}

function readAgain(deps: Deps, project: Tenant, groups: SuppressionGroup[], known: Known): void {
  if (known.isReading || keptTotal(groups) > ENTRIES_MAX || performance.now() - known.readAt < READ_EVERY_MS) return;
  known.isReading = true;
  readKeys(deps, project, groups)
    .then((keys) => {
      known.keys = keys;
    })
    .catch((error) => deps.log.warn({ err: error }, 'reading the suppressions of a project failed'))
    .finally(() => {
      known.isReading = false;
      known.readAt = performance.now();
    });
}

/** null: something changed during the read. */
async function readKeys(deps: Deps, project: Tenant, groups: SuppressionGroup[]): Promise<Keys | null> {
  // Shares one string for all entries of a group or a reason, instead of a copy per row.
  const live = new Map(groups.map(({ groupId }) => [groupId, groupId]));
  const reasons = new Map(SUPPRESSION_REASONS.map((reason) => [reason, reason]));
  const keys = { emails: [] as string[], groups: [] as string[], reasons: [] as SuppressionReason[] };
  const projection = { _id: 0, email: 1, groupId: 1, reason: 1 } as const;
  const entries = deps.db.suppressions
    .find({ projectId: project._id }, { projection, hint: 'search', batchSize: 2_000 })
    .sort({ email: 1, groupId: 1 });
  for await (const { email, groupId, reason } of entries) {
    const known = live.get(groupId);
    if (known === undefined) continue;
    keys.emails.push(email);
    keys.groups.push(known);
    keys.reasons.push(reasons.get(reason) ?? reason);
  }
  const version = versionOf(groups);
  if (versionOf(await liveGroups(deps, project)) !== version) return null;
  const starts = new Uint32Array(keys.emails.length + 1);
  for (const [index, email] of keys.emails.entries()) starts[index + 1] = (starts[index] ?? 0) + email.length + 1;
  return { version, text: keys.emails.join('\n'), starts, groups: keys.groups, reasons: keys.reasons };
}

function lookThrough(keys: Keys, search: KeySearch, skip: number, limit: number): { total: number; places: Place[] } {
  const { text, starts, groups, reasons } = keys;
  const part = search.part.toLowerCase();
  const places: Place[] = [];
  let total = 0;
  let hit = text.indexOf(part);
  for (let line = 0; line < groups.length; line += 1) {
    const [from = 0, to = 0] = [starts[line], starts[line + 1]];
    if (hit !== -1 && hit < from) hit = text.indexOf(part, from);
    const [groupId = '', reason = 'MANUAL'] = [groups[line], reasons[line]];
    const isFound = (hit !== -1 && hit < to) || search.codes.includes(groupId) || search.reasons.includes(reason);
    if (!isFound || (search.groupId ?? groupId) !== groupId || (search.reason ?? reason) !== reason) continue;
    if (total >= skip && places.length < limit) places.push({ email: text.slice(from, to - 1), groupId });
    total += 1;
  }
  return { total, places };
}
