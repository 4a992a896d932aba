import type { AddressInfo } from 'node:net';
import { ObjectId } from 'mongodb';
import { type App, type AppOptions, createApp } from '../../api/app.ts';
import { openConsole } from '../../api/console/files.ts';
import { endpointTable } from '../../api/http/table.ts';
import { createApiKey } from '../../core/accounts/api-keys.ts';
import type { Organization } from '../../core/accounts/model.ts';
import { createOrganization } from '../../core/accounts/organizations.ts';
import { createProject } from '../../core/accounts/projects.ts';
import type { Deps, Log } from '../../core/base/deps.ts';
import type { Project } from '../../core/base/model.ts';
import { drainSignals } from '../../core/mail/feedback/buffer.ts';
import { readConfig } from '../../platform/config.ts';
import { openPlatform } from '../../platform/connect.ts';
import { createMetrics } from '../../platform/metrics.ts';
import { createRateLimiter } from '../../platform/redis/rate-limit.ts';
import { createStreamSlots } from '../../platform/redis/stream-slots.ts';
import { anyFreePort } from '../../stack/ports.ts';
import { createWorkflows } from '../../workflows/client.ts';
import { type Client, createClient } from './client.ts';
import { leaveDatabase, prepareDatabase, takeDatabase } from './databases.ts';
import { eventFaults } from './event-faults.ts';
import { until } from './wait.ts';

export interface Tenant {
  organization: Organization;
  project: Project;
  adminKey: string;
  projectKey: string;
  /** Speaks with the project key. */
  client: Client;
}

export interface Environment {
  deps: Deps;
  url: string;
  /** Two projects of two organizations: `own` is the caller, `other` the neighbour who must never be seen. */
  own: Tenant;
  other: Tenant;
  clock: TestClock;
  newTenant(name: string): Promise<Tenant>;
  client(key: string | null, headers?: Record<string, string>): Client;
  app: App;
  stop(): Promise<void>;
}

/** Starts as the real time and is moved by hand. */
interface TestClock {
  now(): Date;
  advance(ms: number): void;
  set(at: Date): void;
}

const silent: Log = { debug() {}, info() {}, warn() {}, error: (fields, message) => console.error(message, fields) };

/** The API in this process, on the real servers, with a database that nothing else uses, until `stop`. */
export async function startEnvironment(
  env: Record<string, string> = {},
  { consoleDir, ...more }: Pick<AppOptions, 'stalledMs' | 'checkAnswers' | 'jsonPool'> & { consoleDir?: string } = {},
): Promise<Environment> {
  const given = env.MONGODB_DATABASE;
  const name = given ?? takeDatabase();
  const secretKeys = `test:${Buffer.alloc(32, 7).toString('base64')}`;
  const config = readConfig({
    SECRET_KEYS: secretKeys,
    MONGODB_DATABASE: name,
    TASK_QUEUE_PREFIX: `test_${new ObjectId().toHexString()}`,
    // Known before the server listens, because PUBLIC_URL is made of it.
    PORT: String(await anyFreePort()),
    ...process.env,
    ...env,
  });
  const { parts, redis, temporal, close } = openPlatform(config, silent);
  const clock = testClock();
  const deps: Deps = { ...parts, clock, workflows: createWorkflows(config, temporal) };
  const { mongo } = deps;
  if (!given) await until(() => isPrepared(deps), Boolean);
  // Counts of the environment before are of the same address.
  const limiter = createRateLimiter(redis, config.taskQueuePrefix);
  const slots = createStreamSlots(redis, config.mongodbDatabase);
  const metrics = createMetrics();
  const app = createApp(deps, endpointTable(metrics), {
    limiter,
    slots,
    observe: metrics.observeRequest,
    checkAnswers: true,
    ...(consoleDir ? { console: openConsole({ ...deps, config: { ...config, dataDir: consoleDir } }) } : {}),
    ...more,
  });
  const url = await listen(app, config.port);
  const client = (key: string | null, headers?: Record<string, string>) => createClient(url, key, headers);
  const newTenant = (tenantName: string) => makeTenant(deps, client, tenantName);
  return {
    app,
    deps,
    url,
    own: await newTenant('Own'),
    other: await newTenant('Other'),
    clock,
    newTenant,
    client,
    async stop() {
      await app.stop();
      await drainSignals(deps, 1_000);
      limiter.stop();
      slots.stop();
      // While MongoDB is down there is nothing to check.
      const faults = await eventFaults(deps).catch(() => []);
      if (!given) await leaveDatabase(mongo, name).catch(() => {});
      await close();
      if (faults.length > 0) throw new Error(`Events break their schemas: ${faults.join('; ')}`);
    },
  };
}

/** For a whole suite: started before its tests, and before hooks that come after this call; stopped after them. */
export function useEnvironment(...given: Parameters<typeof startEnvironment>): Environment {
  const environment = {} as Environment;
  before(async () => {
    Object.assign(environment, await startEnvironment(...given));
  });
  after(() => environment.stop());
  return environment;
}

/** On a busy machine the first connections may take longer than a call waits for one. */
function isPrepared(deps: Deps): Promise<boolean> {
  return prepareDatabase(deps).then(
    () => true,
    (error: Error) => {
      if (error.name !== 'MongoWaitQueueTimeoutError') throw error;
      return false;
    },
  );
}

async function makeTenant(deps: Deps, client: Environment['client'], name: string): Promise<Tenant> {
  const { organization, adminKey } = await createOrganization(deps, { name: `${name} organization` });
  const project = await createProject(deps, organization._id, { name: `${name} project` });
  const { key } = await createApiKey(deps, { organizationId: organization._id, projectId: project._id, name: 'test' });
  return { organization, project, adminKey, projectKey: key, client: client(key) };
}

function listen(app: App, port: number): Promise<string> {
  return new Promise((resolve) => {
    app.server.listen(port, '127.0.0.1', () => {
      resolve(`http://127.0.0.1:${(app.server.address() as AddressInfo).port}`);
    });
  });
}

function testClock(): TestClock {
  let offsetMs = 0;
  return {
    now: () => new Date(Date.now() + offsetMs),
    advance(ms) {
      offsetMs += ms;
    },
    set(at) {
      offsetMs = at.getTime() - Date.now();
    },
  };
}
