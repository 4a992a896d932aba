import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Context, Next } from 'koa';
import type { Deps } from '../../core/base/deps.ts';
import { networkOf } from '../../core/base/text/networks.ts';

/** Sets the id of a request, the address and the network of its caller, and the headers of answers that set none of their own. */
export function nameRequest(deps: Pick<Deps, 'config' | 'log'>) {
  const addressOf = addressReader(deps);
  return (context: Context, next: Next): Promise<void> => {
    context.state.requestId = requestIdOf(context.req);
    context.res.setHeader('X-Request-Id', context.state.requestId);
    context.state.ip = addressOf(context.req);
    context.state.network = networkOf(context.state.ip);
    // Answers are of one key or session: no cache may keep them, and no browser may take them for a page.
    context.res.setHeader('Cache-Control', 'no-store');
    context.res.setHeader('X-Content-Type-Options', 'nosniff');
    return next();
  };
}

/** The id that the caller chose, when it is valid. */
function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && /^[\w-]{1,64}$/.test(given) ? given : randomUUID();
}

type AddressOf = (incoming: IncomingMessage) => string;

/** The address that the last trusted proxy reports, else the peer of the socket. Warns once when an untrusted proxy adds its header. */
function addressReader({ config: { trustedProxies }, log }: Pick<Deps, 'config' | 'log'>): AddressOf {
  let hasWarned = false;
  return ({ headers, socket }) => {
    const own = socket.remoteAddress ?? '';
    const forwarded = headers['x-forwarded-for'];
    if (trustedProxies > 0)
      return (
        String(forwarded ?? '')
          .split(',')
          .at(-trustedProxies)
          ?.trim() || own
      );
    if (forwarded !== undefined && !hasWarned) {
      hasWarned = true;
      log.warn(
        { from: own },
        'X-Forwarded-For is not trusted, so all callers behind this proxy share the limits of its address; set TRUSTED_PROXIES to the number of proxies in front',
      );
    }
    return own;
  };
}
