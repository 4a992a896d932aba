import { isIP } from 'node:net';
import { availableParallelism } from 'node:os';
import { type Deps, oncePerCore } from '../core/base/deps.ts';
import type { ShareState } from '../core/base/limits/budgets.ts';
import type { ProcessRelay, ProcessReport } from '../core/figures/live/model.ts';
import { openSending } from '../core/mail/deliver/sending.ts';
import { claimedBy } from '../core/mail/ledger/ledger.ts';
import type { Lane, Mailer, RelayState, SendingDeps } from '../core/mail/ledger/relay.ts';
import { ConfigError } from '../platform/config.ts';
import { createSigner } from '../platform/dkim/signer.ts';
import { createEvidence } from '../platform/evidence.ts';
import type { Metrics } from '../platform/metrics.ts';
import { createMailer } from '../platform/smtp/mailer.ts';
import type { Config } from '../schemas/config.ts';
import type { Service } from './service.ts';

/** How long a stopping process waits for replies to final dots. */
const STOP_MS = 7_000;

/** All roles of a process share one ledger and the connections to the relay. */
export const sendingOf = oncePerCore((deps: Deps) => openSending(sendingDeps(deps)));

/** Ends the shared ledger and connections; any number of roles may name it. */
export function sendingService(deps: Deps): Service {
  return { name: 'sending', ready: Promise.resolve(), stop: () => sendingOf(deps).stop(STOP_MS) };
}

/** Metrics of sending, for /metrics. */
export function measureSending({ counter, gauge, gauges }: Metrics, deps: Deps): void {
  const {
    deps: { mailer },
    outcomes,
    ledger,
    watchers,
  } = sendingOf(deps);
  const ended = counter('everpost_mail_outcomes_total', 'Attempts that ended, by how.', ['outcome']);
  const taken = counter('everpost_relay_mails_total', 'Mails that a relay took, where there are several.', ['relay']);
  watchers.add((group) => {
    for (const { outcome } of group) {
      ended.inc({ outcome: outcome.kind });
      if (outcome.kind === 'sent' && outcome.reply.relay) taken.inc({ relay: outcome.reply.relay });
    }
  });
  const sum = (read: (state: RelayState) => number) => () =>
    mailer.states().reduce((total, state) => total + read(state), 0);
  gauge(
    'everpost_relays_down',
    'Relays that take no mail now.',
    sum(({ state }) => (state === 'closed' ? 0 : 1)),
  );
  gauge(
    'everpost_relay_connections',
    'Connections to relays.',
    sum(({ connectionsOpen }) => connectionsOpen),
  );
  gauges('everpost_relay_down', '1: this relay takes no mail now.', ['route', 'relay'], () =>
    mailer.states().map(({ relay: route, host, state }) => ({
      labels: { route, relay: host },
      value: state === 'closed' ? 0 : 1,
    })),
  );
  gauge('everpost_messages_held', 'Messages that this process has claimed.', () => claimedBy(ledger));
  gauge('everpost_outcomes_unwritten', 'Outcomes that are not stored yet.', () => outcomes.unwritten());
}

/** Shares of this process of the budgets of the installation, for /metrics. */
export function measureBudgets({ gauges }: Metrics, { budgets, paces }: Pick<Deps, 'budgets' | 'paces'>): void {
  const of = (read: (state: ShareState) => number) => () =>
    [...budgets.states(), ...paces.totals()].map((state) => ({ labels: { budget: state.name }, value: read(state) }));
  const measure = (name: string, help: string, read: (state: ShareState) => number) =>
    gauges(name, help, ['budget'], of(read));
  measure('everpost_budget', 'A budget of the whole installation.', ({ budget }) => budget);
  measure('everpost_budget_share', 'The part of it that this process may use.', ({ share }) => share);
  measure('everpost_budget_in_use', 'The part of it that this process uses.', ({ inUse }) => inUse);
  measure('everpost_budget_wanted', 'The part of it that this process could use.', ({ wanted }) => wanted);
  measure('everpost_budget_divided', '1: an equal part, since Redis is down.', ({ mode }) =>
    Number(mode === 'divided'),
  );
}

/** The same figures, for the report of this process. */
export function sendingFacts(deps: Deps): Pick<ProcessReport, 'held' | 'unwritten' | 'relays'> {
  const { outcomes, ledger, deps: sending } = sendingOf(deps);
  return {
    held: claimedBy(ledger),
    unwritten: outcomes.unwritten(),
    relays: sending.mailer.states().map(relayFacts),
  };
}

function relayFacts({ state, notAnsweringSince, fault, ...facts }: RelayState): ProcessRelay {
  const { relay, host, priority, weight, connectionsOpen, connectionsMax, delivered } = facts;
  const reason = fault && (fault.reply.text || fault.reason);
  const down = state === 'closed' ? { notAnsweringSince: null, reason: null } : { notAnsweringSince, reason };
  const ranked = { relay, host, priority, weight };
  return { ...ranked, isAnswering: state === 'closed', ...down, connectionsOpen, connectionsMax, delivered };
}

function sendingDeps(deps: Deps): SendingDeps<Deps> {
  const { config } = deps;
  return {
    ...deps,
    mailer: openMailer(deps),
    evidence: createEvidence(config),
    signer: createSigner(Math.max(1, availableParallelism() - 1)),
  };
}

function openMailer({ config, budgets }: Pick<Deps, 'config' | 'budgets'>): Mailer {
  try {
    return createMailer({
      url: config.smtpUrl,
      transactionalUrl: config.smtpTransactionalUrl,
      connectionsMax: config.smtpMaxConnections,
      budgets,
      lanes: lanesOf(config),
      clientName: isIP(config.mailHost) ? `[${config.mailHost}]` : config.mailHost,
      timeouts: { dotMs: config.smtpDotTimeoutSeconds * 1_000 },
    });
  } catch (error) {
    throw new ConfigError(`SMTP_URL or SMTP_TRANSACTIONAL_URL cannot be used: ${(error as Error).message}`);
  }
}

/** The lanes of mail that a process with these roles sends. */
function lanesOf({ workerLanes }: Config): Lane[] {
  const ofMail: Lane[] = workerLanes.includes('mail') ? ['transactional', 'automation'] : [];
  return workerLanes.includes('campaign') ? [...ofMail, 'campaign'] : ofMail;
}
