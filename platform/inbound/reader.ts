import { Worker } from 'node:worker_threads';
import type { Log } from '../../core/base/deps.ts';
import { networkOf } from '../../core/base/text/networks.ts';
import type { InboundEnvelope, MailReader, MailVerdicts } from '../../core/inbound/mail.ts';
import type { Config } from '../../schemas/config.ts';
import { INBOUND_LIMITS, type InboundLimits } from './limits.ts';
import { createMailParser, thread } from './parser.ts';

const PARSERS = 2;
const VERIFY_MAX_MS = 3_000;
/** After DNS did not answer in time, mail is accepted without verdicts for this long. */
const VERIFY_PAUSE_MS = 10_000;
const NO_VERDICTS: MailVerdicts = { spf: 'NONE', dkim: 'NONE', dmarc: 'NONE', author: null, isFinal: false };

export function createMailReader(
  config: Pick<Config, 'dnsServers' | 'mailHost'>,
  log: Log,
  { parseMs }: Pick<InboundLimits, 'parseMs'> = INBOUND_LIMITS,
): MailReader {
  const parser = createMailParser(log, { threads: PARSERS, parseMs });
  const verifier = createVerifier(config, log);

  return {
    parse: (bytes, { mailFrom, remoteAddress }) => parser.parse(bytes, { mailFrom, client: networkOf(remoteAddress) }),
    verify: (bytes, envelope) => verifier.run(bytes, envelope),
    async close() {
      await Promise.all([parser.close(), verifier.close()]);
    },
  };
}

function createVerifier({ dnsServers, mailHost }: Pick<Config, 'dnsServers' | 'mailHost'>, log: Log) {
  const asked = new Map<number, (verdicts: MailVerdicts | null) => void>();
  let worker: Worker | null = null;
  let count = 0;
  let pausedUntil = 0;

  function start(): Worker {
    const workerData = { servers: dnsServers, mta: mailHost };
    const made = new Worker(new URL('./verify-worker.ts', import.meta.url), { ...thread, workerData });
    made.unref();
    made.on('message', ({ id, verdicts }: { id: number; verdicts: MailVerdicts | null }) => asked.get(id)?.(verdicts));
    const ended = (why: string) => {
      if (worker !== made) return;
      worker = null;
      log.warn({ why }, 'signature verification failed');
      for (const answer of [...asked.values()]) answer(null);
    };
    made.on('error', (error) => ended(error.message));
    made.on('exit', () => ended('its thread ended'));
    return made;
  }

  return {
    run(bytes: Buffer, envelope: InboundEnvelope): Promise<MailVerdicts> {
      if (performance.now() < pausedUntil) return Promise.resolve(NO_VERDICTS);
      worker ??= start();
      const id = ++count;
      const mine = worker;
      return new Promise((resolve) => {
        const timer = setTimeout(() => {
          pausedUntil = performance.now() + VERIFY_PAUSE_MS;
          end(null);
        }, VERIFY_MAX_MS);
        const end = (verdicts: MailVerdicts | null) => {
          clearTimeout(timer);
          asked.delete(id);
          resolve(verdicts ?? NO_VERDICTS);
        };
        asked.set(id, end);
        mine.postMessage({ id, bytes, envelope });
      });
    },
    async close() {
      const mine = worker;
      worker = null;
      await mine?.terminate();
    },
  };
}
