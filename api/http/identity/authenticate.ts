import type { IncomingMessage } from 'node:http';
import type { Context } from 'koa';
import type { ObjectId } from 'mongodb';
import { type Authenticate, type Identity, unauthorized } from '../../../core/accounts/api-keys.ts';
import type { ApiKey, Member, MemberSession } from '../../../core/accounts/model.ts';
import { findProject } from '../../../core/accounts/projects.ts';
import { requireRole } from '../../../core/accounts/roles.ts';
import { requireScope } from '../../../core/accounts/scopes.ts';
import { type AuthenticateSession, type SessionIdentity, sessionEnded } from '../../../core/accounts/sessions.ts';
import type { Deps } from '../../../core/base/deps.ts';
import { AppError, invalid, permissionDenied } from '../../../core/base/errors.ts';
import type { Project } from '../../../core/base/model.ts';
import type { RateLimiter, Verdict } from '../../../platform/redis/rate-limit.ts';
import type { Endpoint } from '../endpoint.ts';
import { headerValues } from '../header-values.ts';
import { requireConsole } from './own-origin.ts';
import { sessionTokenOf } from './session-cookie.ts';

interface CallerFacts {
  /** Under this name requests and open streams are counted. */
  name: string;
  /** Whose Idempotency-Keys these are. */
  tenant: ObjectId;
  /** null at endpoints of the organization, and of the session itself. */
  project: Project | null;
}

export interface KeyCaller extends CallerFacts {
  kind: 'key';
  /** As it was sent: streams check it again. */
  key: string;
  apiKey: ApiKey;
}

/** A member of an organization, with a session. */
export interface MemberCaller extends CallerFacts {
  kind: 'member';
  /** As it was sent: streams check it again. */
  token: string;
  session: MemberSession;
  member: Member;
}

/** A person with a session, at endpoints of the session itself: no organization is chosen yet. */
export interface SessionCaller extends CallerFacts, SessionIdentity {
  kind: 'session';
  token: string;
  project: null;
}

export type Caller = KeyCaller | MemberCaller | SessionCaller;

export interface CallerOptions {
  authenticate: Authenticate;
  authenticateSession: AuthenticateSession;
  limiter: RateLimiter;
}

/** Fails with 401, 403 or 429, checked in this order. A key that is sent counts, whatever the cookies are. */
export async function authenticateCaller(
  deps: Deps,
  options: CallerOptions,
  endpoint: Endpoint,
  context: Context,
): Promise<Caller> {
  if (endpoint.ownOrigin) refuseForeignOrigin(deps, context);
  const token = givesKey(context.req) ? null : sessionTokenOf(deps.config, context.req);
  const caller = await (token === null
    ? keyCaller(deps, options, endpoint, context)
    : sessionCaller(deps, options, endpoint, context, token));
  limitCostly(options.limiter, endpoint, caller.project);
  return caller;
}

/** Counts a call of an endpoint that has a limit of its own. */
export function limitCostly(
  limiter: RateLimiter,
  { perMinute, cost }: Pick<Endpoint, 'perMinute' | 'cost'>,
  project: Project | null,
): void {
  if (!perMinute || !project) return;
  const verdict = limiter.hit(`${perMinute.of}:${project._id.toHexString()}`, perMinute.most, cost);
  if (!verdict.allowed) throw rateLimited(verdict);
}

async function keyCaller(
  deps: Deps,
  { authenticate, limiter }: CallerOptions,
  endpoint: Endpoint,
  context: Context,
): Promise<KeyCaller> {
  const { key, identity } = await identify(deps, authenticate, limiter, endpoint, context);
  const { apiKey } = identity;
  const isAdmin = apiKey.projectId === null;
  if (endpoint.key === 'session')
    throw new AppError('forbidden', 'This call needs a session of the console; a key was given.');
  if (endpoint.key === 'admin' && !isAdmin)
    throw new AppError('forbidden', 'This call needs an organization admin key (ASA_...); a project key was given.');
  if (endpoint.key === 'project' && isAdmin)
    throw new AppError('forbidden', 'This call needs a project key (AS_...); an organization admin key was given.');
  requireScope(apiKey, endpoint.operation);
  countRequest(deps, limiter, context, apiKey.shortId);
  const isNamed = isAdmin && endpoint.key !== 'admin';
  const project = isNamed ? await namedProject(deps, apiKey.organizationId, context, 'An admin key') : identity.project;
  const tenant = project?._id ?? apiKey.organizationId;
  return { kind: 'key', name: apiKey.shortId, tenant, project, key, apiKey };
}

/** A session counts as an admin key and as a key of each project, within the role of its member. */
async function sessionCaller(
  deps: Deps,
  { authenticateSession, limiter }: CallerOptions,
  endpoint: Endpoint,
  context: Context,
  token: string,
): Promise<MemberCaller | SessionCaller> {
  requireConsole(deps.config, context);
  const identity = await authenticateSession(token);
  if (!identity) throw refusedCredentials(deps, limiter, context, sessionEnded());
  const { session, memberships } = identity;
  const name = `session:${session._id.toHexString()}`;
  if (endpoint.key === 'session') {
    countRequest(deps, limiter, context, name);
    return { kind: 'session', name, tenant: session._id, project: null, token, session, memberships };
  }
  const member = chosenMember(memberships, context.get('x-organization-id'));
  requireRole(member, endpoint.operation);
  countRequest(deps, limiter, context, name);
  const { organizationId } = member;
  const project = endpoint.key === 'admin' ? null : await namedProject(deps, organizationId, context, 'A session');
  return { kind: 'member', name, tenant: project?._id ?? organizationId, project, token, session, member };
}

/** Unknown organizations and those of other people get the same answer. */
function chosenMember(memberships: Member[], organizationId: string): Member {
  const [first, ...others] = memberships;
  if (organizationId === '' && first && others.length === 0) return first;
  if (organizationId === '')
    throw invalid(
      'You are a member of several organizations; name one in the header x-organization-id.',
      'x-organization-id: is required',
    );
  const member = memberships.find((one) => one.organizationId.toHexString() === organizationId.toLowerCase());
  if (member) return member;
  throw permissionDenied(
    'You are not a member of such an organization.',
    'x-organization-id: names no organization of yours',
  );
}

/** A page whose name was rebound to this server's address still says its own origin. Programs send none. */
function refuseForeignOrigin({ config }: Deps, { req }: Context): void {
  const origins = headerValues(req, 'origin');
  const { origin: own } = new URL(config.publicUrl);
  if (origins.some((origin) => origin !== own))
    throw new AppError('forbidden', `Requests from web pages of other origins are refused; this server is ${own}.`);
}

/** A bad key counts against its address; requests with good keys from that address still succeed. */
async function identify(
  deps: Deps,
  authenticate: Authenticate,
  limiter: RateLimiter,
  endpoint: Endpoint,
  context: Context,
): Promise<{ key: string; identity: Identity }> {
  const key = keyOf(context.req, endpoint.path.startsWith('/inbound'));
  const identity = key === null ? null : await authenticate(key);
  if (key !== null && identity) return { key, identity };
  throw refusedCredentials(deps, limiter, context, unauthorized());
}

function refusedCredentials({ config }: Deps, limiter: RateLimiter, context: Context, refused: AppError): AppError {
  const verdict = limiter.hit(`bad-key:${context.state.network}`, config.authFailureLimit);
  return verdict.allowed ? refused : rateLimited(verdict);
}

function countRequest({ config }: Deps, limiter: RateLimiter, context: Context, name: string): void {
  const verdict = limiter.hit(name, config.rateLimit);
  setLimitHeaders(context, verdict);
  if (!verdict.allowed) throw rateLimited(verdict);
}

function givesKey(incoming: IncomingMessage): boolean {
  return ['authorization', 'x-api-key'].some((name) => headerValues(incoming, name).length > 0);
}

/** A header without a key in it (empty, or another scheme) does not count as a second key; two different keys count as none. */
function keyOf(incoming: IncomingMessage, acceptsHeaderKey: boolean): string | null {
  const authorizations = headerValues(incoming, 'authorization');
  const headerKeys = acceptsHeaderKey ? headerValues(incoming, 'x-api-key') : [];
  if (authorizations.length > 1 || headerKeys.length > 1) return null;
  const given = new Set([...authorizations.map(bearer), ...headerKeys].filter(Boolean));
  return given.size === 1 ? ([...given][0] ?? null) : null;
}

function bearer(header: string): string | null {
  return /^bearer ([\x21-\x7e]{1,200})$/i.exec(header)?.[1] ?? null;
}

async function namedProject(
  deps: Deps,
  organizationId: ObjectId,
  context: Context,
  caller: 'An admin key' | 'A session',
): Promise<Project> {
  const projectId = context.get('x-project-id');
  if (!projectId)
    throw invalid(
      `${caller} needs the header x-project-id: the project that this call is about.`,
      'x-project-id: is required',
    );
  return findProject(deps, organizationId, projectId);
}

function setLimitHeaders(context: Context, { limit, remaining, resetAt }: Verdict): void {
  context.res
    .setHeader('X-RateLimit-Limit', String(limit))
    .setHeader('X-RateLimit-Remaining', String(remaining))
    .setHeader('X-RateLimit-Reset', String(resetAt));
}

export function rateLimited({ resetAt }: Verdict): AppError {
  const retryAfterSeconds = Math.max(1, Math.ceil(resetAt - Date.now() / 1000));
  return new AppError('rate_limited', `Too many requests; try again in ${retryAfterSeconds} seconds.`, {
    code: 'RATE_LIMIT_EXCEEDED',
    retryAfterSeconds,
  });
}
