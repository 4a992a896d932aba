import { readFileSync, unwatchFile, watchFile } from 'node:fs';
import type { SMTPServer } from 'smtp-server';
import type { Deps } from '../../core/base/deps.ts';
import { type Config, variableName } from '../../schemas/config.ts';
import { ConfigError } from '../config.ts';

/** The mail servers that have a certificate of their own. */
type Door = 'inbound' | 'submission';

const LOOK_EVERY_MS = 60_000;

/** null: without a configured certificate TLS is not offered. */
export function readCertificate(door: Door, config: Config): { cert: Buffer; key: Buffer } | null {
  const fields = { cert: `${door}TlsCertificate`, key: `${door}TlsKey` } as const;
  const [cert, key] = [config[fields.cert], config[fields.key]];
  const names = { cert: variableName(fields.cert), key: variableName(fields.key) };
  if (cert === '' && key === '') return null;
  if (cert === '' || key === '')
    throw new ConfigError(`${names.cert} and ${names.key} belong together: set both, or neither.`);
  return { cert: readNamed(names.cert, cert), key: readNamed(names.key, key) };
}

/** Certificates are renewed while servers run: a new one is loaded within a minute, and an invalid one leaves the old one in use. */
export function followCertificate(
  door: Door,
  servers: SMTPServer[],
  { config, log }: Pick<Deps, 'config' | 'log'>,
): { stop(): void } {
  const file = config[`${door}TlsCertificate`];
  if (file === '') return { stop() {} };
  const renew = () => {
    try {
      const certificate = readCertificate(door, config);
      for (const server of servers) server.updateSecureContext({ ...certificate });
      log.info({ door }, 'TLS certificate reloaded');
    } catch (error) {
      log.error({ err: error, door }, 'TLS certificate could not be reloaded; the old one stays in use');
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
