import type { Log } from '../../core/base/deps.ts';
import type { ParsedMail } from '../../core/inbound/mail.ts';
import type { Kind } from '../threads/kinds.ts';
import { createPool } from '../threads/pool.ts';
import type { MailToRead } from './parse-worker.ts';

interface MailParser {
  /** null: it cannot be read. Rejects with TooMuch. */
  parse(bytes: Buffer, from: { mailFrom: string; client: string }): Promise<ParsedMail | null>;
  close(): Promise<void>;
}

/** Parses mails in threads: a mail that is over a limit costs its thread, and nothing else. */
export function createMailParser(log: Log, limits: Partial<Kind> = {}): MailParser {
  const pool = createPool<MailToRead, ParsedMail | null>('readMail', { log, limits });
  return {
    parse: (bytes, { mailFrom, client }) => pool.run({ bytes, mailFrom }, { bytes: bytes.length, client }),
    close: () => pool.close(),
  };
}
