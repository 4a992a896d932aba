import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type OpenSource,
  type SourceA,
  SourceError,
  type SourceExport,
  type SourceField,
  type SourceGroup,
  type SourceItem,
  type SourceList,
  type SourceSuppressed,
  type SourceTemplate,
  type SuppressionList,
} from '../../core/migrations/source.ts';
import { type FetchFile, readExportFile } from './export-file.ts';
import { callProvider, type ProviderHttp, urlPart, type Verdict } from './http.ts';
import { paceByHeaders } from './pace.ts';
import * as answers from './provider-a-answers.ts';

/** A template comes with a line for each of its versions, of which it may have 300. */
const TEMPLATE_PAGE = 50;
const LIST_PAGE = 1000;
const SUPPRESSION_PAGE = 500;
const PAGES_MAX = 10_000;
/** The addresses of a group come as one array of any length. */
const ADDRESSES_BYTES_MAX = 64 * 1024 * 1024;
const ADDRESSES_TOGETHER = 10_000;
const suppressionPaths: Record<SuppressionList, string> = {
  unsubscribes: 'unsubscribes',
  bounces: 'bounces',
  invalidEmails: 'invalid_emails',
  spamReports: 'spam_reports',
};
const fieldTypes = new Map<string, SourceField['fieldType']>([
  ['text', 'string'],
  ['number', 'number'],
  ['date', 'date'],
]);

export function openProviderA(baseUrl: string, fetchFile: FetchFile, { key, patienceMs, signal }: OpenSource): SourceA {
  const http: ProviderHttp = {
    provider: 'Provider A',
    baseUrl,
    key,
    patienceMs,
    signal,
    pace: paceByHeaders(),
    classify,
  };
  return {
    provider: 'providerA',
    checkKey: async () => {
      await callProvider(http, { path: '/v3/scopes', check: answers.scopes });
    },
    listTemplates: () => listTemplates(http),
    readTemplate: (id) => readTemplate(http, id),
    listFields: () => listFields(http),
    listLists: () => listLists(http),
    countContacts: async () =>
      (await callProvider(http, { path: '/v3/marketing/contacts/count', check: answers.contactCount })).contact_count,
    listGroups: async () =>
      (await callProvider(http, { path: '/v3/asm/groups', check: answers.groupList })).map(groupOf),
    readGroup: async (id) =>
      groupOf(await callProvider(http, { path: `/v3/asm/groups/${urlPart(id)}`, check: answers.oneGroup })),
    listGroupAddresses: (group) => listGroupAddresses(http, group),
    listSuppressed: (list, range) => listSuppressed(http, list, range),
    startExport: (listIds) => startExport(http, listIds),
    readExport: (id) => readExport(http, id),
    readExportFile: (url, batchSize) => readExportFile(fetchFile, url, batchSize, signal),
  };
}

async function listTemplates(http: ProviderHttp): Promise<SourceItem[]> {
  const base = `/v3/templates?generations=legacy,dynamic&page_size=${TEMPLATE_PAGE}`;
  return allPages(base, async (path) => {
    const { result, templates, _metadata } = await callProvider(http, { path, check: answers.templatePage });
    return { items: result ?? templates ?? [], next: _metadata?.next };
  });
}

async function listLists(http: ProviderHttp): Promise<SourceList[]> {
  return allPages(`/v3/marketing/lists?page_size=${LIST_PAGE}`, async (path) => {
    const { result, _metadata } = await callProvider(http, { path, check: answers.listPage });
    const items = (result ?? []).map(({ id, name, contact_count }) => ({ id, name, contactCount: contact_count ?? 0 }));
    return { items, next: _metadata?.next };
  });
}

/** Only the token is taken from the link to the next page: the link drops parameters, and the key must not be sent to its host. */
async function allPages<T>(
  base: string,
  read: (path: string) => Promise<{ items: T[]; next: string | null | undefined }>,
): Promise<T[]> {
  const all: T[] = [];
  const seen = new Set<string>();
  let path = base;
  while (seen.size < PAGES_MAX) {
    const { items, next } = await read(path);
    all.push(...items);
    const token = next ? new URLSearchParams(next.split('?')[1]).get('page_token') : null;
    if (!token) return all;
    if (seen.has(token))
      throw new SourceError('malformed', 'Provider A repeats a page of a list instead of ending it.');
    seen.add(token);
    path = `${base}&page_token=${urlPart(token)}`;
  }
  throw new SourceError('too_large', `Provider A lists more than ${PAGES_MAX} pages.`);
}

async function readTemplate(http: ProviderHttp, id: string): Promise<SourceTemplate | null> {
  const path = `/v3/templates/${urlPart(id)}`;
  const template = await callProvider(http, { path, check: answers.oneTemplate });
  const active = template.versions?.find((version) => version.active === 1 || version.active === true);
  if (!active) return null;
  const whole =
    typeof active.html_content === 'string'
      ? active
      : await callProvider(http, {
          path: `${path}/versions/${urlPart(active.id)}`,
          check: answers.oneVersion,
        });
  return {
    id: template.id,
    name: template.name,
    subject: whole.subject ?? active.subject ?? null,
    html: whole.html_content || null,
    text: whole.plain_content || null,
  };
}

async function listFields(http: ProviderHttp): Promise<SourceField[]> {
  const { custom_fields } = await callProvider(http, {
    path: '/v3/marketing/field_definitions',
    check: answers.fieldList,
  });
  return (custom_fields ?? []).map(({ id, name, field_type }) => ({
    id,
    name,
    fieldType: fieldTypes.get(String(field_type).toLowerCase()) ?? 'string',
  }));
}

function groupOf(group: ReturnType<typeof answers.oneGroup>): SourceGroup {
  const { id, name, description, unsubscribes } = group;
  return { id: String(id), name, description: description ?? '', suppressedCount: unsubscribes ?? 0 };
}

/** The single array may be capped for huge groups; when it is shorter than the group's count, the account's pages complete it. */
async function listGroupAddresses(http: ProviderHttp, { id, suppressedCount }: SourceGroup): Promise<string[]> {
  const path = `/v3/asm/groups/${urlPart(id)}/suppressions`;
  const call = { path, check: answers.addressList, bytesMax: ADDRESSES_BYTES_MAX };
  const found = new Set<string>();
  const listed = await callProvider(http, { ...call, join: (slices) => slices.flat() });
  for (const [index, email] of listed.entries()) {
    found.add(email);
    if (index % ADDRESSES_TOGETHER === 0) await nextTurn();
  }
  const firsts = new Set<string>();
  for (let offset = 0; found.size < suppressedCount; offset += SUPPRESSION_PAGE) {
    const page = `/v3/asm/suppressions?limit=${SUPPRESSION_PAGE}&offset=${offset}`;
    const rows = await callProvider(http, { path: page, check: answers.suppressionRows });
    const first = JSON.stringify(rows[0]);
    if (firsts.has(first)) throw new SourceError('malformed', 'Provider A repeats a page of suppressed addresses.');
    firsts.add(first);
    for (const row of rows) if (String(row.group_id) === id) found.add(row.email);
    if (rows.length < SUPPRESSION_PAGE) break;
  }
  return [...found];
}

/** Any page but the last is full. */
async function listSuppressed(
  http: ProviderHttp,
  list: SuppressionList,
  { offset, since }: { offset: number; since: Date | null },
): Promise<{ rows: SourceSuppressed[]; hasMore: boolean }> {
  const from = since === null ? '' : `&start_time=${Math.floor(since.getTime() / 1_000)}`;
  const path = `/v3/suppression/${suppressionPaths[list]}?limit=${SUPPRESSION_PAGE}&offset=${offset}${from}`;
  const rows = await callProvider(http, { path, check: answers.suppressedRows });
  return {
    rows: rows.map(({ email, created }) => ({ email, at: created == null ? null : new Date(created * 1_000) })),
    hasMore: rows.length >= SUPPRESSION_PAGE,
  };
}

async function startExport(http: ProviderHttp, listIds: string[] | null): Promise<string> {
  const body = {
    file_type: 'json',
    notifications: { email: false },
    ...(listIds === null ? {} : { list_ids: listIds }),
  };
  const call = { path: '/v3/marketing/contacts/exports', method: 'POST', body, check: answers.exportStarted } as const;
  return (await callProvider(http, call)).id;
}

async function readExport(http: ProviderHttp, id: string): Promise<SourceExport> {
  const path = `/v3/marketing/contacts/exports/${urlPart(id)}`;
  const { status, urls, contact_count, message } = await callProvider(http, { path, check: answers.exportState });
  if (status === 'ready' && (urls ?? []).length === 0 && contact_count !== 0)
    throw new SourceError('file_gone', 'Provider A made an export without a file.');
  const state = status === 'ready' ? 'ready' : /^(failure|failed|timeout)$/.test(status) ? 'failed' : 'pending';
  return { state, urls: urls ?? [], contactCount: contact_count ?? null, message: message ?? '' };
}

/** `authorization required` on a section, when the key is good, means that its scope is missing. */
function classify(status: number, text: string): Verdict {
  const message = messageOf(text) || `answered with status ${status}`;
  if (status === 429) return { kind: 'rate_limited', message };
  if (status >= 500) return { kind: 'unavailable', message: `is failing: ${message}` };
  if (status === 403 || ((status === 401 || status === 400) && /authorization required/i.test(message)))
    return { kind: 'forbidden', message: `does not allow this to the key: ${message}` };
  if (status === 401) return { kind: 'invalid_key', message: `refuses the key: ${message}` };
  if (status === 404) return { kind: 'not_found', message: `does not know it: ${message}` };
  return { kind: 'refused', message: `refuses the request: ${message}` };
}

/** `errors[].message`, or a string in `error`: the provider sends both forms. */
function messageOf(text: string): string {
  try {
    const { errors, error } = JSON.parse(text) as { errors?: { message?: unknown }[]; error?: unknown };
    if (Array.isArray(errors)) return errors.map((each) => String(each?.message ?? '')).join('; ');
    return typeof error === 'string' ? error : '';
  } catch {
    return '';
  }
}
