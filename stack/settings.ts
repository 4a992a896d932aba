import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ConfigError, readConfig } from '../platform/config.ts';
import { type Config, variableName } from '../schemas/config.ts';
import { type Say, StackError } from './output.ts';
import { anyFreePort, choosePort, isFree } from './ports.ts';

const usualPort = 3000;
const usualPorts = { inboundSmtpPort: 2525, submissionPort: 2587 };

/** With a URL given, the embedded server of that kind is not started. */
export type ServerName = 'mongodb' | 'redis' | 'temporal' | 'mailbox';

const urlVariables: Record<ServerName, string> = {
  mongodb: 'MONGODB_URL',
  redis: 'REDIS_URL',
  temporal: 'TEMPORAL_ADDRESS',
  mailbox: 'SMTP_URL',
};

export function missingKinds(env: NodeJS.ProcessEnv): ServerName[] {
  const kinds = Object.keys(urlVariables) as ServerName[];
  return kinds.filter((kind) => !env[urlVariables[kind]]);
}

export function readSettings(env: NodeJS.ProcessEnv): Config {
  try {
    return readConfig(env);
  } catch (error) {
    throw error instanceof ConfigError ? new StackError(error.message) : error;
  }
}

export function dataDirOf(env: NodeJS.ProcessEnv): string {
  return resolve(readSettings(env).dataDir);
}

/** Only a port that was asked for, and is taken, is an error. */
export async function chooseApiPort(env: NodeJS.ProcessEnv, say: Say): Promise<number> {
  const { port, host } = readSettings(env);
  if (port === 0) return anyFreePort();
  if (await isFree(port, host)) return port;
  if (env.PORT)
    throw new StackError(`Port ${port} is in use; give another one with PORT=..., or leave PORT out for any.`);
  const other = await anyFreePort();
  say(`Port ${usualPort} is in use; the API takes ${other}.`);
  return other;
}

/** `mail` is what comes to it, for people. */
export async function chooseSmtpPort(
  env: NodeJS.ProcessEnv,
  { field, mail }: { field: keyof typeof usualPorts; mail: string },
  say: Say,
): Promise<number> {
  const wanted = env[variableName(field)] ? readSettings(env)[field] : usualPorts[field];
  const port = await choosePort(wanted, 'usual');
  if (port !== wanted) say(`Port ${wanted} is in use; ${mail} mail is taken on ${port}.`);
  return port;
}

/** The key that seals stored secrets is made once and kept in the folder of the data it seals. */
export function secretKeysOf(env: NodeJS.ProcessEnv, dataDir: string): string {
  if (env.SECRET_KEYS) return env.SECRET_KEYS;
  const file = join(dataDir, 'secret-keys');
  if (!existsSync(file)) writeFileSync(file, `k1:${randomBytes(32).toString('base64')}\n`, { mode: 0o600 });
  return readFileSync(file, 'utf8').trim();
}
