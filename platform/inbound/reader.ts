import type { Log } from '../../core/base/deps.ts';
import { TooMuch } from '../../core/base/errors.ts';
import { networkOf } from '../../core/base/text/networks.ts';
import type { MailReader, MailVerdicts } from '../../core/inbound/mail.ts';
import type { Config } from '../../schemas/config.ts';
import { createPool } from '../threads/pool.ts';
import { INBOUND_LIMITS, type InboundLimits } from './limits.ts';
import { createMailParser } from './parser.ts';
import type { MailToVerify, VerifySettings } from './verify-worker.ts';

/** After this time mail is accepted without verdicts. */
const VERIFY_MAX_MS = 3_000;
const NO_VERDICTS: MailVerdicts = { spf: 'NONE', dkim: 'NONE', dmarc: 'NONE', author: null, isFinal: false };

export function createMailReader(
  { dnsServers, mailHost }: Pick<Config, 'dnsServers' | 'mailHost'>,
  log: Log,
  { reading, verifying }: Pick<InboundLimits, 'reading' | 'verifying'> = INBOUND_LIMITS,
): MailReader {
  const parser = createMailParser(log, reading);
  const settings: VerifySettings = { servers: dnsServers, mta: mailHost };
  const verifier = createPool<MailToVerify, MailVerdicts | null>('verifyMail', { log, settings, limits: verifying });

  return {
    parse: (bytes, { mailFrom, remoteAddress }) => parser.parse(bytes, { mailFrom, client: networkOf(remoteAddress) }),
    async verify(bytes, envelope) {
      // The first mail would lose its verdicts to the start of the thread.
      await verifier.ready();
      const signal = AbortSignal.timeout(VERIFY_MAX_MS);
      const late = new Promise<null>((resolve) => signal.addEventListener('abort', () => resolve(null)));
      const size = { bytes: bytes.length, client: networkOf(envelope.remoteAddress), signal };
      // A mail that cannot be verified is taken all the same; too many at a time are not.
      const verified = verifier.run({ bytes, envelope }, size).catch((error) => {
        if (error instanceof TooMuch && error.limit === 'waiting') throw error;
        return null;
      });
      return (await Promise.race([verified, late])) ?? NO_VERDICTS;
    },
    async close() {
      await Promise.all([parser.close(), verifier.close()]);
    },
  };
}
