import {
  type OpenSource,
  type SourceB,
  type SourceContact,
  SourceError,
  type SourceField,
  type SourceItem,
  type SourcePage,
  type SourceTemplate,
  type SourceTopic,
} from '../../core/migrations/source.ts';
import { callProvider, type ProviderHttp, urlPart, type Verdict } from './http.ts';
import type { Pace } from './pace.ts';
import * as answers from './provider-b-answers.ts';

const PAGE = 100;
const PAGES_MAX = 10_000;
const NO_ENDPOINT = /endpoint does not exist/i;
const fieldTypes = new Map<string, SourceField['fieldType']>([
  ['string', 'string'],
  ['number', 'number'],
  ['boolean', 'boolean'],
]);

export function openProviderB(baseUrl: string, pace: Pace, { key, patienceMs, signal }: OpenSource): SourceB {
  const http: ProviderHttp = { provider: 'Provider B', baseUrl, key, patienceMs, signal, pace, classify };
  return {
    provider: 'providerB',
    checkKey: async () => {
      await callProvider(http, { path: '/templates?limit=1', check: answers.itemPage });
    },
    listTemplates: () => listTemplates(http),
    readTemplate: (id) => readTemplate(http, id),
    listFields: () => listFields(http),
    listSegments: () => listSegments(http),
    listTopics: () => listTopics(http),
    listContacts: (after, segmentId) => listContacts(http, after, segmentId),
    readContact: (id) => readContact(http, id),
  };
}

async function listTemplates(http: ProviderHttp): Promise<SourceItem[]> {
  return allPages('/templates', (path) => callProvider(http, { path, check: answers.itemPage }));
}

async function listTopics(http: ProviderHttp): Promise<SourceTopic[]> {
  const topics = await allPages('/topics', (path) => callProvider(http, { path, check: answers.topicPage }));
  return topics.map(({ id, name, description }) => ({ id, name, description: description ?? '' }));
}

async function listFields(http: ProviderHttp): Promise<SourceField[]> {
  const fields = await allPages('/contact-properties', (path) =>
    callProvider(http, { path, check: answers.propertyPage }),
  );
  return fields.map(({ id, key, type }) => ({ id, name: key, fieldType: fieldTypes.get(String(type)) ?? 'string' }));
}

/** Audiences are the old name of segments: same ids, same data, and the only path on accounts without segments. */
async function listSegments(http: ProviderHttp): Promise<SourceItem[]> {
  const read = (path: string) => callProvider(http, { path, check: answers.itemPage });
  return withFallback(
    () => allPages('/segments', read),
    () => allPages('/audiences', read),
  );
}

async function listContacts(http: ProviderHttp, after: string | null, segmentId?: string): Promise<SourcePage> {
  const query = `limit=${PAGE}${after === null ? '' : `&after=${urlPart(after)}`}`;
  const read = (path: string) => callProvider(http, { path: `${path}?${query}`, check: answers.contactPage });
  const segment = segmentId === undefined ? null : urlPart(segmentId);
  try {
    const { data, has_more } =
      segment === null
        ? await read('/contacts')
        : await withFallback(
            () => read(`/segments/${segment}/contacts`),
            () => read(`/audiences/${segment}/contacts`),
          );
    return { contacts: data.map(contactOf), hasMore: has_more === true };
  } catch (error) {
    if (after !== null && isStaleCursor(error))
      throw new SourceError('stale_cursor', 'The contact at the cursor is gone.');
    throw error;
  }
}

function isStaleCursor(error: unknown): boolean {
  if (!(error instanceof SourceError)) return false;
  return error.status === 422 || (error.status === 404 && !/audience|segment|endpoint/i.test(error.message));
}

async function readContact(http: ProviderHttp, id: string): Promise<SourceContact | null> {
  const path = `/contacts/${urlPart(id)}`;
  const found = await orNull(callProvider(http, { path, check: answers.oneContact }));
  return found && contactOf(found);
}

async function readTemplate(http: ProviderHttp, id: string): Promise<SourceTemplate | null> {
  const path = `/templates/${urlPart(id)}`;
  const { name, subject, html, text, ...template } = await callProvider(http, { path, check: answers.oneTemplate });
  return { id: template.id, name, subject: subject ?? null, html: html || null, text: text || null };
}

function contactOf(row: ReturnType<typeof answers.oneContact>): SourceContact {
  return {
    sourceId: row.id,
    email: row.email,
    firstName: row.first_name ?? null,
    lastName: row.last_name ?? null,
    mobile: null,
    unsubscribed: row.unsubscribed === true,
    createdAt: row.created_at ?? '',
    properties: flat(row.properties ?? {}),
  };
}

/** Values are `{type, value}` when read and flat when written; both are accepted. */
function flat(properties: object): Record<string, unknown> {
  const entries = Object.entries(properties as Record<string, unknown>);
  return Object.fromEntries(
    entries.map(([name, given]) => {
      const isTyped = given !== null && typeof given === 'object' && 'value' in given;
      return [name.toLowerCase(), isTyped ? given.value : given];
    }),
  );
}

/** A cursor that repeats, or an empty page that promises more: the rest of the list cannot be reached. */
async function allPages<T extends { id: string }>(
  path: string,
  read: (path: string) => Promise<{ data: T[]; has_more?: boolean | null }>,
): Promise<T[]> {
  const all: T[] = [];
  const seen = new Set<string>();
  let after = '';
  while (seen.size < PAGES_MAX) {
    const { data, has_more } = await read(`${path}?limit=${PAGE}${after && `&after=${urlPart(after)}`}`);
    all.push(...data);
    const last = data.at(-1)?.id;
    if (!has_more) return all;
    if (last === undefined || seen.has(last))
      throw new SourceError('malformed', 'Provider B promises more of a list, but gives no way to it.');
    seen.add(last);
    after = last;
  }
  throw new SourceError('too_large', `Provider B lists more than ${PAGES_MAX} pages.`);
}

async function withFallback<T>(first: () => Promise<T>, second: () => Promise<T>): Promise<T> {
  try {
    return await first();
  } catch (error) {
    const isMissing = error instanceof SourceError && (error.status === 405 || NO_ENDPOINT.test(error.message));
    if (!isMissing) throw error;
    return second();
  }
}

async function orNull<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof SourceError && error.kind === 'not_found') return null;
    throw error;
  }
}

/** The status of a bad key differs between recordings, clients and documentation; name and message do not. */
function classify(status: number, text: string): Verdict {
  const { name, message } = errorOf(text);
  const shown = message || `answered with status ${status}`;
  if (status === 429 && /quota/.test(name))
    return { kind: 'quota', message: `says that the quota is used up: ${shown}` };
  if (status === 429) return { kind: 'rate_limited', message: shown };
  if (status >= 500) return { kind: 'unavailable', message: `is failing: ${shown}` };
  if (name === 'restricted_api_key') return { kind: 'forbidden', message: `lets this key only send: ${shown}` };
  if (name === 'invalid_api_key' || name === 'missing_api_key' || /^API key is invalid/i.test(message))
    return { kind: 'invalid_key', message: `refuses the key: ${shown}` };
  if (status === 404) return { kind: 'not_found', message: `does not know it: ${shown}` };
  return { kind: 'refused', message: `refuses the request: ${shown}` };
}

/** The provider's front end answers in plain text. */
function errorOf(text: string): { name: string; message: string } {
  try {
    const { name, message } = JSON.parse(text) as { name?: unknown; message?: unknown };
    return { name: String(name ?? ''), message: String(message ?? '') };
  } catch {
    return { name: '', message: '' };
  }
}
