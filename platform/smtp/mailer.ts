import type { Mailer } from '../../core/outbox/relay.ts';
import { createDeadlines } from './deadlines.ts';
import { TIMEOUTS, type Timeouts } from './handshake.ts';
import { RelayPool } from './pool.ts';
import { parseRelayUrl } from './relay-url.ts';

export interface MailerOptions {
  url: string;
  /** A second relay for the transactional lane; empty: the same one. */
  transactionalUrl?: string;
  connectionsMax: number;
  clientName: string;
  timeouts?: Partial<Timeouts>;
  idleMs?: number;
  now?: () => number;
  wallClock?: () => Date;
}

const IDLE_MS = 30_000;

/** Sends mail to the relay over pooled SMTP connections, each lane within its share. */
export function createMailer(options: MailerOptions): Mailer {
  const deadlines = createDeadlines(options.now ?? (() => performance.now()));
  const shared = {
    connectionsMax: options.connectionsMax,
    timeouts: { ...TIMEOUTS, ...options.timeouts },
    idleMs: options.idleMs ?? IDLE_MS,
    deadlines,
    wallClock: options.wallClock ?? (() => new Date()),
  };
  const makePool = (name: 'default' | 'transactional', text: string) => {
    const url = parseRelayUrl(text);
    return new RelayPool({ ...shared, name, url, clientName: url.clientName ?? options.clientName });
  };
  const main = makePool('default', options.url);
  const transactional = options.transactionalUrl ? makePool('transactional', options.transactionalUrl) : main;
  const pools = [...new Set([main, transactional])];
  return {
    acquire: (lane) => (lane === 'transactional' ? transactional : main).acquire(lane),
    free: (lane) => (lane === 'transactional' ? transactional : main).free(lane),
    states: () => pools.map((pool) => pool.state()),
    close: async (graceMs) => {
      await Promise.all(pools.map((pool) => pool.close(graceMs)));
    },
  };
}
