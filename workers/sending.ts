import { isIP } from 'node:net';
import { availableParallelism } from 'node:os';
import type { Deps, SendingDeps } from '../core/deps.ts';
import { openSending, type Sending } from '../core/sending.ts';
import { createSigner } from '../platform/dkim/signer.ts';
import { createEvidence } from '../platform/evidence.ts';
import { createFiles } from '../platform/files.ts';
import { createMailer } from '../platform/smtp/mailer.ts';
import type { Service } from './lanes.ts';

/** Dots in flight get this long when a process stops. */
const STOP_MS = 7_000;

const opened = new WeakMap<Deps, Sending>();

/** All lanes of a process share one ledger and the connections to the relay. */
export function sendingOf(deps: Deps): Sending {
  const known = opened.get(deps);
  if (known) return known;
  const sending = openSending(sendingDeps(deps));
  opened.set(deps, sending);
  return sending;
}

/** Ends what the lanes share; any number of lanes may name it. */
export function sendingService(deps: Deps): Service {
  return { name: 'sending', ready: Promise.resolve(), stop: () => sendingOf(deps).stop(STOP_MS) };
}

function sendingDeps(deps: Deps): SendingDeps {
  const { config } = deps;
  const mailer = createMailer({
    url: config.smtpUrl,
    transactionalUrl: config.smtpTransactionalUrl,
    connectionsMax: config.smtpMaxConnections,
    clientName: isIP(config.mailHost) ? `[${config.mailHost}]` : config.mailHost,
    timeouts: { dotMs: config.smtpDotTimeoutSeconds * 1_000 },
  });
  return {
    ...deps,
    mailer,
    evidence: createEvidence(config),
    signer: createSigner(Math.max(1, availableParallelism() - 1)),
    files: createFiles(config),
  };
}
