import type { Log } from '../core/base/deps.ts';
import { TooMuch, unavailable } from '../core/base/errors.ts';
import type { RawMails } from '../core/mail/previews/raw-mails.ts';
import { createMailParser } from './inbound/parser.ts';

/** The parser of mail that comes in, for a person who looks at a stored mail. */
export function createRawMails(log: Log): RawMails & { close(): Promise<void> } {
  const parser = createMailParser(log, { threads: 1 });
  return {
    // Bytes of a file may be in memory that threads share, which decoders refuse.
    read: (bytes, client) =>
      parser.parse(Buffer.from(bytes), { mailFrom: '', client }).catch((error) => {
        if (!(error instanceof TooMuch)) throw error;
        if (error.limit === 'waiting') throw unavailable('Too many large mails are being read; try again in a moment.');
        return null;
      }),
    close: () => parser.close(),
  };
}
