import { readFileSync, unwatchFile, watchFile } from 'node:fs';
import type { SMTPServer } from 'smtp-server';
import type { Log } from '../../core/base/deps.ts';
import type { Config } from '../../schemas/config.ts';
import { ConfigError } from '../config.ts';

type Paths = Pick<Config, 'inboundTlsCertificate' | 'inboundTlsKey'>;

const LOOK_EVERY_MS = 60_000;

/** null: without a configured certificate STARTTLS is not offered. */
export function readCertificate({ inboundTlsCertificate, inboundTlsKey }: Paths): { cert: Buffer; key: Buffer } | null {
  if (inboundTlsCertificate === '' && inboundTlsKey === '') return null;
  if (inboundTlsCertificate === '' || inboundTlsKey === '')
    throw new ConfigError('INBOUND_TLS_CERTIFICATE and INBOUND_TLS_KEY belong together: set both, or neither.');
  return {
    cert: readNamed('INBOUND_TLS_CERTIFICATE', inboundTlsCertificate),
    key: readNamed('INBOUND_TLS_KEY', inboundTlsKey),
  };
}

/** Certificates are renewed while servers run: a new one is loaded within a minute, and an invalid one leaves the old one in use. */
export function followCertificate(server: SMTPServer, paths: Paths, log: Log): { stop(): void } {
  const file = paths.inboundTlsCertificate;
  if (file === '') return { stop() {} };
  const renew = () => {
    try {
      server.updateSecureContext({ ...readCertificate(paths) });
      log.info({}, 'inbound TLS certificate reloaded');
    } catch (error) {
      log.error({ err: error }, 'inbound TLS certificate could not be reloaded; the old one stays in use');
    }
  };
  watchFile(file, { interval: LOOK_EVERY_MS, persistent: false }, renew);
  return { stop: () => unwatchFile(file, renew) };
}

function readNamed(name: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new ConfigError(`${name} names a file that cannot be read: ${(error as Error).message}`);
  }
}
