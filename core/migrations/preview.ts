import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { repeatOnDuplicate } from '../base/database/idempotent-insert.ts';
import type { Project } from '../base/model.ts';
import type { MigrationsDeps } from './deps.ts';
import { missingScope } from './rules/suppression-lists.ts';
import {
  type SourceA,
  type SourceB,
  SourceError,
  type SourcePage,
  SUPPRESSION_LISTS,
  type SuppressionList,
} from './source.ts';
import { suppressedPages } from './suppressed-pages.ts';

type Tenant = Pick<Project, '_id'>;

/** The answer must be given within 25 seconds; a count that is not finished by then is marked as incomplete. */
const COUNT_MS = 20_000;

/** The key is checked first; a section that it may not read comes back empty and is named. */
export async function planA(source: SourceA, countMs = COUNT_MS) {
  const until = performance.now() + countMs;
  await source.checkKey();
  const skipped: string[] = [];
  const section = <T>(name: string, read: Promise<T>, empty: T) => orEmpty(read, name, empty, skipped);
  const [templates, unsubscribeGroups, customFields, contactLists, totalContacts, ...counted] = await Promise.all([
    section('templates', source.listTemplates(), []),
    section('unsubscribeGroups', source.listGroups(), []),
    section('customFields', source.listFields(), []),
    section('contactLists', source.listLists(), []),
    section('totalContacts', source.countContacts(), 0),
    ...SUPPRESSION_LISTS.map((list) => countSuppressed(source, list, until)),
  ]);
  const unread = counted.filter(({ isMissing }) => isMissing).map(({ list }) => missingScope(list));
  return {
    templates: templates.map(idAndName),
    unsubscribeGroups: unsubscribeGroups.map(idAndName),
    customFields: customFields.map(({ id, name, fieldType }) => ({ id, name, fieldType })),
    contactLists: contactLists.map(({ id, name, contactCount }) => ({ id, name, contactCount })),
    totalContacts,
    suppressions: Object.fromEntries(counted.map(({ list, count }) => [list, count])) as Record<
      SuppressionList,
      number
    >,
    countsComplete: counted.every(({ isComplete }) => isComplete),
    skipped: [...skipped, ...unread.map(({ item, message }) => `${item}: ${message}`)],
  };
}

/** Counts the addresses of a list until the time is over. A list that the key may not read has none. */
async function countSuppressed(source: SourceA, list: SuppressionList, until: number) {
  const found = { list, count: 0, isComplete: false, isMissing: false };
  const pages = suppressedPages(source, list);
  try {
    while (performance.now() < until) {
      const page = await Promise.race([pages.next(), lateAt(until)]);
      if (!page) break;
      if (page.done) return { ...found, isComplete: true };
      found.count = page.value.read;
    }
    return found;
  } catch (error) {
    if (!(error instanceof SourceError && error.kind === 'forbidden')) throw error;
    return { ...found, isComplete: true, isMissing: true };
  }
}

/** One request after the other, at the source's pace. A key that may only send reads nothing: every section is skipped. */
export async function planB(source: SourceB, countMs = COUNT_MS) {
  const startedAt = performance.now();
  const skipped: string[] = [];
  const templates = await orEmpty(source.listTemplates(), 'templates', [], skipped);
  const customFields = await orEmpty(source.listFields(), 'customFields', [], skipped);
  const audiences = await orEmpty(source.listSegments(), 'audiences', [], skipped);
  const topics = await orEmpty(source.listTopics(), 'topics', [], skipped);
  const none = { totalContacts: 0, unsubscribedContacts: 0, countsComplete: true };
  const counts = await orEmpty(countContacts(source, startedAt + countMs), 'contacts', none, skipped);
  return {
    templates: templates.map(idAndName),
    customFields: customFields.map(({ id, name, fieldType }) => ({ id, name, fieldType })),
    audiences: audiences.map(idAndName),
    topics: topics.map(idAndName),
    ...counts,
    skipped,
  };
}

export async function keepPlan(
  deps: MigrationsDeps,
  { _id: projectId }: Tenant,
  key: string,
  unsubscribedContacts: number,
): Promise<void> {
  const kept = { unsubscribedContacts, at: deps.clock.now() };
  const plan = { _id: planId(projectId.toHexString(), key), projectId };
  await repeatOnDuplicate(() => deps.db.migrationPlans.updateOne(plan, { $set: kept }, { upsert: true }));
}

/** The number of unsubscribed contacts in the last complete plan of this account; null without such a plan. */
export async function plannedUnsubscribed(
  deps: MigrationsDeps,
  { _id: projectId }: Tenant,
  key: string,
): Promise<number | null> {
  const found = await deps.db.migrationPlans.findOne({ _id: planId(projectId.toHexString(), key), projectId });
  return found?.unsubscribedContacts ?? null;
}

function planId(projectId: string, key: string): string {
  return `${projectId}:${createHash('sha256').update(`plan ${key}`).digest('hex')}`;
}

/** The source has no endpoint for counts: the pages are walked until the time is over, or the source repeats itself. */
async function countContacts(source: SourceB, until: number) {
  const counts = { totalContacts: 0, unsubscribedContacts: 0, countsComplete: false };
  const seen = new Set<string | null>();
  for (let after: string | null = null; performance.now() < until && !seen.has(after); ) {
    seen.add(after);
    const page: SourcePage | null = await Promise.race([source.listContacts(after), lateAt(until)]);
    if (!page) return counts;
    counts.totalContacts += page.contacts.length;
    counts.unsubscribedContacts += page.contacts.filter(({ unsubscribed }) => unsubscribed).length;
    if (!page.hasMore) return { ...counts, countsComplete: true };
    after = page.contacts.at(-1)?.sourceId ?? null;
  }
  return counts;
}

async function lateAt(until: number): Promise<null> {
  await sleep(Math.max(0, until - performance.now()), undefined, { ref: false });
  return null;
}

async function orEmpty<T>(read: Promise<T>, name: string, empty: T, skipped: string[]): Promise<T> {
  try {
    return await read;
  } catch (error) {
    if (!(error instanceof SourceError && error.kind === 'forbidden')) throw error;
    skipped.push(name);
    return empty;
  }
}

function idAndName({ id, name }: { id: string; name: string }) {
  return { id, name };
}
