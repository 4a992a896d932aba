import { execFile, fork } from 'node:child_process';
import { join } from 'node:path';
import type { Environment } from '../support/environment.ts';

const root = join(import.meta.dirname, '../..');

interface Ended {
  code: number;
  output: string;
}

/** The settings of this environment for a process of its own, with other secret keys. */
export function settings({ deps: { config } }: Environment, secretKeys: string): NodeJS.ProcessEnv {
  return {
    ...process.env,
    MONGODB_URL: config.mongodbUrl,
    MONGODB_DATABASE: config.mongodbDatabase,
    REDIS_URL: config.redisUrl,
    TEMPORAL_ADDRESS: config.temporalAddress,
    TEMPORAL_NAMESPACE: config.temporalNamespace,
    TASK_QUEUE_PREFIX: config.taskQueuePrefix,
    SECRET_KEYS: secretKeys,
    PORT: '0',
    WORKER_PORT: '0',
    WORKER_LANES: 'background',
    LOG_LEVEL: 'error',
  };
}

/** `npm run admin -- ...` as a process. */
export function admin(environment: Environment, secretKeys: string, ...words: string[]): Promise<Ended> {
  return new Promise((resolve) => {
    const options = { cwd: root, env: settings(environment, secretKeys) };
    execFile(process.execPath, ['cli/admin.ts', ...words], options, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, output: stdout + stderr }),
    );
  });
}

interface Running {
  /** 'ready', or how the process ended. */
  began: Promise<'ready' | Ended>;
  url(): string;
  ended: Promise<Ended>;
  stop(): Promise<Ended>;
  /** kill -9 */
  kill(): void;
}

export function start(
  environment: Environment,
  script: 'api/main.ts' | 'workers/main.ts',
  secretKeys: string,
  more: NodeJS.ProcessEnv = {},
): Running {
  const env = { ...settings(environment, secretKeys), ...more };
  const child = fork(join(root, script), { env, silent: true });
  let output = '';
  let url = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk));
  const ended = new Promise<Ended>((resolve) => child.once('close', (code) => resolve({ code: code ?? -1, output })));
  const ready = new Promise<'ready'>((resolve) => {
    child.on('message', (message: { ready?: boolean; url?: string }) => {
      url = message.url ?? '';
      if (message.ready) resolve('ready');
    });
  });
  return {
    began: Promise.race([ready, ended]),
    url: () => url,
    ended,
    async stop() {
      child.kill('SIGTERM');
      return ended;
    },
    kill: () => void child.kill('SIGKILL'),
  };
}
