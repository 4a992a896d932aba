import type { AccountB, ContactB } from './account-b.ts';
import type { Fault } from './faults.ts';
import { type Answer, type Request, type StandIn, startStandIn } from './stand-in.ts';

/** A stand-in of Resend's interface, as far as a migration reads it, with its real limit of requests a second. */
export interface ProviderB extends StandIn {
  accounts: AccountB[];
}

const LIMIT_TEXT =
  'The pagination limit must be a number between 1 and 100. See https://resend.com/docs/pagination for more information.';
const UNLIMITED = Number.POSITIVE_INFINITY;
const CREATED = '2025-10-21 17:47:52.582248+00';

type Route = [path: RegExp, answer: (context: Context) => Answer];

interface Context {
  account: AccountB;
  query: URLSearchParams;
  id: string;
}

const routes: Route[] = [
  [/^\/templates$/, ({ account, query }) => list(account.templates.map(templateInList), query, 20)],
  [/^\/templates\/([^/]+)$/, readTemplate],
  [/^\/contact-properties$/, ({ account, query }) => list(account.properties.map(propertyOut), query, UNLIMITED)],
  [/^\/contact-properties\/([^/]+)$/, readProperty],
  [/^\/segments$/, ({ account, query }) => list(account.segments.map(segmentOut), query, UNLIMITED)],
  [/^\/audiences$/, ({ account }) => ok({ object: 'list', data: account.segments.map(segmentOut) })],
  [/^\/(?:segments|audiences)\/([^/]+)$/, readSegment],
  [/^\/(?:segments|audiences)\/([^/]+)\/contacts$/, listMembers],
  [/^\/audiences\/([^/]+\/contacts\/[^/]+)$/, readMember],
  [/^\/topics$/, ({ account, query }) => list(account.topics.map(topicOut), query, 20)],
  [/^\/topics\/([^/]+)$/, readTopic],
  [/^\/contacts$/, ({ account, query }) => list(account.contacts.map(contactInList), query, UNLIMITED)],
  [/^\/contacts\/([^/]+)$/, readContact],
  [/^\/contacts\/([^/]+)\/segments$/, listSegmentsOfContact],
  [/^\/contacts\/([^/]+)\/topics$/, ({ account, query }) => list(account.topics.map(topicOut), query, UNLIMITED)],
  [/^\/domains$/, ({ query }) => list([], query, UNLIMITED)],
  [/^\/suppressions$/, ({ query }) => list([], query, UNLIMITED)],
];

export async function startProviderB(
  accounts: AccountB[],
  { port = 0, faults = [] }: { port?: number; faults?: Fault[] } = {},
): Promise<ProviderB> {
  const windows = new Map<AccountB, { second: number; used: number }>();
  const server = await startStandIn((request) => answer(accounts, windows, request), { port, faults });
  return { ...server, accounts };
}

function answer(accounts: AccountB[], windows: Windows, request: Request): Answer {
  const { authorization, 'user-agent': userAgent } = request.headers;
  if (!userAgent || /^Python-urllib/i.test(userAgent))
    return { status: 403, headers: { 'content-type': 'text/plain', server: 'cloudflare' }, body: 'error code: 1010\n' };
  if (!authorization?.startsWith('Bearer ')) {
    const missing = refuse(401, 'missing_api_key', 'Missing API Key');
    return { ...missing, headers: { 'www-authenticate': 'realm=""' } };
  }
  const account = accounts.find(({ key }) => authorization === `Bearer ${key}`);
  if (!account || account.keyState === 'invalid') return invalidKey(account?.invalidStatus ?? 400);
  if (account.keyState === 'sending_only')
    return refuse(401, 'restricted_api_key', 'This API key is restricted to only send emails');
  const { headers, allowed } = takeTurn(account, windows);
  if (!allowed) return { ...tooMany(account.ratePerSecond), headers: { ...headers, 'retry-after': '1' } };
  return { ...find(account, request), headers };
}

type Windows = Map<AccountB, { second: number; used: number }>;

function takeTurn(account: AccountB, windows: Windows): { headers: Record<string, string>; allowed: boolean } {
  const second = Math.floor(Date.now() / 1000);
  const window = windows.get(account);
  const used = (window?.second === second ? window.used : 0) + 1;
  windows.set(account, { second, used });
  const limit = account.ratePerSecond;
  const headers = {
    'ratelimit-limit': String(limit),
    'ratelimit-policy': `${limit};w=1`,
    'ratelimit-remaining': String(Math.max(0, limit - used)),
    'ratelimit-reset': '1',
    server: 'cloudflare',
  };
  return { headers, allowed: used <= limit };
}

function tooMany(limit: number): Answer {
  const rest = 'See rate limit response headers for more information. Or contact support to increase rate limit.';
  return refuse(
    429,
    'rate_limit_exceeded',
    `Too many requests. You can only make ${limit} requests per second. ${rest}`,
  );
}

function invalidKey(status: 400 | 401 | 403): Answer {
  return refuse(status, status === 403 ? 'invalid_api_key' : 'validation_error', 'API key is invalid');
}

function find(account: AccountB, { method, path, query }: Request): Answer {
  const route = routes.find(([pattern]) => pattern.test(path));
  const hidden = !account.hasSegments && path.startsWith('/segments');
  if (!route || hidden) return refuse(404, 'not_found', 'The requested endpoint does not exist');
  if (method !== 'GET') return refuse(405, 'method_not_allowed', 'This endpoint does not support this method');
  return route[1]({ account, query, id: route[0].exec(path)?.[1] ?? '' });
}

/** Newest first; the cursor is the last id of the page before and is not in the next one. */
function list(all: Array<{ id: string }>, query: URLSearchParams, limitDefault: number): Answer {
  const text = query.get('limit');
  const limit = text === null ? limitDefault : Number(text);
  if (text !== null && !(Number.isInteger(limit) && limit >= 1 && limit <= 100)) return invalid(LIMIT_TEXT);
  const after = query.get('after');
  const before = query.get('before');
  if (after && before) return invalid('You can only use one of `after` and `before`.');
  const at = all.findIndex(({ id }) => id === (after ?? before));
  if ((after || before) && at === -1) return invalid('The pagination cursor is invalid.');
  const from = after ? at + 1 : before ? Math.max(0, at - limit) : 0;
  const to = before ? at : from + limit;
  const has_more = before ? from > 0 : to < all.length;
  return ok({ object: 'list', has_more, data: all.slice(from, to) });
}

function templateInList({ id, name, status, alias }: AccountB['templates'][number]) {
  const published_at = status === 'published' ? CREATED : null;
  return { id, name, status, published_at, created_at: CREATED, updated_at: CREATED, alias };
}

function readTemplate({ account, id }: Context): Answer {
  const found = account.templates.find((template) => template.id === id || template.alias === id);
  if (!found) return refuse(404, 'not_found', 'Template not found');
  const { subject, html, text } = found;
  const rest = {
    current_version_id: found.id,
    from: null,
    reply_to: null,
    variables: null,
    has_unpublished_versions: false,
  };
  return ok({ object: 'template', ...templateInList(found), subject, html, text, ...rest });
}

function propertyOut({ id, key, type, fallback }: AccountB['properties'][number]) {
  return { id, key, type, ...(fallback === null ? {} : { fallback_value: fallback }), created_at: CREATED };
}

function readProperty({ account, id }: Context): Answer {
  const found = account.properties.find((property) => property.id === id);
  if (!found) return refuse(404, 'not_found', 'Contact property not found');
  return ok({ object: 'contact_property', ...propertyOut(found) });
}

function segmentOut({ id, name }: AccountB['segments'][number]) {
  return { id, name, created_at: CREATED };
}

/** The wire still says audience, whichever of the two paths was asked. */
function readSegment({ account, id }: Context): Answer {
  const found = account.segments.find((segment) => segment.id === id);
  return found ? ok({ object: 'segment', ...segmentOut(found) }) : refuse(404, 'not_found', 'Audience not found');
}

function listMembers({ account, query, id }: Context): Answer {
  if (!account.segments.some((segment) => segment.id === id)) return refuse(404, 'not_found', 'Audience not found');
  const members = account.contacts.filter(({ segmentIds }) => segmentIds.includes(id));
  return list(members.map(contactInList), query, UNLIMITED);
}

function readMember({ account, id }: Context): Answer {
  const [segmentId = '', contactId = ''] = id.split('/contacts/');
  const found = contactOf(account, contactId);
  if (!found?.segmentIds.includes(segmentId)) return refuse(404, 'not_found', 'Contact not found');
  return ok({ object: 'contact', ...contactInList(found), properties: propertiesOut(account, found) });
}

function topicOut({ id, name, description }: AccountB['topics'][number]) {
  const fixed = { default_subscription: 'opt_in', visibility: 'public', created_at: CREATED };
  return { id, name, ...(description === null ? {} : { description }), ...fixed };
}

function readTopic({ account, id }: Context): Answer {
  const found = account.topics.find((topic) => topic.id === id);
  return found ? ok({ object: 'topic', ...topicOut(found) }) : refuse(404, 'not_found', 'Topic not found');
}

/** Rows of a list never say the properties. */
function contactInList({ id, email, firstName, lastName, unsubscribed, createdAt }: ContactB) {
  return { id, created_at: createdAt, email, unsubscribed, first_name: firstName, last_name: lastName };
}

function readContact({ account, id }: Context): Answer {
  const found = contactOf(account, id);
  if (!found) return refuse(404, 'not_found', 'Contact not found');
  return ok({ object: 'contact', ...contactInList(found), properties: propertiesOut(account, found) });
}

function contactOf(account: AccountB, idOrEmail: string): ContactB | undefined {
  return account.contacts.find(({ id, email }) => id === idOrEmail || email === idOrEmail);
}

function propertiesOut(account: AccountB, { properties }: ContactB) {
  const typeOf = (key: string) => account.properties.find((property) => property.key === key)?.type ?? 'string';
  return Object.fromEntries(Object.entries(properties).map(([key, value]) => [key, { type: typeOf(key), value }]));
}

function listSegmentsOfContact({ account, query, id }: Context): Answer {
  const found = contactOf(account, id);
  if (!found) return refuse(404, 'not_found', 'Contact not found');
  return list(
    account.segments.filter((segment) => found.segmentIds.includes(segment.id)).map(segmentOut),
    query,
    UNLIMITED,
  );
}

function ok(body: unknown): Answer {
  return { status: 200, body };
}

function invalid(message: string): Answer {
  return refuse(422, 'validation_error', message);
}

function refuse(statusCode: number, name: string, message: string): Answer {
  return { status: statusCode, body: { statusCode, message, name } };
}
