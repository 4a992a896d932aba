import { Worker } from 'node:worker_threads';
import type { Log } from '../../core/base/deps.ts';
import type { InboundEnvelope, MailReader, MailVerdicts, ParsedMail } from '../../core/inbound/mail.ts';
import type { Config } from '../../schemas/config.ts';
import { INBOUND_LIMITS, type InboundLimits, networkOf } from './limits.ts';

const PARSERS = 2;
const VERIFY_MAX_MS = 3_000;
/** After DNS did not answer in time, mail is accepted without verdicts for this long. */
const VERIFY_PAUSE_MS = 10_000;
const MEMORY_MAX_MB = 256;
const NURSERY_MB = 8;
const NO_VERDICTS: MailVerdicts = { spf: 'NONE', dkim: 'NONE', dmarc: 'NONE', author: null, isFinal: false };

export function createMailReader(
  config: Pick<Config, 'dnsServers' | 'mailHost'>,
  log: Log,
  { parseMs }: Pick<InboundLimits, 'parseMs'> = INBOUND_LIMITS,
): MailReader {
  const parsers = Array.from({ length: PARSERS }, () => createParser(log, parseMs));
  const verifier = createVerifier(config, log);
  const turns = createTurns(parsers);

  return {
    async parse(bytes, { mailFrom, remoteAddress }) {
      const parser = await turns.acquire(networkOf(remoteAddress));
      try {
        return await parser.run(bytes, mailFrom);
      } finally {
        turns.release(parser);
      }
    },
    verify: (bytes, envelope) => verifier.run(bytes, envelope),
    async close() {
      await Promise.all([...parsers.map((parser) => parser.close()), verifier.close()]);
    },
  };
}

/** Clients take turns: a client that sends many slow mails delays its own, and those of another by one mail. */
function createTurns<T>(free: readonly T[]) {
  const idle = [...free];
  const waiting = new Map<string, Array<(one: T) => void>>();

  return {
    acquire(client: string): Promise<T> {
      const one = idle.pop();
      if (one) return Promise.resolve(one);
      return new Promise((resolve) => {
        const own = waiting.get(client);
        if (own) own.push(resolve);
        else waiting.set(client, [resolve]);
      });
    },
    release(one: T): void {
      const [next] = waiting;
      if (!next) {
        idle.push(one);
        return;
      }
      const [client, queue] = next;
      // To the end of the line, if it has more.
      waiting.delete(client);
      queue.shift()?.(one);
      if (queue.length > 0) waiting.set(client, queue);
    },
  };
}

/** A small nursery: with the 64 MB that a thread may have, each thread would grow by that much before anything is collected. */
const thread = { resourceLimits: { maxOldGenerationSizeMb: MEMORY_MAX_MB, maxYoungGenerationSizeMb: NURSERY_MB } };

/** One mail at a time; a mail that exceeds time or memory costs its thread, and nothing else. */
function createParser(log: Log, parseMs: number) {
  let worker: Worker | null = null;
  let current: ((parsed: ParsedMail | null, why: string | null) => void) | null = null;

  function start(): Worker {
    const made = new Worker(new URL('./parse-worker.ts', import.meta.url), thread);
    const ended = (why: string) => {
      if (worker !== made) return;
      worker = null;
      current?.(null, why);
    };
    made.on('message', ({ parsed }: { parsed: ParsedMail | null }) => {
      if (worker === made) current?.(parsed, null);
    });
    made.on('error', (error) => ended(error.message));
    made.on('exit', () => ended('its thread ended'));
    made.unref();
    return made;
  }

  return {
    run(bytes: Buffer, mailFrom: string): Promise<ParsedMail | null> {
      worker ??= start();
      const mine = worker;
      return new Promise((resolve) => {
        const timer = setTimeout(() => {
          if (worker === mine) worker = null;
          void mine.terminate();
          current?.(null, 'it took too long');
        }, parseMs);
        current = (parsed, why) => {
          current = null;
          clearTimeout(timer);
          if (why !== null) log.warn({ why, bytes: bytes.length }, 'inbound mail could not be parsed');
          resolve(parsed);
        };
        mine.postMessage({ bytes, mailFrom });
      });
    },
    async close() {
      const mine = worker;
      worker = null;
      await mine?.terminate();
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
