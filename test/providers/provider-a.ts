import { randomUUID } from 'node:crypto';
import type { AccountA, SuppressionsA } from './account-a.ts';
import { type ExportFiles, startExportFiles } from './export-files.ts';
import type { Fault } from './faults.ts';
import { type Answer, type Request, type StandIn, startStandIn } from './stand-in.ts';

/** A stand-in of SendGrid's v3 interface, as far as a migration reads it. Files of exports are on a server of their own. */
export interface ProviderA extends StandIn {
  accounts: AccountA[];
  files: StandIn;
}

type Route = [method: string, path: RegExp, scope: string | null, answer: (context: Context) => Answer];

interface Context {
  account: AccountA;
  request: Request;
  id: string;
  origin: string;
  files: ExportFiles;
}

const routes: Route[] = [
  ['GET', /^\/v3\/scopes$/, null, ({ account }) => ok({ scopes: account.scopes })],
  ['GET', /^\/v3\/templates$/, 'templates.read', listTemplates],
  ['GET', /^\/v3\/templates\/([^/]+)$/, 'templates.read', readTemplate],
  ['GET', /^\/v3\/templates\/([^/]+\/versions\/[^/]+)$/, 'templates.versions.read', readVersion],
  ['GET', /^\/v3\/marketing\/field_definitions$/, 'marketing.read', listFields],
  ['GET', /^\/v3\/marketing\/lists$/, 'marketing.read', listLists],
  ['GET', /^\/v3\/marketing\/lists\/([^/]+)\/contacts\/count$/, 'marketing.read', countList],
  ['GET', /^\/v3\/marketing\/lists\/([^/]+)$/, 'marketing.read', readList],
  ['GET', /^\/v3\/marketing\/contacts\/count$/, 'marketing.read', countContacts],
  ['POST', /^\/v3\/marketing\/contacts\/exports$/, 'marketing.read', startExport],
  ['GET', /^\/v3\/marketing\/contacts\/exports\/([^/]+)$/, 'marketing.read', readExport],
  ['GET', /^\/v3\/asm\/groups$/, 'asm.groups.read', listGroups],
  ['GET', /^\/v3\/asm\/groups\/(\d+)$/, 'asm.groups.read', readGroup],
  ['GET', /^\/v3\/asm\/groups\/(\d+)\/suppressions$/, 'asm.groups.suppressions.read', listGroupSuppressions],
  ['GET', /^\/v3\/asm\/suppressions$/, 'asm.groups.suppressions.read', listSuppressions],
  ['GET', /^\/v3\/suppression\/(unsubscribes)$/, 'suppression.unsubscribes.read', listSuppressed],
  ['GET', /^\/v3\/suppression\/(bounces)$/, 'suppression.bounces.read', listSuppressed],
  ['GET', /^\/v3\/suppression\/(blocks)$/, 'suppression.blocks.read', listSuppressed],
  ['GET', /^\/v3\/suppression\/(invalid_emails)$/, 'suppression.invalid_emails.read', listSuppressed],
  ['GET', /^\/v3\/suppression\/(spam_reports)$/, 'suppression.spam_reports.read', listSuppressed],
];

export async function startProviderA(
  accounts: AccountA[],
  { port = 0, filesPort = 0, faults = [] }: { port?: number; filesPort?: number; faults?: Fault[] } = {},
): Promise<ProviderA> {
  const files = await startExportFiles(filesPort);
  let origin = '';
  const api = await startStandIn((request) => answer(accounts, request, files, origin), { port, faults });
  origin = api.url;
  return {
    ...api,
    accounts,
    files: files.server,
    stop: async () => {
      await Promise.all([api.stop(), files.server.stop()]);
    },
  };
}

function answer(accounts: AccountA[], request: Request, files: ExportFiles, origin: string): Answer {
  const { authorization } = request.headers;
  if (!authorization?.startsWith('Bearer ')) return refuse(401, 'authorization required');
  const account = accounts.find(({ key }) => authorization === `Bearer ${key}`);
  if (!account || account.revoked)
    return refuse(401, 'The provided authorization grant is invalid, expired, or revoked');
  const route = routes.find(([method, path]) => method === request.method && path.test(request.path));
  if (!route) return refuse(404, 'resource not found');
  const [, path, scope, run] = route;
  if (scope && !account.scopes.includes(scope)) return refuse(403, 'access forbidden');
  const given = run({ account, request, files, origin, id: path.exec(request.path)?.[1] ?? '' });
  return { ...given, headers: { ...rateHeaders(), ...given.headers } };
}

function rateHeaders(): Record<string, string> {
  const reset = String(Math.ceil(Date.now() / 60_000) * 60);
  return { 'x-ratelimit-limit': '600', 'x-ratelimit-remaining': '599', 'x-ratelimit-reset': reset };
}

function listTemplates({ account, request: { query }, origin }: Context): Answer {
  const generations = (query.get('generations') ?? 'legacy').split(',');
  const found = account.templates.filter(({ generation }) => generations.includes(generation)).map(templateInList);
  if (!query.has('page_size')) return ok({ templates: found });
  const { items, next, token } = page(found, query, 200);
  const link = (cursor: string) => `${origin}/v3/templates?page_token=${cursor}&generations=${generations.join(',')}`;
  return ok({
    result: items,
    _metadata: { self: link(token), ...(next ? { next: link(next) } : {}), count: found.length },
  });
}

function templateInList(template: AccountA['templates'][number]) {
  const { id, name, generation, versions } = template;
  return {
    id,
    name,
    generation,
    updated_at: '2021-12-02 13:02:21',
    versions: versions.map((version) => ({
      id: version.id,
      template_id: id,
      active: version.active,
      name: version.name,
      generate_plain_content: true,
      subject: version.subject,
      updated_at: '2021-12-02 13:03:04',
      editor: 'code',
      thumbnail_url: '//us-east-2-production-thumbnail-bucket.s3.amazonaws.com/8687.png',
    })),
  };
}

function readTemplate({ account, id }: Context): Answer {
  const found = account.templates.find((template) => template.id === id);
  if (!found) return { status: 404, body: { error: 'Resource not found' } };
  const brief = templateInList(found);
  return ok({ ...brief, versions: found.versions.map((version) => withContent(version, brief.id)) });
}

function readVersion({ account, id }: Context): Answer {
  const [templateId, versionId] = id.split('/versions/');
  const found = account.templates.find((template) => template.id === templateId);
  const version = found?.versions.find((each) => each.id === versionId);
  return found && version ? ok(withContent(version, found.id)) : refuse(404, 'resource not found');
}

function withContent(version: AccountA['templates'][number]['versions'][number], templateId: string) {
  return {
    id: version.id,
    user_id: 8246085,
    template_id: templateId,
    active: version.active,
    name: version.name,
    html_content: version.html,
    plain_content: version.plain,
    generate_plain_content: true,
    subject: version.subject,
    updated_at: '2021-12-02 13:03:04',
    editor: 'code',
    test_data: '',
    thumbnail_url: '//us-east-2-production-thumbnail-bucket.s3.amazonaws.com/8687.png',
  };
}

function listFields({ account, origin }: Context): Answer {
  const custom = account.fields.map(({ id, name, type }) => ({ id, name, field_type: type }));
  return ok({
    ...(custom.length > 0 ? { custom_fields: custom } : {}),
    reserved_fields: [
      { id: '_rf0_T', name: 'first_name', field_type: 'Text' },
      { id: '_rf2_T', name: 'email', field_type: 'Text' },
      { id: '_rf15_T', name: 'email_domains', field_type: 'Text', read_only: true },
    ],
    _metadata: { self: `${origin}/v3/marketing/field_definitions` },
  });
}

function listLists({ account, request: { query }, origin }: Context): Answer {
  const all = account.lists.map((list) => listOut(account, list, origin));
  const { items, next, token, size } = page(all, query, 1000, 100);
  const link = (cursor: string) => `${origin}/v3/marketing/lists?page_size=${size}&page_token=${cursor}`;
  return ok({ result: items, _metadata: { self: link(token), ...(next ? { next: link(next) } : {}) } });
}

function listOut(account: AccountA, { id, name }: AccountA['lists'][number], origin: string) {
  const contact_count = account.contacts.filter(({ listIds }) => listIds.includes(id)).length;
  return { name, id, contact_count, _metadata: { self: `${origin}/v3/marketing/lists/${id}` } };
}

function readList({ account, id, origin }: Context): Answer {
  const found = account.lists.find((list) => list.id === id);
  return found ? ok(listOut(account, found, origin)) : refuse(404, 'resource not found');
}

function countList({ account, id }: Context): Answer {
  const count = account.contacts.filter(({ listIds }) => listIds.includes(id)).length;
  return ok({ contact_count: count, billable_count: count });
}

function countContacts({ account }: Context): Answer {
  return ok({ contact_count: account.contacts.length, billable_count: account.contacts.length });
}

function startExport({ account, request, files, origin }: Context): Answer {
  const { list_ids, file_type = 'csv' } = (request.body ?? {}) as { list_ids?: string[]; file_type?: 'csv' | 'json' };
  const unknown = list_ids?.find((id) => !account.lists.some((list) => list.id === id));
  if (unknown) return { status: 400, body: { errors: [{ message: 'list id not found', field: 'list_ids' }] } };
  const id = randomUUID();
  const made = {
    id,
    account,
    listIds: list_ids,
    fileType: file_type,
    pollsLeft: account.exports.polls,
    at: new Date(),
  };
  files.exports.set(id, { ...made, failure: account.exports.failure, downloads: 0 });
  account.exports.failure = null;
  return { status: 202, body: { id, _metadata: { self: `${origin}/v3/marketing/contacts/exports/${id}` } } };
}

function readExport({ account, id, files, origin }: Context): Answer {
  const found = files.exports.get(id);
  if (!found || found.account !== account) return refuse(404, 'resource not found');
  const times = { created_at: found.at.toISOString(), updated_at: new Date().toISOString() };
  const common = { id, ...times, _metadata: { self: `${origin}/v3/marketing/contacts/exports/${id}` } };
  if (found.failure) return ok({ ...common, status: 'failure', message: found.failure, completed_at: '' });
  if (found.pollsLeft > 0) {
    found.pollsLeft -= 1;
    return ok({ ...common, status: 'pending', completed_at: '' });
  }
  return ok({
    ...common,
    status: 'ready',
    completed_at: new Date().toISOString(),
    expires_at: new Date(Date.now() + 3_600_000).toISOString(),
    urls: files.urls(found),
    contact_count: files.contactsOf(found).length,
  });
}

function listGroups({ account, request: { query } }: Context): Answer {
  const ids = query.getAll('id').map(Number);
  return ok(account.groups.filter(({ id }) => ids.length === 0 || ids.includes(id)).map(groupOut));
}

function groupOut({ id, name, description, isDefault, emails }: AccountA['groups'][number]) {
  return { id, name, description, is_default: isDefault, last_email_sent_at: null, unsubscribes: emails.length };
}

function readGroup({ account, id }: Context): Answer {
  const found = account.groups.find((group) => group.id === Number(id));
  return found ? ok(groupOut(found)) : refuse(404, 'resource not found');
}

function listGroupSuppressions({ account, id }: Context): Answer {
  const found = account.groups.find((group) => group.id === Number(id));
  return found ? ok(found.emails.slice(0, account.exports.suppressionsMax)) : refuse(404, 'resource not found');
}

function listSuppressions({ account, request: { query } }: Context): Answer {
  const rows = account.groups.flatMap(({ id, name, emails }) =>
    emails.map((email) => ({ email, group_id: id, group_name: name, created_at: 1443651141 })),
  );
  const offset = Number(query.get('offset') ?? 0);
  return ok(rows.slice(offset, offset + Number(query.get('limit') ?? 50)));
}

const SUPPRESSED_PAGE_MAX = 500;

/** The fields of each list, besides address and time. */
const suppressionFields: Record<keyof SuppressionsA, object> = {
  unsubscribes: {},
  bounces: { reason: '550 5.1.1 The email account that you tried to reach does not exist.', status: '5.1.1' },
  blocks: { reason: 'error dialing remote address: no route to host', status: '4.0.0' },
  invalid_emails: { reason: 'Mail domain mentioned in email address is unknown' },
  spam_reports: { ip: '10.89.32.5' },
};

/** Both ends of the time range count, and without a limit a page has as many rows as with the greatest. */
function listSuppressed({ account, request: { query }, id }: Context): Answer {
  const list = id as keyof SuppressionsA;
  const limit = Number(query.get('limit') ?? SUPPRESSED_PAGE_MAX);
  const offset = Number(query.get('offset') ?? 0);
  if (!(limit >= 1 && limit <= SUPPRESSED_PAGE_MAX && offset >= 0))
    return refuse(400, `limit must be between 1 and ${SUPPRESSED_PAGE_MAX}, offset 0 or more`);
  const from = Number(query.get('start_time') ?? 0);
  const to = Number(query.get('end_time') ?? Number.POSITIVE_INFINITY);
  const rows = account.suppressions[list].filter(({ created }) => created >= from && created <= to);
  return ok(
    rows.slice(offset, offset + limit).map(({ email, created }) => ({ created, email, ...suppressionFields[list] })),
  );
}

/** Tokens are opaque to the reader, as they are at the provider. */
function page<T>(all: T[], query: URLSearchParams, sizeMax: number, sizeDefault = sizeMax) {
  const size = Math.min(Number(query.get('page_size') ?? sizeDefault), sizeMax);
  const token = query.get('page_token') ?? '';
  const from = token === '' ? 0 : Number(Buffer.from(token, 'base64url').toString().slice('offset:'.length));
  const next = from + size < all.length ? Buffer.from(`offset:${from + size}`).toString('base64url') : null;
  return { items: all.slice(from, from + size), next, token, size };
}

function ok(body: unknown): Answer {
  return { status: 200, body };
}

function refuse(status: number, message: string): Answer {
  return { status, body: { errors: [{ field: null, message }] } };
}
