import type { Lane, Mailer, RelayState } from '../../core/outbox/relay.ts';
import { createDeadlines } from './deadlines.ts';
import { TIMEOUTS, type Timeouts } from './handshake.ts';
import { RelayPool } from './pool.ts';
import { parseRelayUrls } from './relay-url.ts';

export interface MailerOptions {
  /** One URL, or several, comma separated. */
  url: string;
  /** Other relays for the transactional lane; empty: the same ones. */
  transactionalUrl?: string;
  connectionsMax: number;
  clientName: string;
  timeouts?: Partial<Timeouts>;
  idleMs?: number;
  now?: () => number;
  wallClock?: () => Date;
}

const IDLE_MS = 30_000;

/** Sends mail to relays over pooled SMTP connections, each lane within its share. */
export function createMailer(options: MailerOptions): Mailer {
  const shared = {
    connectionsMax: options.connectionsMax,
    clientName: options.clientName,
    timeouts: { ...TIMEOUTS, ...options.timeouts },
    idleMs: options.idleMs ?? IDLE_MS,
    deadlines: createDeadlines(options.now ?? (() => performance.now())),
    wallClock: options.wallClock ?? (() => new Date()),
  };
  const makePool = (route: RelayState['relay'], text: string) =>
    new RelayPool({ ...shared, route }, parseRelayUrls(text));
  const main = makePool('default', options.url);
  const transactional = options.transactionalUrl ? makePool('transactional', options.transactionalUrl) : main;
  const pools = [...new Set([main, transactional])];
  const poolOf = (lane: Lane) => (lane === 'transactional' ? transactional : main);
  return {
    acquire: (lane) => poolOf(lane).acquire(lane),
    free: (lane) => poolOf(lane).free(lane),
    outage: (lane) => poolOf(lane).outage(),
    states: () => pools.flatMap((pool) => pool.states()),
    close: async (graceMs) => {
      await Promise.all(pools.map((pool) => pool.close(graceMs)));
    },
  };
}
