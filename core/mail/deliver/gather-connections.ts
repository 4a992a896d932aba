import { setImmediate, setTimeout } from 'node:timers/promises';
import { AppError } from '../../base/errors.ts';
import type { Acquired, Connection, Lane } from '../ledger/relay.ts';
import type { Sending } from './sending.ts';

const GATHER_WAIT_MS = 2;
const GATHER_WAITS_MAX = 5;
/** The share of all connections that is gathered: one batch is claimed while the one before it is sent. */
const GATHERED_SHARE = 1 / 3;

/**
 * Waits for one connection. Behind a backlog it then waits until more are free, since connections are released in groups, as outcomes are written,
 * and claim and check cost the same for one mail as for all. A turn that has one does not wait for others, since all turns could wait for ever.
 */
export async function firstConnection(
  { deps: { mailer } }: Sending,
  lane: Lane,
  { most, gather }: { most: number; gather: boolean },
): Promise<Connection> {
  const first = await mailer.acquire(lane);
  if (!first.connection) throw new AppError('unavailable', `The relay takes no mail now (${first.fault.reason}).`);
  await setImmediate();
  const enough = Math.min(most - 1, Math.floor(mailer.limit(lane) * GATHERED_SHARE));
  for (let waits = gather ? GATHER_WAITS_MAX : 0; waits > 0 && mailer.free(lane) < enough; waits -= 1)
    await setTimeout(GATHER_WAIT_MS);
  return first.connection;
}

/** Up to `most` connections, as many as are free: a connection that no mail needs is not opened. */
export async function freeConnections({ deps: { mailer } }: Sending, lane: Lane, most: number): Promise<Connection[]> {
  const asked: Promise<Acquired>[] = [];
  while (asked.length < most && mailer.free(lane) > 0) asked.push(mailer.acquire(lane));
  const acquired = await Promise.all(asked);
  return acquired.flatMap(({ connection }) => connection ?? []);
}
