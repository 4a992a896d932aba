import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { ObjectId } from 'mongodb';
import type { Log } from '../../core/base/deps.ts';
import { installTemporalRuntime } from '../../platform/temporal-native.ts';
import { workflowBundle } from '../../workers/temporal.ts';
import { attributePairs, type SearchAttributeValues } from '../../workflows/attributes/search-attributes.ts';

export const silent: Log = { debug() {}, info() {}, warn() {}, error() {} };

/** Workflow code as it is, on a real Temporal server, with activities that a test makes up. */
export interface Stage {
  client: Client;
  queue: string;
  newId(name: string): string;
  start(
    type: string,
    workflowId: string,
    args: unknown[],
    attributes?: SearchAttributeValues,
  ): ReturnType<Client['workflow']['start']>;
  stop(): Promise<void>;
}

export async function openStage(activities: object, address = process.env.TEMPORAL_ADDRESS): Promise<Stage> {
  installTemporalRuntime(silent);
  const namespace = process.env.TEMPORAL_NAMESPACE || 'default';
  const prefix = `stage-${new ObjectId().toHexString()}`;
  const identity = 'test';
  const [connection, native] = await Promise.all([
    Connection.connect({ address }),
    NativeConnection.connect({ address: address ?? '127.0.0.1:7233' }),
  ]);
  const shared = { connection: native, namespace, identity };
  const workers = await Promise.all([
    Worker.create({
      ...shared,
      taskQueue: `${prefix}-workflows`,
      workflowBundle: await workflowBundle(silent, process.env.WORKFLOW_BUNDLE),
    }),
    Worker.create({ ...shared, taskQueue: `${prefix}-background`, activities }),
    Worker.create({ ...shared, taskQueue: `${prefix}-campaign`, activities }),
  ]);
  const runs = Promise.all(workers.map((worker) => worker.run()));
  const client = new Client({ connection, namespace, identity });
  return {
    client,
    queue: `${prefix}-workflows`,
    newId: (name) => `${prefix}-${name}`,
    start: (type, workflowId, args, attributes = {}) =>
      client.workflow.start(type, {
        taskQueue: `${prefix}-workflows`,
        workflowId,
        args,
        typedSearchAttributes: attributePairs(attributes),
      }),
    async stop() {
      for (const worker of workers) worker.shutdown();
      await runs;
      await Promise.all([connection.close(), native.close()]);
    },
  };
}
