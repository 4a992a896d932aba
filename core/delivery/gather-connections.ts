import { setImmediate, setTimeout } from 'node:timers/promises';
import { AppError } from '../base/errors.ts';
import type { Acquired, Connection, Lane } from '../outbox/relay.ts';
import type { Sending } from './sending.ts';

const GATHER_WAIT_MS = 2;
const GATHER_WAITS_MAX = 5;
/** The share of all connections that is gathered: one batch is claimed while the one before it is sent. */
const GATHERED_SHARE = 1 / 3;

/**
 * Waits for one connection, and then takes those that are free: connections are released in groups, as outcomes are written. A
 * turn that has some does not wait for more, since all turns could wait for ever. Behind a backlog a few milliseconds are well
 * spent, as claim and check cost the same for one mail as for all.
 */
export async function gatherConnections(
  { deps: { mailer } }: Sending,
  lane: Lane,
  { most, gather }: { most: number; gather: boolean },
): Promise<Connection[]> {
  const first = await mailer.acquire(lane);
  if (!first.connection) throw new AppError('unavailable', `The relay takes no mail now (${first.fault.reason}).`);
  await setImmediate();
  const enough = Math.min(most - 1, Math.floor(mailer.limit(lane) * GATHERED_SHARE));
  for (let waits = gather ? GATHER_WAITS_MAX : 0; waits > 0 && mailer.free(lane) < enough; waits -= 1)
    await setTimeout(GATHER_WAIT_MS);
  const asked: Promise<Acquired>[] = [];
  while (asked.length + 1 < most && mailer.free(lane) > 0) asked.push(mailer.acquire(lane));
  const others = await Promise.all(asked);
  return [first.connection, ...others.flatMap(({ connection }) => connection ?? [])];
}
