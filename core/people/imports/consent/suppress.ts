import { builtInGroup } from '../../../consent/suppressions/built-in-groups.ts';
import type { SuppressionGroup } from '../../../consent/suppressions/model.ts';
import { type SuppressionFact, stoppedBy } from '../../../consent/suppressions/rules.ts';
import { type NewEntry, suppressEach, suppressionsAgainst } from '../../../consent/suppressions/suppressions.ts';
import type { PeopleDeps } from '../../deps.ts';
import type { ContactImport } from '../model.ts';
import type { RowState } from '../read-batch.ts';
import type { Stop } from './state.ts';

type Order = Pick<ContactImport, '_id' | 'projectId' | 'createdAt'>;

interface GroupEntries {
  group: SuppressionGroup;
  entries: NewEntry[];
}

/**
 * Durable when it returns, and called before the contacts of the same rows are written: a person who left is never in a list, or in an
 * automation, without the entry that stops their mail. A repeat changes nothing.
 */
export async function suppressStopped(deps: PeopleDeps, order: Order, states: RowState[]): Promise<void> {
  for (const { group, entries } of await entriesOf(deps, order, states)) await suppressEach(deps, group, entries);
}

/** An unsubscribe belongs to the groups of its row; bounces and complaints to the global group, as those of sent mail do. */
export async function entriesOf(deps: PeopleDeps, order: Order, states: RowState[]): Promise<GroupEntries[]> {
  const found = new Map<string, GroupEntries>();
  const isGlobal = states.some(({ stops }) => stops.some(({ reason }) => reason !== 'UNSUBSCRIBE'));
  const global = isGlobal ? [await builtInGroup(deps, { _id: order.projectId }, 'global')] : [];
  for (const { email, stops, groups } of states)
    for (const stop of stops)
      for (const group of stop.reason === 'UNSUBSCRIBE' ? groups : global) {
        const known = found.get(group.groupId) ?? { group, entries: [] };
        known.entries.push({ email, reason: stop.reason, evidence: evidenceOf(order, stop) });
        found.set(group.groupId, known);
      }
  return [...found.values()];
}

/** The rows that call an address subscribed although an entry stops its mail; importing never removes the entry. */
export async function stillSuppressed(
  deps: PeopleDeps,
  { projectId }: Pick<Order, 'projectId'>,
  states: RowState[],
): Promise<Set<RowState>> {
  const said = states.filter(({ saysSubscribed }) => saysSubscribed);
  if (said.length === 0) return new Set();
  const emails = said.map(({ email }) => email);
  const entries = await suppressionsAgainst(deps, projectId, emails);
  return new Set(said.filter(({ email, groups }) => stopsMarketing(entries.get(email) ?? [], groups)));
}

/** A row that names no group speaks of mail that names none. */
function stopsMarketing(entries: SuppressionFact[], groups: SuppressionGroup[]): boolean {
  return groups.some(
    ({ groupId, isMarketing }) =>
      stoppedBy(entries, { marketing: true, groupId: isMarketing ? null : groupId, bypass: false }) !== null,
  );
}

function evidenceOf({ _id, createdAt }: Order, { status, at }: Stop): string {
  const since = at ? ` since ${at.toISOString()}` : '';
  return `import ${_id.toHexString()} of ${createdAt.toISOString()}: ${status}${since}`;
}
