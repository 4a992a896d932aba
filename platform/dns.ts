import { Resolver } from 'node:dns/promises';
import type { Dns } from '../core/base/deps.ts';
import type { Config } from '../schemas/config.ts';

const QUERY_MS = 2_000;
const TRIES = 2;
/** The limit of a whole lookup, however many resolvers there are. */
const ANSWER_MS = 10_000;
const ABSENT = new Set(['ENODATA', 'ENOTFOUND', 'EBADNAME']);

/** Asks the resolvers of DNS_SERVERS, without a cache, so that a record published a moment ago is found. */
export function createDns({ dnsServers }: Pick<Config, 'dnsServers'>): Dns {
  return {
    txt: (name) =>
      ask(dnsServers, async (resolver) => (await resolver.resolveTxt(name)).map((parts) => parts.join(''))),
    mx: (name) => ask(dnsServers, (resolver) => resolver.resolveMx(name)),
  };
}

async function ask<T>(servers: readonly string[], query: (resolver: Resolver) => Promise<T[]>): Promise<T[] | null> {
  const resolver = new Resolver({ timeout: QUERY_MS, tries: TRIES });
  if (servers.length > 0) resolver.setServers(servers);
  const late = setTimeout(() => resolver.cancel(), ANSWER_MS);
  try {
    return await query(resolver);
  } catch (error) {
    return ABSENT.has((error as NodeJS.ErrnoException).code ?? '') ? [] : null;
  } finally {
    clearTimeout(late);
  }
}
