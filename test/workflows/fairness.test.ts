import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import type { Workflows } from '../../core/base/deps.ts';
import { withServers } from '../../lab/rig/servers.ts';
import { readConfig } from '../../platform/config.ts';
import { installTemporalRuntime } from '../../platform/temporal-native.ts';
import { workflowBundle } from '../../workers/temporal.ts';
import { createWorkflows } from '../../workflows/client.ts';
import { prefixed, type TaskQueue, workflowIds } from '../../workflows/names.ts';
import { until } from '../support/wait.ts';
import { silent } from './support.ts';

const MANY = 8;
const FEW = 2;
const HALF = (MANY + FEW) / 2;
/** The servers here run at a low priority, so other tests may hold them up. */
const PATIENCE_MS = 150_000;

/** Steps of campaigns on the queue `background`; their ranges have the same keys, as all activities of a run. */
describe('Fairness between projects', function () {
  this.timeout(PATIENCE_MS);

  it('lets a small campaign take its step after one of a project with many campaigns', async () => {
    const order = await orderOfSteps({ fairness: true });
    expect(order.lastIndexOf('small')).to.be.lessThan(HALF);
  });

  it('without the setting of Temporal it takes its step after all of them', async () => {
    const order = await orderOfSteps({ fairness: false });
    expect(order.indexOf('small')).to.be.at.least(HALF);
  });

  it('within a project a step of a campaign comes before counting', async () => {
    const order = await withStage({ fairness: true }, async ({ workflows, waiting, serve }) => {
      const projectId = newId();
      const counted = await times(MANY, (campaignId) => workflows.refreshMetrics({ projectId, campaignId }));
      await waiting(counted.map(workflowIds.metricsRefresh));
      const begun = await times(FEW, (campaignId) => workflows.sendCampaign({ projectId, campaignId }));
      await waiting(begun.map(workflowIds.campaignSend));
      const did: string[] = [];
      const noting = (name: string, answer: object) => async () => {
        did.push(name);
        return answer;
      };
      await serve('background', {
        advanceCampaign: noting('campaign', over),
        refreshCampaignMetrics: noting('count', { status: 'sent', nextMs: null, details: '' }),
      });
      return untilAll(did, 'campaign');
    });
    expect(order.lastIndexOf('campaign')).to.be.lessThan(HALF);
  });
});

/** In which order a worker with one place takes the steps, all of which wait. */
function orderOfSteps(settings: { fairness: boolean }): Promise<string[]> {
  return withStage(settings, async ({ workflows, waiting, serve }) => {
    const giant = newId();
    const many = await times(MANY, (campaignId) => workflows.sendCampaign({ projectId: giant, campaignId }));
    await waiting(many.map(workflowIds.campaignSend));
    const few = await times(FEW, (campaignId) => workflows.sendCampaign({ projectId: newId(), campaignId }));
    await waiting(few.map(workflowIds.campaignSend));
    const began: string[] = [];
    await serve('background', {
      async advanceCampaign({ projectId }: { projectId: string }) {
        began.push(projectId === giant ? 'giant' : 'small');
        return over;
      },
    });
    return untilAll(began, 'small');
  });
}

const over = { kind: 'end', status: 'sent', summary: 'over', details: '' };

/** The new ids of what was started. */
async function times(count: number, start: (id: string) => Promise<void>): Promise<string[]> {
  const ids = Array.from({ length: count }, newId);
  const isStarted = (id: string) =>
    start(id).then(
      () => true,
      () => false,
    );
  for (const id of ids)
    await until(
      () => isStarted(id),
      (is) => is,
      { ms: PATIENCE_MS },
    );
  return ids;
}

/** Resolves when all of the few have begun. */
async function untilAll(order: string[], name: string): Promise<string[]> {
  await until(
    async () => order.filter((one) => one === name).length,
    (count) => count === FEW,
    { ms: PATIENCE_MS },
  );
  return order;
}

interface Stage {
  workflows: Workflows;
  /** Resolves when each run waits for an activity. */
  waiting(workflowIds: string[]): Promise<void>;
  /** Starts a worker that does one activity at a time. */
  serve(queue: TaskQueue, activities: object): Promise<void>;
}

/** A Temporal of its own, with the real workflows and their client; the activities are made up. One partition has one order. */
function withStage<T>({ fairness }: { fairness: boolean }, work: (stage: Stage) => Promise<T>): Promise<T> {
  const run = async (_: unknown, env: NodeJS.ProcessEnv) => {
    installTemporalRuntime(silent);
    const config = readConfig({ ...env, SECRET_KEYS: `test:${Buffer.alloc(32, 1).toString('base64')}` });
    const { temporalAddress: address, temporalNamespace: namespace, taskQueuePrefix } = config;
    const [connection, native] = await Promise.all([
      Connection.connect({ address }),
      NativeConnection.connect({ address }),
    ]);
    const client = new Client({ connection, namespace });
    const stops: Array<() => Promise<void>> = [];
    const start = async (queue: TaskQueue, options: object) => {
      const taskQueue = prefixed(taskQueuePrefix, queue);
      const worker = await Worker.create({ connection: native, namespace, taskQueue, ...options });
      const running = worker.run();
      stops.push(async () => {
        worker.shutdown();
        await running;
      });
    };
    try {
      await start('workflows', { workflowBundle: await workflowBundle(silent, process.env.WORKFLOW_BUNDLE) });
      return await work({
        workflows: createWorkflows(config, { client: async () => client }),
        serve: (queue, activities) => start(queue, { activities, maxConcurrentActivityTaskExecutions: 1 }),
        async waiting(ids) {
          for (const id of ids)
            await until(
              async () => (await client.workflow.getHandle(prefixed(taskQueuePrefix, id)).describe()).raw,
              ({ pendingActivities }) => (pendingActivities?.length ?? 0) > 0,
              { ms: PATIENCE_MS },
            );
        },
      });
    } finally {
      await Promise.all(stops.map((stop) => stop()));
      await Promise.all([connection.close(), native.close()]);
    }
  };
  const partitions = { 'matching.numTaskqueueReadPartitions': 1, 'matching.numTaskqueueWritePartitions': 1 };
  const temporalSettings = { ...partitions, 'matching.enableFairness': fairness };
  return withServers(run, { kinds: ['temporal'], temporalSettings });
}

function newId(): string {
  return new ObjectId().toHexString();
}
