import type { IncomingMessage } from 'node:http';
import type { Context } from 'koa';
import { AppError } from '../../../core/base/errors.ts';
import { isLoopbackAddress, isLoopbackName } from '../../../core/base/text/networks.ts';
import type { Config } from '../../../schemas/config.ts';
import { headerValues } from '../header-values.ts';

type Own = Pick<Config, 'publicUrl'>;

/** With it a page of another origin would need our leave, which no answer gives (CORS). */
const CONSOLE_HEADER = 'x-everpost-console';

/** The origin that pages of this installation have. On loopback the browser may call it by another name than PUBLIC_URL does. */
export function ownOrigin({ publicUrl }: Own, { headers: { host = '' } }: IncomingMessage): string {
  const { protocol, hostname, origin } = new URL(publicUrl);
  return isLoopbackName(hostname) && isLoopbackName(withoutPort(host)) ? `${protocol}//${host}` : origin;
}

/**
 * For calls that a cookie signs. Browsers say no Origin with a GET of the same origin, so there it may be missing: the header says
 * enough, and Sec-Fetch-Site where it is sent.
 */
export function requireConsole(config: Own, context: Context): void {
  const { req, method } = context;
  const isRead = method === 'GET' || method === 'HEAD';
  const [header, ...more] = headerValues(req, CONSOLE_HEADER);
  if (header !== '1' || more.length > 0)
    throw forbidden('Calls of the console carry the header X-Everpost-Console: 1.');
  if (!isFromOwnPage(config, req, { mayLackOrigin: isRead }))
    throw forbidden(`Only pages of ${ownOrigin(config, req)} may make this call; open the console there.`);
}

/** For forms of our own pages, which can add no header. */
export function isFromOwnPage(config: Own, incoming: IncomingMessage, { mayLackOrigin = false } = {}): boolean {
  const own = ownOrigin(config, incoming);
  const origins = headerValues(incoming, 'origin');
  const sites = headerValues(incoming, 'sec-fetch-site');
  const isSaid = origins.length === 1 || (mayLackOrigin && origins.length === 0);
  return isSaid && origins.every((origin) => origin === own) && sites.every((site) => site === 'same-origin');
}

/** The caller is on this machine, calls it by a name that means this machine, and no proxy speaks for another. */
export function isLocal({ headers, socket }: IncomingMessage): boolean {
  const { host = '', forwarded, 'x-forwarded-for': forwardedFor } = headers;
  const isDirect = forwarded === undefined && forwardedFor === undefined;
  return isDirect && isLoopbackAddress(socket.remoteAddress ?? '') && isLoopbackName(withoutPort(host));
}

function withoutPort(host: string): string {
  return host.replace(/:\d{1,5}$/, '');
}

function forbidden(message: string): AppError {
  return new AppError('forbidden', message);
}
