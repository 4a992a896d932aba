import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { automationActivities } from '../../activities/automations.ts';
import { backgroundActivities } from '../../activities/index.ts';
import { dateQueue } from '../../core/automations/dates/enter.ts';
import type { Directive } from '../../core/automations/enrollments/advance.ts';
import { enrollmentQueue, eventQueue, triggerQueue } from '../../core/automations/enrollments/enroll.ts';
import { automationChangeQueue } from '../../core/automations/enrollments/lifecycle-jobs.ts';
import type { Deps } from '../../core/base/deps.ts';
import { type RunningQueues, startQueues } from '../../core/jobs/queue.ts';
import { installTemporalRuntime } from '../../platform/temporal-native.ts';
import { startWorkers, type Workers } from '../../workers/start.ts';
import { prefixed } from '../../workflows/names.ts';
import type { Environment } from '../support/environment.ts';
import { until } from '../support/wait.ts';
import { silent } from '../workflows/support.ts';

type Advance = { projectId: string; enrollmentId: string; nowMs: number };

export interface AutomationStage {
  /** Called when a person begins to wait; turn the clock of the environment to `untilMs`, or leave the person waiting. */
  onWait(handler: (wait: Directive & { kind: 'wait' }, enrollmentId: string) => Promise<'skip' | 'stay'>): void;
  /** How often each person was looked at. */
  advances: Map<string, number>;
  /** Nothing that was triggered waits for its turn any more. */
  settled(): Promise<void>;
  /** The run of a person. */
  handle(enrollmentId: string): WorkflowHandle;
  stop(): Promise<void>;
}

/**
 * The product's own loop, workflow and activity on the real servers; only the waits are over at once, by the clock of the environment:
 * a timer of the server takes a second at least, and test/automations/enrollments/workflow.test.ts looks at those.
 */
export async function openAutomationStage({ deps }: Environment): Promise<AutomationStage> {
  installTemporalRuntime(silent);
  let handler: Parameters<AutomationStage['onWait']>[0] = async () => 'skip';
  const advances = new Map<string, number>();
  const real = automationActivities(deps);
  const activities = {
    ...backgroundActivities(deps),
    async advanceEnrollment(input: Advance): Promise<Directive> {
      advances.set(input.enrollmentId, (advances.get(input.enrollmentId) ?? 0) + 1);
      const directive = await real.advanceEnrollment({ ...input, nowMs: 0 });
      if (directive.kind !== 'wait') return directive;
      const how = await handler(directive, input.enrollmentId);
      return how === 'skip' ? { ...directive, untilMs: Date.now() } : directive;
    },
  };
  const connection = await NativeConnection.connect({ address: deps.config.temporalAddress });
  const address = deps.config.temporalAddress;
  const clientConnection = await Connection.connect({ address });
  const namespace = deps.config.temporalNamespace;
  const client = new Client({ connection: clientConnection, namespace });
  const worker = await Worker.create({
    connection,
    namespace,
    taskQueue: prefixed(deps.config.taskQueuePrefix, 'background'),
    activities,
  });
  const running = worker.run();
  const workflows: Workers = startWorkers(deps, ['workflows']);
  const { enroll } = deps.workflows;
  /** A run begins with its first wait, which is over as soon as the others. */
  const ours: Deps = {
    ...deps,
    workflows: {
      ...deps.workflows,
      async enroll(run, { isNew, wait = null }) {
        const how = wait && (await handler({ kind: 'wait', ...wait }, run.enrollmentId));
        await enroll(run, { isNew, wait: wait && how === 'skip' ? { ...wait, untilMs: Date.now() } : wait });
      },
    },
  };
  const loop: RunningQueues = startQueues(deps, [
    triggerQueue(deps),
    eventQueue(deps),
    enrollmentQueue(ours),
    automationChangeQueue(deps),
    dateQueue(deps),
  ]);
  await Promise.all([workflows.ready, loop.ready]);
  return {
    onWait(given) {
      handler = given;
    },
    advances,
    async settled() {
      const due = { dueAt: { $exists: true } };
      const triggers = { ...due, $or: [{ 'automationIds.0': { $exists: true } }, { reached: { $exists: true } }] };
      await until(
        async () => (await deps.db.triggers.countDocuments(triggers)) + (await deps.db.events.countDocuments(due)),
        (count) => count === 0,
        { everyMs: 10 },
      );
    },
    handle: (enrollmentId) =>
      client.workflow.getHandle(prefixed(deps.config.taskQueuePrefix, `enrollment-${enrollmentId}`)),
    async stop() {
      await loop.stop();
      worker.shutdown();
      await Promise.all([running, workflows.stop()]);
      await Promise.all([connection.close(), clientConnection.close()]);
    },
  };
}
