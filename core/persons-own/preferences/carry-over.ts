import type { ObjectId } from 'mongodb';
import type { Project } from '../../base/model.ts';
import { builtInGroup } from '../../consent/suppressions/built-in-groups.ts';
import { liveGroups } from '../../consent/suppressions/find-groups.ts';
import { keepWidened } from '../../consent/suppressions/groups.ts';
import type { Suppression, SuppressionGroup } from '../../consent/suppressions/model.ts';
import { suppressEach, suppressionsAgainst } from '../../consent/suppressions/suppressions.ts';
import { importsWithoutGroups } from '../../people/imports/consent/groups.ts';
import type { PersonsOwnDeps } from '../deps.ts';

/** Unsubscribes of earlier versions, which were written to the groups of that moment and should have stopped all marketing mail. */
export interface CarriedOver {
  /** People who have an entry in the marketing group now. */
  written: number;
  /** Entries of imports whose rows may have named the default group: an operator decides. */
  undecided: Array<{ importId: string; entries: number }>;
}

type Tenant = Pick<Project, '_id'>;

const TOGETHER = 1_000;
const EVERYTHING_OFF = /^preference page, everything off, email [0-9a-f]{24}$/;
const OF_IMPORT = /^import ([0-9a-f]{24}) of \S+: unsubscribed/;

/** Repeating it writes what came since, and never what was lifted after the last time. */
export async function carryOverUnsubscribes(deps: PersonsOwnDeps, project: Tenant): Promise<CarriedOver> {
  const startedAt = deps.clock.now();
  const marketing = await builtInGroup(deps, project, 'marketing');
  const isWithoutGroups = await importsWithoutGroups(deps, project);
  const undecided = new Map<string, number>();
  let written = 0;
  for await (const entries of unsubscribes(deps, project, marketing.widenedAt ?? null)) {
    const wide = entries.filter((entry) => {
      if (EVERYTHING_OFF.test(entry.evidence ?? '')) return true;
      const importId = entry.isDefault && OF_IMPORT.exec(entry.evidence ?? '')?.[1];
      if (!importId) return false;
      const isSure = isWithoutGroups(importId);
      if (!isSure && !marketing.widenedAt) undecided.set(importId, (undecided.get(importId) ?? 0) + 1);
      return isSure;
    });
    written += await widen(deps, marketing, wide);
  }
  await keepWidened(deps, marketing, startedAt);
  return { written, undecided: [...undecided].map(([importId, entries]) => ({ importId, entries })) };
}

/** For the operator who knows that an import meant all marketing mail. */
export async function carryOverImport(deps: PersonsOwnDeps, project: Tenant, importId: ObjectId): Promise<number> {
  const marketing = await builtInGroup(deps, project, 'marketing');
  let written = 0;
  for await (const entries of unsubscribes(deps, project, null)) {
    const ofImport = (entry: Suppression) =>
      entry.isDefault && OF_IMPORT.exec(entry.evidence ?? '')?.[1] === importId.toHexString();
    written += await widen(deps, marketing, entries.filter(ofImport));
  }
  return written;
}

async function* unsubscribes(
  { db }: PersonsOwnDeps,
  { _id: projectId }: Tenant,
  since: Date | null,
): AsyncGenerator<Suppression[]> {
  const filter = { projectId, reason: 'UNSUBSCRIBE', ...(since ? { updatedAt: { $gte: since } } : {}) } as const;
  const cursor = db.suppressions.find(filter, { hint: 'reason', batchSize: TOGETHER });
  try {
    while (await cursor.hasNext()) yield cursor.readBufferedDocuments();
  } finally {
    await cursor.close();
  }
}

/** Returns how many people had no entry in the marketing group before. */
async function widen(deps: PersonsOwnDeps, marketing: SuppressionGroup, entries: Suppression[]): Promise<number> {
  const { projectId } = marketing;
  const found = entries.filter(({ isMarketing }) => !isMarketing);
  const against = await suppressionsAgainst(
    deps,
    projectId,
    found.map(({ email }) => email),
  );
  const newest = new Map(found.toSorted((a, b) => +a.updatedAt - +b.updatedAt).map((entry) => [entry.email, entry]));
  const wide = [...newest.values()].filter(({ email }) => !against.get(email)?.some(({ isMarketing }) => isMarketing));
  if (wide.length === 0) return 0;
  const groups = await liveGroups(deps, { _id: projectId });
  const turnedOnAgain = ({ email, evidence, updatedAt }: Suppression): string[] => {
    if (!EVERYTHING_OFF.test(evidence ?? '')) return [];
    const stopped = new Set(against.get(email)?.map(({ groupId }) => groupId));
    return groups.filter((group) => isLifted(group, stopped, updatedAt)).map(({ groupId }) => groupId);
  };
  // An entry is written with its exceptions: one that is there is never looked at again.
  await suppressEach(
    deps,
    marketing,
    wide.map((entry) => {
      const { email, evidence, updatedAt: saidAt } = entry;
      const on = turnedOnAgain(entry);
      const exceptGroupIds = on.length > 0 ? on : undefined;
      return { email, reason: 'UNSUBSCRIBE', evidence: evidence ?? undefined, saidAt, exceptGroupIds };
    }),
  );
  return wide.length;
}

/** The group was there when everything was turned off, so it had an entry, which the person has lifted since. */
function isLifted({ groupId, isGlobal, isMarketing, createdAt }: SuppressionGroup, stopped: Set<string>, offAt: Date) {
  return !isGlobal && !isMarketing && createdAt < offAt && !stopped.has(groupId);
}
