import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Deps } from '../../core/base/deps.ts';
import { beginMigration, decideMigration, type NextStep, runMigrationPhase } from '../../core/migrations/run.ts';
import { SourceError } from '../../core/migrations/source.ts';
import { startWorkers, type Workers } from '../../workers/start.ts';
import type { AccountA } from '../providers/account-a.ts';
import type { AccountB } from '../providers/account-b.ts';
import { startImageHost } from '../providers/images.ts';
import { type ProviderA, startProviderA } from '../providers/provider-a.ts';
import { type ProviderB, startProviderB } from '../providers/provider-b.ts';
import type { StandIn } from '../providers/stand-in.ts';
import type { Reply } from '../support/client.ts';
import { type Environment, startEnvironment, type Tenant } from '../support/environment.ts';

/** The product and both source providers; workers are started by the test, since some tests stop them. */
export interface Scene {
  env: Environment;
  a: ProviderA;
  b: ProviderB;
  images: StandIn;
  work(): Promise<Workers>;
  stop(): Promise<void>;
}

export async function startScene(overrides: Record<string, string> = {}): Promise<Scene> {
  const [a, b, images] = await Promise.all([startProviderA([]), startProviderB([]), startImageHost()]);
  const mediaDir = await mkdtemp(join(tmpdir(), 'everpost-media-'));
  const hosts = [images.url, a.files.url].map((url) => new URL(url).host);
  const env = await startEnvironment({
    PROVIDER_A_URL: a.url,
    PROVIDER_B_URL: b.url,
    PROVIDER_B_RATE: '500',
    PROVIDER_A_IMAGE_HOSTS: hosts[0] ?? '',
    ALLOW_PRIVATE_URLS: hosts.join(','),
    MEDIA_DIR: mediaDir,
    MIGRATION_PATIENCE_SECONDS: '1',
    ...overrides,
  });
  const running = new Set<Workers>();
  return {
    env,
    a,
    b,
    images,
    async work() {
      const workers = startWorkers(env.deps, ['workflows', 'background']);
      running.add(workers);
      await workers.ready;
      return {
        ...workers,
        stop: async () => {
          running.delete(workers);
          await workers.stop();
        },
      };
    },
    async stop() {
      await cancelWhatHolds(env);
      await Promise.all([...running].map((workers) => workers.stop()));
      await Promise.all([a.stop(), b.stop(), images.stop(), env.stop()]);
      await rm(mediaDir, { recursive: true, force: true });
    },
  };
}

/** For a whole suite: started before its tests, with workers unless `works` is false, and stopped after them. */
export function useScene(overrides: Record<string, string> = {}, { works } = { works: true }): Scene {
  const scene = {} as Scene;
  before(async function () {
    this.timeout(60_000);
    Object.assign(scene, await startScene(overrides));
    if (works) await scene.work();
  });
  after(() => scene.stop());
  return scene;
}

/** Otherwise their runs would wait on the Temporal server for three days. */
async function cancelWhatHolds({ deps }: Environment): Promise<void> {
  for (const { _id, projectId, provider, run } of await deps.db.migrations.find({ completedAt: null }).toArray()) {
    const job = { migrationId: _id.toHexString(), projectId: projectId.toHexString(), provider, run };
    await deps.workflows.cancelMigration(job);
  }
}

/** A project and its account at a provider, so that no test meets what another one left. */
export async function tenantWithA(scene: Scene, account: AccountA): Promise<Tenant> {
  scene.a.accounts.push(account);
  return scene.env.newTenant(`of ${account.key.slice(-6)}`);
}

export async function tenantWithB(scene: Scene, account: AccountB): Promise<Tenant> {
  scene.b.accounts.push(account);
  return scene.env.newTenant(`of ${account.key.slice(-6)}`);
}

/** How long the phases of this scene ask a source again that fails. */
export function setPatience({ env }: Scene, seconds: number): void {
  Object.assign(env.deps.config, { migrationPatienceSeconds: seconds });
}

export interface Job {
  id: string;
  status: string;
  phase: string | null;
  phases: Record<string, unknown>[];
  // biome-ignore lint/suspicious/noExplicitAny: tests look into the answer and assert what they find.
  [field: string]: any;
}

export async function start(tenant: Tenant, provider: 'providerA' | 'providerB', body: object): Promise<string> {
  const { status, body: answer } = await tenant.client.post(`/migrations/${provider}/migrate`, body);
  if (status !== 202) throw new Error(`not accepted: ${status} ${JSON.stringify(answer)}`);
  return answer.data.bulkOperationId;
}

export async function job(tenant: Tenant, id: string): Promise<Job> {
  return dataOf(await tenant.client.get(`/migrations/${id}`));
}

/** More than a busy machine needs. */
const PATIENCE_MS = 90_000;

/** Waits until the job is over, or holds. */
export async function settled(tenant: Tenant, id: string, withinMs = PATIENCE_MS): Promise<Job> {
  return until(tenant, id, ({ status }) => status !== 'queued' && status !== 'running', withinMs);
}

export async function until(
  tenant: Tenant,
  id: string,
  isSo: (found: Job) => boolean,
  withinMs = PATIENCE_MS,
): Promise<Job> {
  const giveUpAt = performance.now() + withinMs;
  for (;;) {
    const found = await job(tenant, id);
    if (isSo(found)) return found;
    if (performance.now() > giveUpAt) throw new Error(`it stays as it is: ${JSON.stringify(found)}`);
    await sleep(30);
  }
}

/** The phases of a job in this process, without Temporal, until it ends or holds. */
export async function runPhases(
  deps: Deps,
  { project }: Tenant,
  migrationId: string,
  signal?: AbortSignal,
): Promise<NextStep> {
  const ref = { projectId: project._id.toHexString(), migrationId, run: 1 };
  let step = await beginMigration(deps, ref);
  while (step.next === 'phase' && step.phase) {
    try {
      step = await runMigrationPhase(
        deps,
        { ...ref, phase: step.phase },
        { owner: randomUUID(), ...(signal ? { signal } : {}) },
      );
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      step = await decideMigration(deps, ref);
    }
  }
  return step;
}

export function dataOf({ status, body }: Reply): Job {
  if (status >= 300) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body.data;
}
