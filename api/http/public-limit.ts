import { hash } from 'node:crypto';
import type { Context } from 'koa';
import type { Deps } from '../../core/base/deps.ts';
import { readPreviewToken, readUnsubscribeToken, readViewToken } from '../../core/mail/compose/tokens.ts';
import type { RateLimiter } from '../../platform/redis/rate-limit.ts';
import type { Endpoint } from './endpoint.ts';
import { rateLimited } from './identity/authenticate.ts';
import { requireConsole } from './identity/own-origin.ts';

/** Of calls without a key. */
export function limitPublic(deps: Deps, limiter: RateLimiter, endpoint: Endpoint, context: Context): null {
  if (endpoint.forConsole) requireConsole(deps.config, context);
  const bucket = publicBucket(deps, context);
  const verdict = bucket === null ? null : limiter.hit(bucket, deps.config.publicRateLimit);
  if (verdict && !verdict.allowed) throw rateLimited(verdict);
  return null;
}

/**
 * Each kind of page has buckets of its own, so that a flood of one does not stop the others: image proxies and company networks
 * exhaust the limit of an address with pixels alone, and mail programs do not repeat a one-click unsubscribe that was refused. For
 * the same reason a signed link has a limit of its own, and only invalid tokens count for the address.
 */
function publicBucket({ config }: Deps, { path, params, state }: Context): string | null {
  const kind = path.split('/', 2)[1] ?? '';
  const { token = '' } = params;
  const link = (isOurs: boolean) =>
    isOurs ? `${kind}-link:${hash('sha256', token, 'base64url')}` : `${kind}-guess:${state.network}`;
  switch (kind) {
    case 't':
    case 'media':
    case 'f':
    case 'd':
      return `${kind}:${state.network}`;
    case 'sign-in':
    case 'v1':
      return `public:${state.network}`;
    case 'u':
    case 'p':
      return link(readUnsubscribeToken(config, token) !== null);
    case 'v':
      return link(readViewToken(config, token) !== null);
    case 'previews':
      return readPreviewToken(config, token) ? null : `${kind}-guess:${state.network}`;
    default:
      return null;
  }
}
