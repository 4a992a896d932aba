import type { IncomingMessage } from 'node:http';
import type { Config } from '../../../schemas/config.ts';
import { headerValues } from '../header-values.ts';

const TOKEN = /^[\w-]{43}$/;

/** Browsers take the prefix only from https, and then keep the cookie to this very host. */
export function sessionCookieName({ publicUrl }: Pick<Config, 'publicUrl'>): string {
  return publicUrl.startsWith('https:') ? '__Host-everpost' : 'everpost';
}

/** The value of Set-Cookie; without a token the browser forgets the cookie. */
export function sessionCookie(config: Pick<Config, 'publicUrl'>, token: string | null, keptMs: number): string {
  const name = sessionCookieName(config);
  const maxAge = token === null ? 0 : Math.floor(keptMs / 1_000);
  const secure = name.startsWith('__Host-') ? '; Secure' : '';
  return `${name}=${token ?? ''}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${secure}`;
}

/** null: no cookie of a session, or two different ones. */
export function sessionTokenOf(config: Pick<Config, 'publicUrl'>, incoming: IncomingMessage): string | null {
  const name = sessionCookieName(config);
  const given = new Set<string>();
  for (const header of headerValues(incoming, 'cookie'))
    for (const pair of header.split(';')) {
      const equals = pair.indexOf('=');
      if (pair.slice(0, equals).trim() === name) given.add(pair.slice(equals + 1).trim());
    }
  const [token] = given;
  return given.size === 1 && token !== undefined && TOKEN.test(token) ? token : null;
}
