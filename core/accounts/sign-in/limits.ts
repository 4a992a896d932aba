import { countRequest, tooManyRequests } from '../../base/limits/request-counts.ts';
import { networkOf } from '../../base/text/networks.ts';
import { HOUR_MS } from '../../base/time/durations.ts';
import type { AccountsDeps } from '../deps.ts';

const LINKS_PER_ADDRESS = 5;
const LINKS_PER_CLIENT = 20;

/** 429 over a limit, for known and unknown addresses alike. A request over the limit of its client does not count for the address. */
export async function countLinkRequest(
  deps: AccountsDeps,
  { email, ip }: { email: string; ip: string },
): Promise<void> {
  await count(deps, `client ${networkOf(ip)}`, LINKS_PER_CLIENT);
  await count(deps, `address ${email}`, LINKS_PER_ADDRESS);
}

async function count(deps: AccountsDeps, who: string, most: number): Promise<void> {
  const freeAt = await countRequest(deps, { purpose: 'sign-in link', who, limits: [{ most, withinMs: HOUR_MS }] });
  if (freeAt) throw tooManyRequests('Too many links were asked for', freeAt, deps.clock.now());
}
