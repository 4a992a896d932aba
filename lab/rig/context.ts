import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ObjectId } from 'mongodb';
import { createOrganization } from '../../core/accounts/organizations.ts';
import type { Deps, Log } from '../../core/base/deps.ts';
import type { Project } from '../../core/base/model.ts';
import { readConfig } from '../../platform/config.ts';
import { openPlatform } from '../../platform/connect.ts';
import { makeIndexes } from '../../platform/mongo/indexes.ts';
import { heapFlags, workerFlags } from '../../stack/apps.ts';
import { anyFreePort } from '../../stack/ports.ts';
import type { Child } from '../../stack/processes/child.ts';
import { startForked } from '../../stack/processes/forked.ts';
import { createWorkflows } from '../../workflows/client.ts';
import { type SinkClient, type Stoppable, startSink } from './sink.ts';
import { createTenant } from './tenant.ts';
import { until } from './waiting.ts';

const root = join(import.meta.dirname, '../..');
const FAULTS_TOLD_MAX = 5;
export const SENDER = 'drill@mail.example.com';

/** An installation of our own on servers that run: a database, a project with a verified domain, a sink as the relay, processes to kill. */
export interface DrillContext {
  deps: Deps;
  project: Project;
  key: string;
  /** Its mails come from this address. */
  sender: string;
  sink: SinkClient;
  /** Ready when it resolves. */
  startWorker(env?: Record<string, string>): Promise<Child>;
  /** On the same port every time. */
  startApi(env?: Record<string, string>): Promise<RunningApi>;
  /** Starts a further API process; those that run are kept. */
  startAnotherApi(env?: Record<string, string>): Promise<RunningApi>;
  close(): Promise<void>;
}

/** Of something that a drill makes through the core, as a request has it. */
export function origin(): { at: Date; seed: ObjectId } {
  return { at: new Date(), seed: new ObjectId() };
}

interface RunningApi {
  child: Child;
  url: string;
}

const silent: Log = { debug() {}, info() {}, warn() {}, error: (fields, message) => console.error(message, fields) };

interface DrillOptions {
  ackMs?: number;
  relay?: (() => Promise<SinkClient & Stoppable>) | undefined;
}

/** Opens an installation for some work, and closes it however that ends. */
export async function withDrill<T>(
  env: NodeJS.ProcessEnv,
  options: DrillOptions,
  work: (context: DrillContext) => Promise<T>,
): Promise<T> {
  const context = await openDrill(env, options);
  try {
    return await work(context);
  } finally {
    await context.close();
  }
}

/** `env` names the servers: MONGODB_URL, REDIS_URL, TEMPORAL_ADDRESS. */
export async function openDrill(
  env: NodeJS.ProcessEnv,
  { ackMs = 20, relay = () => startSink(ackMs) }: DrillOptions = {},
): Promise<DrillContext> {
  const folder = mkdtempSync(join(tmpdir(), 'everpost-drill-'));
  const name = `drill_${new ObjectId().toHexString()}`;
  const children: Child[] = [];
  const sink = await relay();
  const port = await anyFreePort();
  const settings: NodeJS.ProcessEnv = {
    ...env,
    SECRET_KEYS: `drill:${Buffer.alloc(32, 9).toString('base64')}`,
    MONGODB_DATABASE: name,
    TASK_QUEUE_PREFIX: name,
    PORT: String(port),
    SMTP_URL: sink.smtpUrl,
    DATA_DIR: folder,
    LOG_LEVEL: 'warn',
    WORKER_PORT: '0',
  };
  const config = readConfig(settings);
  const { parts, temporal, close } = openPlatform(config, silent);
  const deps: Deps = { ...parts, workflows: createWorkflows(config, temporal) };
  // On a busy machine the first connection may take longer than a driver waits.
  await until('the database answers', () => makeIndexes(deps.db).then(() => true));
  const { organization } = await createOrganization(deps, { name: 'Drill' });
  const owner = { organizationId: organization._id, name: 'Drill', domain: 'mail.example.com' };
  const { project, key } = await createTenant(deps, owner);

  let number = 0;
  const start = async (script: string, flags: readonly string[], more: Record<string, string>) => {
    number += 1;
    const logFile = join(folder, `${number}.log`);
    const { child } = await startForked({ script: join(root, script), flags, logFile, env: { ...settings, ...more } });
    children.push(child);
    return child;
  };
  const startApi = async (at: number, more: Record<string, string> = {}) => ({
    child: await start('api/main.ts', heapFlags.api, { ...more, PORT: String(at) }),
    url: `http://127.0.0.1:${at}/v1`,
  });
  return {
    deps,
    project,
    key,
    sender: SENDER,
    sink,
    startWorker: (more = {}) =>
      start('workers/main.ts', workerFlags(more.WORKER_LANES), { WORKER_LANES: 'mail', ...more }),
    startApi: (more) => startApi(port, more),
    startAnotherApi: async (more) => startApi(await anyFreePort(), more),
    async close() {
      for (const child of children) child.kill('SIGKILL');
      sink.stop();
      await deps.mongo
        .db(name)
        .dropDatabase()
        .catch(() => {});
      await close();
      tellFaults(folder);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A request that was answered 500 is a fault of ours in any drill: what the log of its process says must not go with the folder. */
function tellFaults(folder: string): void {
  const logs = readdirSync(folder).filter((name) => name.endsWith('.log'));
  const lines = logs.flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n'));
  for (const line of lines.filter((one) => one.includes('"msg":"request failed"')).slice(0, FAULTS_TOLD_MAX))
    console.error(line);
}
