import { type Budgets, ownBudgets } from '../../core/base/limits/budgets.ts';
import type { Lane, Mailer, RelayState } from '../../core/mail/ledger/relay.ts';
import { LANES } from '../../core/mail/ledger/rules/lane-shares.ts';
import { createDeadlines } from './deadlines.ts';
import { TIMEOUTS, type Timeouts } from './handshake.ts';
import { RelayPool } from './pool/pool.ts';
import { parseRelayUrls } from './relay-url.ts';

export interface MailerOptions {
  /** One URL, or several, comma separated. */
  url: string;
  /** Other relays for the transactional lane; empty: the same ones. */
  transactionalUrl?: string;
  /** To the relays of a route, of the whole installation. */
  connectionsMax: number;
  /** Where this process gets its share of them; left out: it has them alone. */
  budgets?: Budgets;
  /** The lanes whose mail this process sends; all when left out. */
  lanes?: readonly Lane[];
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
    budgets: options.budgets ?? ownBudgets,
    clientName: options.clientName,
    timeouts: { ...TIMEOUTS, ...options.timeouts },
    idleMs: options.idleMs ?? IDLE_MS,
    deadlines: createDeadlines(options.now ?? (() => performance.now())),
    wallClock: options.wallClock ?? (() => new Date()),
  };
  const { transactionalUrl, lanes = LANES } = options;
  const hasOwnRoute = (lane: Lane) => transactionalUrl !== undefined && transactionalUrl !== '' && isFirst(lane);
  const makePool = (route: RelayState['relay'], text: string) => {
    const served = lanes.filter((lane) => hasOwnRoute(lane) === (route === 'transactional'));
    return new RelayPool({ ...shared, route, served }, parseRelayUrls(text));
  };
  const main = makePool('default', options.url);
  const transactional = transactionalUrl ? makePool('transactional', transactionalUrl) : main;
  const pools = [...new Set([main, transactional])];
  const poolOf = (lane: Lane) => (isFirst(lane) ? transactional : main);
  return {
    acquire: (lane) => poolOf(lane).acquire(lane),
    limit: (lane) => poolOf(lane).limit,
    free: (lane) => poolOf(lane).free(lane),
    outage: (lane) => poolOf(lane).outage(),
    states: () => pools.flatMap((pool) => pool.states()),
    close: async (graceMs) => {
      await Promise.all(pools.map((pool) => pool.close(graceMs)));
    },
  };
}

function isFirst(lane: Lane): boolean {
  return lane === 'transactional';
}
