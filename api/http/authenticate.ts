import type { IncomingMessage } from 'node:http';
import type { Context } from 'koa';
import { type Authenticate, type Identity, unauthorized } from '../../core/accounts/api-keys.ts';
import { findProject } from '../../core/accounts/projects.ts';
import { requireScope } from '../../core/accounts/scopes.ts';
import type { Deps } from '../../core/base/deps.ts';
import { AppError, invalid } from '../../core/base/errors.ts';
import type { Project } from '../../core/base/model.ts';
import type { RateLimiter, Verdict } from '../../platform/rate-limit.ts';
import type { Endpoint } from './endpoint.ts';

export interface Caller {
  /** As it was sent: streams check it again. */
  key: string;
  identity: Identity;
  project: Project | null;
}

/** Fails with 401, 403 or 429, checked in this order. */
export async function authenticateCaller(
  deps: Deps,
  { authenticate, limiter }: { authenticate: Authenticate; limiter: RateLimiter },
  endpoint: Endpoint,
  context: Context,
): Promise<Caller> {
  const { key, identity } = await identify(deps, authenticate, limiter, endpoint, context);
  const { apiKey } = identity;
  const isAdmin = apiKey.projectId === null;
  if (endpoint.ownOrigin) refuseForeignOrigin(deps, context);
  if (endpoint.key === 'admin' && !isAdmin)
    throw new AppError('forbidden', 'This call needs an organization admin key (ASA_...); a project key was given.');
  if (endpoint.key === 'project' && isAdmin)
    throw new AppError('forbidden', 'This call needs a project key (AS_...); an organization admin key was given.');
  requireScope(apiKey, endpoint.operation);
  const verdict = limiter.hit(apiKey.shortId, deps.config.rateLimit);
  setLimitHeaders(context, verdict);
  if (!verdict.allowed) throw rateLimited(verdict);
  if (!isAdmin || endpoint.key === 'admin') return { key, identity, project: identity.project };
  return { key, identity, project: await adminProject(deps, identity, context) };
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
): Promise<Pick<Caller, 'key' | 'identity'>> {
  const key = keyOf(context.req, endpoint.path.startsWith('/inbound'));
  const identity = key === null ? null : await authenticate(key);
  if (key !== null && identity) return { key, identity };
  const verdict = limiter.hit(`bad-key:${context.state.ip}`, deps.config.authFailureLimit);
  if (!verdict.allowed) throw rateLimited(verdict);
  throw unauthorized();
}

/** A header without a key in it (empty, or another scheme) does not count as a second key; two different keys count as none. */
function keyOf(incoming: IncomingMessage, acceptsHeaderKey: boolean): string | null {
  const authorizations = headerValues(incoming, 'authorization');
  const headerKeys = acceptsHeaderKey ? headerValues(incoming, 'x-api-key') : [];
  if (authorizations.length > 1 || headerKeys.length > 1) return null;
  const given = new Set([...authorizations.map(bearer), ...headerKeys].filter(Boolean));
  return given.size === 1 ? ([...given][0] ?? null) : null;
}

/** Node keeps only the first of two Authorization headers; the raw list shows both. */
export function headerValues({ rawHeaders }: IncomingMessage, name: string): string[] {
  const values: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const given = rawHeaders[index] as string;
    if (given.length === name.length && given.toLowerCase() === name) values.push(rawHeaders[index + 1] as string);
  }
  return values;
}

function bearer(header: string): string | null {
  return /^bearer ([\x21-\x7e]{1,200})$/i.exec(header)?.[1] ?? null;
}

async function adminProject(deps: Deps, { apiKey }: Identity, context: Context): Promise<Project> {
  const projectId = context.get('x-project-id');
  if (!projectId)
    throw invalid(
      'An admin key needs the header x-project-id: the project that this call is about.',
      'x-project-id: is required',
    );
  return findProject(deps, apiKey.organizationId, projectId);
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
