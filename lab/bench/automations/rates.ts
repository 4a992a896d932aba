import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { prefixed } from '../../../workflows/names.ts';
import type { DrillContext } from '../../rig/context.ts';
import { type Figure, figure } from '../../rig/results/report.ts';
import { inLanes } from '../../rig/waiting.ts';
import { inRounds, rateOf } from '../run.ts';
import { enrollAll, newContacts, poll, STARTS, STARTS_ALL_STEPS, startWorker } from './stage.ts';

const PEOPLE = 300;
const ROUNDS = 3;
const STARTS_AT_ONCE = 16;
const POLL_MS = 50;

/**
 * From the event to a run that waits in its first wait step: event, entering, first step, start of the run and its timer, all durable.
 * The baseline is workflows whose one activity does nothing before they wait. Rounds alternate: the machine's speed drifts.
 */
export async function enrollmentRates(drill: DrillContext): Promise<Figure[]> {
  const worker = await startWorker(drill, { ENROLL_PER_SECOND: '100000' });
  const bare = await startBare(drill);
  // The first of each compiles.
  await bare.run(20);
  await enroll(20, STARTS);
  await enroll(20, STARTS_ALL_STEPS);
  const { theirs, ours, allSteps } = await inRounds(ROUNDS, async () => ({
    theirs: await rateOf(PEOPLE, () => bare.run(PEOPLE)),
    ours: await enroll(PEOPLE, STARTS),
    allSteps: await enroll(PEOPLE, STARTS_ALL_STEPS),
  }));
  await bare.stop();
  worker.child.kill('SIGKILL');
  const bound: Pick<Figure, 'ceiling' | 'asked' | 'note'> = {
    ceiling: { name: 'workflows with one empty activity, then a wait', values: theirs },
    asked: { of: 'ratio', atLeast: 0.7 },
    note: `${PEOPLE} people a round, no limit of starts a second`,
  };
  return [
    figure('enrollments, from the event to the wait of its run', '/s', ours, bound),
    figure('enrollments that change the person, take a share, and wait for an event or a goal', '/s', allSteps, bound),
  ];

  async function enroll(count: number, eventName: string): Promise<number> {
    // They are there before their time is taken.
    const contacts = await newContacts(drill, count);
    return rateOf(count, () => enrollAll(drill, [worker], contacts, eventName));
  }
}

async function startBare({ deps }: DrillContext) {
  const { temporalAddress: address, temporalNamespace: namespace, taskQueuePrefix } = deps.config;
  const queue = prefixed(taskQueuePrefix, 'bare');
  const script = join(import.meta.dirname, 'bare-worker.ts');
  const child: ChildProcess = fork(script, [address, namespace, queue], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  let ran = 0;
  let started = 0;
  await once(child, 'message');
  child.on('message', (message: { ran?: number }) => {
    ran = message.ran ?? ran;
  });
  const connection = await Connection.connect({ address });
  const { workflow } = new Client({ connection, namespace });
  return {
    async run(count: number): Promise<void> {
      const target = started + count;
      await inLanes(STARTS_AT_ONCE, count, () => {
        started += 1;
        return workflow.start('bareWait', { taskQueue: queue, workflowId: `${queue}-${started}`, args: [] });
      });
      await poll(async () => ran >= target, POLL_MS);
    },
    async stop(): Promise<void> {
      child.kill('SIGKILL');
      await connection.close();
    },
  };
}
