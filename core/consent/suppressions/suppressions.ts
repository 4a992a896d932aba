import type { ObjectId } from 'mongodb';
import type { Described } from '../../../schemas/schema.ts';
import type { suppressBody } from '../../../schemas/suppressions.ts';
import { deleteInParts } from '../../base/database/batches.ts';
import type { CallerDeps } from '../../base/deps.ts';
import { invalid } from '../../base/errors.ts';
import type { Session } from '../../base/model.ts';
import { isSandboxAddress, readSandbox, sandboxBehaviour } from '../../base/sandbox.ts';
import { normalizeEmail } from '../../base/text/addresses.ts';
import type { ConsentDeps } from '../deps.ts';
import { builtInCode, builtInGroup } from './built-in-groups.ts';
import { applyChanges, changeSuppressions } from './changes.ts';
import { chooseGroup, type GroupChoice, liveGroups } from './find-groups.ts';
import type { Suppression, SuppressionGroup, SuppressionReason } from './model.ts';
import { aboutPerson, type SuppressionFact } from './rules.ts';

export type { SuppressionFact } from './rules.ts';

interface SuppressionInput extends Described<typeof suppressBody> {
  /** The proof: the reply of a relay, the address of a page. */
  evidence?: string | undefined;
}

/** Called when addresses were suppressed by an unsubscribe or a complaint. Nothing may depend on it. */
type SuppressionSubscriber = (
  deps: CallerDeps,
  projectId: ObjectId,
  emails: string[],
  entry: SuppressionFact,
) => Promise<void>;

declare module '../../base/deps.ts' {
  interface Subscribers {
    suppressions: readonly SuppressionSubscriber[];
  }
}

const EVIDENCE_MAX = 1_000;

/**
 * Bounces, complaints, unsubscribes and migrations use it too. Durable when it returns. Suppressing again keeps the
 * stronger reason, so a repeat changes nothing. Returns the distinct addresses of the call.
 */
export async function suppress(
  deps: ConsentDeps,
  projectId: ObjectId,
  { emails, reason = 'MANUAL', evidence, ...choice }: SuppressionInput,
): Promise<number> {
  const addresses = normalized(emails);
  const target = await chooseGroup(deps, { _id: projectId }, choice);
  await suppressEach(
    deps,
    target,
    addresses.map((email) => ({ email, reason, evidence })),
  );
  return addresses.length;
}

/** After a bounce or a complaint. One of a sandbox address suppresses it only where the project asks for that. */
export async function suppressReported(
  deps: ConsentDeps,
  projectId: ObjectId,
  { email, ...entry }: { email: string; reason: 'BOUNCE' | 'COMPLAINT'; evidence: string },
): Promise<void> {
  if (await maySuppress(deps, projectId, email))
    await suppress(deps, projectId, { emails: [email], isGlobal: true, ...entry });
}

export async function maySuppress(
  deps: Pick<ConsentDeps, 'db' | 'config'>,
  projectId: ObjectId,
  email: string,
): Promise<boolean> {
  return !isSandboxAddress(email) || (await readSandbox(deps, projectId)).suppresses;
}

export interface NewEntry {
  /** Normal form. */
  email: string;
  reason: SuppressionReason;
  evidence?: string | undefined;
  /** When the person said so, unless it is now: what they turned on since stays on. */
  saidAt?: Date | undefined;
  /** Of an unsubscribe from all marketing mail: the groups that the person has turned on since. */
  exceptGroupIds?: string[] | undefined;
}

/** The same for entries of one group that have reasons and evidence of their own. */
export async function suppressEach(deps: ConsentDeps, target: SuppressionGroup, entries: NewEntry[]): Promise<void> {
  const outcomes = await changeSuppressions(
    deps,
    target,
    entries.map(({ evidence, ...entry }) => ({ ...entry, evidence: evidence?.slice(0, EVIDENCE_MAX) ?? null })),
  );
  const isNews = ({ saidAt }: NewEntry, index: number) => saidAt === undefined || outcomes[index] !== 'kept';
  const news = entries.filter(isNews);
  for (const reason of ['UNSUBSCRIBE', 'COMPLAINT'] as const) {
    const emails = news.filter((entry) => entry.reason === reason).map(({ email }) => email);
    if (emails.length === 0) continue;
    for (const follow of deps.subscribers.suppressions)
      await follow(deps, target.projectId, [...new Set(emails)], { ...target, reason });
  }
}

/** Returns how many entries were removed. */
export async function unsuppress(
  deps: ConsentDeps,
  projectId: ObjectId,
  { emails, ...choice }: GroupChoice & { emails: string[] },
): Promise<number> {
  const addresses = normalized(emails);
  const target = await chooseGroup(deps, { _id: projectId }, choice);
  const outcomes = await changeSuppressions(
    deps,
    target,
    addresses.map((email) => ({ email, reason: null, evidence: null })),
  );
  return outcomes.filter((outcome) => outcome === 'removed').length;
}

/**
 * Takes back the contact's unsubscribe from a group; another reason against the address stays, or is restored. After everything was
 * turned off, this group alone is on again.
 */
export async function takeBackUnsubscribe(deps: ConsentDeps, target: SuppressionGroup, email: string): Promise<void> {
  const { projectId, groupId } = target;
  const marketing = await builtInGroup(deps, { _id: projectId }, 'marketing');
  await changeSuppressions(deps, marketing, [{ email, reason: 'except', exceptGroupId: groupId }]);
  await changeSuppressions(deps, target, [{ email, reason: 'subscribe', evidence: null }]);
}

/** The groups that a person subscribes to. */
export interface TurnedOn {
  /** Their unsubscribes are taken back. */
  groups: SuppressionGroup[];
  /** On again after everything was turned off. */
  exceptGroupIds: string[];
  marketing: SuppressionGroup;
}

/** The same in a transaction, for several groups. */
export async function takeBackUnsubscribes(
  deps: ConsentDeps,
  session: Session,
  { groups, exceptGroupIds, marketing }: TurnedOn,
  email: string,
): Promise<void> {
  const exceptions = exceptGroupIds.map((exceptGroupId) => ({ email, reason: 'except' as const, exceptGroupId }));
  await applyChanges(deps, session, marketing, exceptions);
  for (const group of groups)
    await applyChanges(deps, session, group, [{ email, reason: 'subscribe', evidence: null }]);
}

/** In the transaction in which people get other addresses: what stops their mail stops it there too. */
export async function carrySuppressions(
  deps: ConsentDeps,
  session: Session,
  projectId: ObjectId,
  moves: ReadonlyArray<{ from: string; to: string }>,
): Promise<void> {
  if (moves.length === 0) return;
  const emails = moves.map(({ from }) => from);
  const found = await deps.db.suppressions
    .find({ projectId, email: { $in: emails } }, { session, hint: 'address' })
    .toArray();
  if (found.length === 0) return;
  const toOf = new Map(moves.map(({ from, to }) => [from, to]));
  const byGroup = Map.groupBy(aboutPerson(found), ({ groupId }) => groupId);
  for (const group of await liveGroups(deps, { _id: projectId })) {
    const entries = byGroup.get(group.groupId) ?? [];
    const changes = entries.flatMap(({ email, reason, evidence, beside, exceptGroupIds = [] }) => {
      const to = toOf.get(email)!;
      const except = { email: to, reason: 'except' as const };
      return [
        { email: to, reason, evidence },
        ...(beside ? [{ email: to, ...beside }] : []),
        ...exceptGroupIds.map((exceptGroupId) => ({ ...except, exceptGroupId })),
      ];
    });
    if (changes.length > 0) await applyChanges(deps, session, group, changes);
  }
}

/**
 * Every entry of these addresses (in their normal form), by address; one read on the primary. core/consent/suppressions/rules.ts decides
 * which mail they stop.
 */
export async function suppressionsAgainst(
  deps: Pick<ConsentDeps, 'db' | 'config'>,
  projectId: ObjectId,
  emails: string[],
): Promise<Map<string, SuppressionFact[]>> {
  const inSandbox = emails.filter((email) => sandboxBehaviour(email) === 'suppressed');
  const simulated = inSandbox.length === 0 ? [] : await simulatedEntries(deps, projectId, inSandbox);
  const found = await deps.db.suppressions
    .find(
      { projectId, email: { $in: [...new Set(emails)] } },
      {
        projection: {
          ...{ _id: 0, email: 1, groupId: 1, isGlobal: 1, isDefault: 1, isMarketing: 1 },
          ...{ reason: 1, 'beside.reason': 1, 'beside.beside.reason': 1, exceptGroupIds: 1 },
        },
        hint: 'address',
        readPreference: 'primary',
      },
    )
    .toArray();
  const defaultGroupId = builtInCode(projectId, 'default');
  const facts = found.map((entry) => ({ ...entry, ...exceptionsOf(entry, defaultGroupId) }));
  return Map.groupBy<string, SuppressionFact & { email: string }>([...facts, ...simulated], ({ email }) => email);
}

/** suppressed@ of the sandbox is treated as if it stood in the global group. */
async function simulatedEntries(
  deps: Pick<ConsentDeps, 'db' | 'config'>,
  projectId: ObjectId,
  emails: string[],
): Promise<Array<SuppressionFact & { email: string }>> {
  const { isOn } = await readSandbox(deps, projectId);
  const entry = {
    groupId: builtInCode(projectId, 'global'),
    isGlobal: true,
    isDefault: false,
    reason: 'SANDBOX',
  } as const;
  return isOn ? [...new Set(emails)].map((email) => ({ email, ...entry })) : [];
}

/** Mail that names no group counts to the default group. */
function exceptionsOf(
  { exceptGroupIds }: Pick<Suppression, 'exceptGroupIds'>,
  defaultGroupId: string,
): Pick<SuppressionFact, 'exceptGroups'> {
  if (!exceptGroupIds) return {};
  return { exceptGroups: exceptGroupIds.includes(defaultGroupId) ? [...exceptGroupIds, null] : exceptGroupIds };
}

/** Distinct addresses; an invalid one refuses the whole call. */
function normalized(emails: string[]): string[] {
  const addresses = emails.map((email, index) => {
    const address = normalizeEmail(email);
    if (address === null)
      throw invalid(`emails/${index} must be an email address.`, `emails/${index}: must be an email address`);
    return address;
  });
  return [...new Set(addresses)];
}

export async function deleteSuppressionsOfProject(
  { db }: Pick<ConsentDeps, 'db'>,
  projectId: ObjectId,
  mayContinue: () => boolean,
): Promise<void> {
  await deleteInParts(db.suppressions, { projectId }, { hint: 'address', mayContinue });
}
