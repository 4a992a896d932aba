import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Deps } from '../core/base/deps.ts';
import { noteClick } from '../core/feedback/clicks.ts';
import { noteOpen } from '../core/feedback/opens.ts';
import type { RateLimiter } from '../platform/rate-limit.ts';
import { type AddressOf, requestIdOf } from './http/name.ts';
import { noteAnswer, type Observe } from './http/observe.ts';
import { linkNotFound } from './pages/not-found.ts';
import { pixelPage, redirectPage, visitorOf } from './routes/tracking.ts';

const TRACKED = /^\/t\/(?:o\/([\w-]+)\.gif|c\/([\w-]+))(?:\?|$)/;

/**
 * Answers pixels and links before the middleware of other requests: thousands arrive in the minutes after a campaign, the token alone
 * decides, and the middleware costs more than the answer. Returns false for everything else, including rate-limited addresses and other
 * methods: those go through the table, where these endpoints are described.
 */
export function trackingFastPath(
  deps: Deps,
  { limiter, observe, addressOf }: { limiter: RateLimiter; observe: Observe; addressOf: AddressOf },
) {
  return (incoming: IncomingMessage, response: ServerResponse): boolean => {
    const begun = performance.now();
    const [, open, click = ''] = TRACKED.exec(incoming.url ?? '') ?? [];
    const { method = '' } = incoming;
    if ((!open && !click) || (method !== 'GET' && method !== 'HEAD')) return false;
    const { config } = deps;
    if (!limiter.hit(`public:${addressOf(incoming)}`, config.publicRateLimit).allowed) return false;
    const header = (name: string) => String(incoming.headers[name] ?? '');
    const visitor = visitorOf(deps, { header, incoming });
    if (open) noteOpen(deps, open, visitor);
    const target = open ? null : noteClick(deps, click, visitor);
    const { status, headers, content } = open ? pixelPage : target === null ? linkNotFound() : redirectPage(target);
    const requestId = requestIdOf(incoming);
    const body = content ?? '';
    response.writeHead(status, { 'X-Request-Id': requestId, ...headers, 'Content-Length': Buffer.byteLength(body) });
    response.end(method === 'HEAD' ? undefined : body);
    const route = open ? '/t/o/{token}.gif' : '/t/c/{token}';
    noteAnswer(deps, observe, { requestId, method, route, status }, begun);
    return true;
  };
}
