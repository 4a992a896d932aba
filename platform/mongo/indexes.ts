import type { Collection, IndexDescription } from 'mongodb';
import { accountIndexes } from '../../core/accounts/indexes.ts';
import { automationIndexes } from '../../core/automations/indexes.ts';
import type { Collections } from '../../core/base/collections.ts';
import type { Indexes } from '../../core/base/indexes.ts';
import { requestIndexes } from '../../core/base/indexes.ts';
import { campaignIndexes } from '../../core/campaigns/indexes.ts';
import { consentIndexes } from '../../core/consent/consents/indexes.ts';
import { suppressionIndexes } from '../../core/consent/suppressions/indexes.ts';
import { domainIndexes } from '../../core/domains/indexes.ts';
import { feedIndexes } from '../../core/events/indexes.ts';
import { liveIndexes } from '../../core/figures/live/indexes.ts';
import { reportIndexes } from '../../core/figures/reports/indexes.ts';
import { formIndexes } from '../../core/forms/indexes.ts';
import { inboundIndexes } from '../../core/inbound/indexes.ts';
import { jobIndexes } from '../../core/jobs/indexes.ts';
import { composingIndexes } from '../../core/mail/compose/indexes.ts';
import { sandboxIndexes } from '../../core/mail/deliver/sandbox/indexes.ts';
import { outboxIndexes } from '../../core/mail/ledger/indexes.ts';
import { messageIndexes } from '../../core/mail/messages/indexes.ts';
import { previewIndexes } from '../../core/mail/previews/indexes.ts';
import { migrationIndexes } from '../../core/migrations/indexes.ts';
import { importIndexes } from '../../core/people/imports/indexes.ts';
import { contactIndexes } from '../../core/people/indexes.ts';
import { personalDataIndexes } from '../../core/persons-own/personal-data/indexes.ts';
import { templateIndexes } from '../../core/templates/indexes.ts';
import { mediaIndexes } from '../../core/templates/media/indexes.ts';

const byCollection: Indexes = {
  ...accountIndexes,
  ...automationIndexes,
  ...requestIndexes,
  ...campaignIndexes,
  ...composingIndexes,
  ...consentIndexes,
  ...contactIndexes,
  ...domainIndexes,
  ...feedIndexes,
  ...formIndexes,
  ...importIndexes,
  ...inboundIndexes,
  ...jobIndexes,
  ...liveIndexes,
  ...mediaIndexes,
  ...messageIndexes,
  ...migrationIndexes,
  ...outboxIndexes,
  ...personalDataIndexes,
  ...previewIndexes,
  ...reportIndexes,
  ...sandboxIndexes,
  ...suppressionIndexes,
  ...templateIndexes,
};

/** The indexes of every noun. */
export const indexes = Object.entries(byCollection).flatMap(([on, named]) =>
  Object.entries(named).map(([name, { key, because, ...options }]) => ({
    ...{ on: on as keyof Collections, name, because, options },
    key: key as Record<string, 1 | -1>,
  })),
);

/** Fewer than the driver has connections: calls that wait for one give up after two seconds. */
const COLLECTIONS_AT_ONCE = 24;

/** Answers those that were made again, since their definition had changed: `newest of contacts`. */
export async function makeIndexes(db: Collections): Promise<string[]> {
  return eachCollection(indexes, async (on, list) => {
    const wanted = list.map(({ name, key, options }) => ({ name, key, ...options }));
    const names = await makeEach(db[on] as unknown as Collection, wanted);
    return names.map((name) => `${name} of ${on}`);
  });
}

/** All that is found, in the order of the collections. */
async function eachCollection(
  some: typeof indexes,
  look: (on: keyof Collections, list: typeof indexes) => Promise<string[]>,
): Promise<string[]> {
  const found: string[] = [];
  const grouped = [...Map.groupBy(some, ({ on }) => on)];
  for (let first = 0; first < grouped.length; first += COLLECTIONS_AT_ONCE) {
    const slice = grouped.slice(first, first + COLLECTIONS_AT_ONCE);
    found.push(...(await Promise.all(slice.map(([on, list]) => look(on, list)))).flat());
  }
  return found;
}

/** Codes of the server: other options, or other keys, under a name that is there. */
const CHANGED = new Set<unknown>([85, 86]);

/** The server refuses an index that has another definition under its name, so the former one goes first. Until the new one is there, queries that name it fail. */
async function makeEach(collection: Collection, wanted: IndexDescription[]): Promise<string[]> {
  try {
    await collection.createIndexes(wanted);
    return [];
  } catch (error) {
    if (!CHANGED.has((error as { code?: unknown }).code)) throw error;
    const present = new Map((await collection.indexes()).map((index) => [index.name, definitionOf(index)]));
    const isChanged = (index: IndexDescription) =>
      present.has(index.name) && present.get(index.name) !== definitionOf(index);
    const changed = wanted.filter(isChanged).map(({ name = '' }) => name);
    for (const name of changed) await collection.dropIndex(name);
    await collection.createIndexes(wanted);
    return changed;
  }
}

function definitionOf({ key, unique, partialFilterExpression, expireAfterSeconds }: IndexDescription): string {
  return JSON.stringify([key, unique ?? false, partialFilterExpression ?? null, expireAfterSeconds ?? null]);
}

const NO_SUCH_COLLECTION = 26;

/** Processes refuse to start without these, since correctness depends on them. */
export async function missingUniqueIndexes(db: Collections): Promise<string[]> {
  const unique = indexes.filter(({ options }) => options.unique);
  return eachCollection(unique, async (on, wanted) => {
    const present = await db[on].indexes().catch((error: { code?: unknown }) => {
      if (error.code === NO_SUCH_COLLECTION) return [];
      throw error;
    });
    const names = new Set(present.flatMap(({ name, unique: isUnique }) => (isUnique ? [name] : [])));
    return wanted.flatMap(({ name }) => (names.has(name) ? [] : [`${on}.${name}`]));
  });
}
