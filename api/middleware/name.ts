import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Context, Next } from 'koa';
import type { Deps } from '../../core/deps.ts';

/** Gives a request its id and its caller's address. */
export function nameRequest({ config }: Pick<Deps, 'config'>) {
  return (context: Context, next: Next): Promise<void> => {
    context.state.requestId = requestIdOf(context.req);
    context.res.setHeader('X-Request-Id', context.state.requestId);
    context.state.ip = callerAddress(config, context.req);
    return next();
  };
}

/** The caller's own name for it, when it is one. */
export function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && /^[\w-]{1,64}$/.test(given) ? given : randomUUID();
}

/** What the last trusted proxy says, or the other end of the socket. */
export function callerAddress({ trustedProxies }: Deps['config'], { headers, socket }: IncomingMessage): string {
  const own = socket.remoteAddress ?? '';
  if (trustedProxies === 0) return own;
  const forwarded = String(headers['x-forwarded-for'] ?? '').split(',');
  return forwarded.at(-trustedProxies)?.trim() || own;
}
