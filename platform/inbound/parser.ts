import { Worker } from 'node:worker_threads';
import type { Log } from '../../core/base/deps.ts';
import type { ParsedMail } from '../../core/inbound/mail.ts';
import { INBOUND_LIMITS, type InboundLimits } from './limits.ts';

const MEMORY_MAX_MB = 256;
const NURSERY_MB = 8;

interface MailParser {
  /** null: it cannot be read, or not within limits. */
  parse(bytes: Buffer, from: { mailFrom: string; client: string }): Promise<ParsedMail | null>;
  close(): Promise<void>;
}

/** Parses mails in threads, which are started by the first one. */
export function createMailParser(
  log: Log,
  { threads, parseMs = INBOUND_LIMITS.parseMs }: { threads: number } & Partial<Pick<InboundLimits, 'parseMs'>>,
): MailParser {
  const parsers = Array.from({ length: threads }, () => createParser(log, parseMs));
  const turns = createTurns(parsers);
  return {
    async parse(bytes, { mailFrom, client }) {
      const parser = await turns.acquire(client);
      try {
        return await parser.run(bytes, mailFrom);
      } finally {
        turns.release(parser);
      }
    },
    async close() {
      await Promise.all(parsers.map((parser) => parser.close()));
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
export const thread = {
  resourceLimits: { maxOldGenerationSizeMb: MEMORY_MAX_MB, maxYoungGenerationSizeMb: NURSERY_MB },
};

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
          if (why !== null) log.warn({ why, bytes: bytes.length }, 'a mail could not be parsed');
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
