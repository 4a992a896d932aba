import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { automationActivities } from '../../activities/automations.ts';
import { backgroundActivities } from '../../activities/index.ts';
import { dateQueue } from '../../core/automations/dates/enter.ts';
import type { Directive } from '../../core/automations/enrollments/advance.ts';
import { enrollmentQueue, eventQueue, triggerQueue } from '../../core/automations/enrollments/enroll.ts';
import { automationChangeQueue } from '../../core/automations/enrollments/lifecycle-jobs.ts';
import type { Deps } from '../../core/base/deps.ts';
import { type JobQueue, type RunningQueues, startQueues } from '../../core/jobs/queue.ts';
import { installTemporalRuntime } from '../../platform/temporal-native.ts';
import { startWorkers, type Workers } from '../../workers/start.ts';
import { prefixed } from '../../workflows/names.ts';
import type { Environment } from '../support/environment.ts';
import { until } from '../support/wait.ts';
import { silent } from '../workflows/support.ts';
import { Death, endLeases, type Life, type LifeEnd, newLife } from './lives.ts';

type Advance = { projectId: string; enrollmentId: string; nowMs: number };

export interface AutomationStage {
  /** Called when a person begins to wait; turn the clock of the environment to `untilMs`, or leave the person waiting. */
  onWait(handler: (wait: Directive & { kind: 'wait' }, enrollmentId: string) => Promise<'skip' | 'stay'>): void;
  /** How often each person was looked at. */
  advances: Map<string, number>;
  /** The worker is replaced by one whose life ends so, and so on; the last one stays. */
  live(ends: LifeEnd[]): void;
  /** How many workers were killed or replaced at a word of theirs. */
  ended(): number;
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
export async function openAutomationStage(
  { deps }: Environment,
  moreQueues: (deps: Deps) => JobQueue[] = () => [],
): Promise<AutomationStage> {
  installTemporalRuntime(silent);
  let handler: Parameters<AutomationStage['onWait']>[0] = async () => 'skip';
  const advances = new Map<string, number>();
  let life = newLife(deps, undefined, () => {});
  /** The run asks again, and so does the next worker: a person waits once. */
  const waits = new Map<string, ReturnType<typeof handler>>();
  const onWait: typeof handler = (wait, enrollmentId) => {
    const known = waits.get(enrollmentId);
    if (known) return known;
    const made = handler(wait, enrollmentId).finally(() => waits.delete(enrollmentId));
    waits.set(enrollmentId, made);
    return made;
  };
  const activities = {
    ...backgroundActivities(deps),
    async advanceEnrollment(input: Advance): Promise<Directive> {
      advances.set(input.enrollmentId, (advances.get(input.enrollmentId) ?? 0) + 1);
      const own = life;
      const directive = await automationActivities(own.deps).advanceEnrollment({ ...input, nowMs: 0 });
      if (directive.kind !== 'wait') return directive;
      const how = await onWait(directive, input.enrollmentId);
      if (own.isDead()) throw new Death('this process is dead');
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
  const stopping: Promise<void>[] = [];
  let ended = 0;
  let loop = startLoop(life);
  const startLife = ([end, ...rest]: LifeEnd[]) => {
    const before = loop;
    const own = newLife(deps, end, () => {
      if (own !== life) return;
      ended += 1;
      startLife(rest);
      stopping.push(own.quiet().then(() => endLeases(deps)));
    });
    life = own;
    loop = startLoop(life);
    stopping.push(before.stop());
  };
  await Promise.all([workflows.ready, loop.ready]);
  return {
    onWait(given) {
      handler = given;
    },
    advances,
    live: startLife,
    ended: () => ended,
    async settled() {
      const due = { dueAt: { $exists: true } };
      const triggers = { ...due, $or: [{ 'automationIds.0': { $exists: true } }, { reached: { $exists: true } }] };
      await until(
        // Events first: the job of one may write a trigger.
        async () => (await deps.db.events.countDocuments(due)) + (await deps.db.triggers.countDocuments(triggers)),
        (count) => count === 0,
        { everyMs: 10 },
      );
    },
    handle: (enrollmentId) =>
      client.workflow.getHandle(prefixed(deps.config.taskQueuePrefix, `enrollment-${enrollmentId}`)),
    async stop() {
      await loop.stop();
      await Promise.all(stopping);
      worker.shutdown();
      await Promise.all([running, workflows.stop()]);
      await Promise.all([connection.close(), clientConnection.close()]);
    },
  };

  /** A run begins with its first wait, which is over as soon as the others. */
  function startLoop({ deps: own }: Life): RunningQueues {
    const { enroll } = own.workflows;
    const ours: Deps = {
      ...own,
      workflows: {
        ...own.workflows,
        async enroll(run, { isNew, wait = null }) {
          const how = wait && (await onWait({ kind: 'wait', ...wait }, run.enrollmentId));
          await enroll(run, { isNew, wait: wait && how === 'skip' ? { ...wait, untilMs: Date.now() } : wait });
        },
      },
    };
    return startQueues(own, [
      triggerQueue(own),
      eventQueue(own),
      enrollmentQueue(ours),
      automationChangeQueue(own),
      dateQueue(own),
      ...moreQueues(own),
    ]);
  }
}
