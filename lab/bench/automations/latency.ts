import { setTimeout as sleep } from 'node:timers/promises';
import type { TemporalServer } from '../../../stack/servers/temporal.ts';
import type { DrillContext } from '../../rig/context.ts';
import { type Figure, figure } from '../../rig/results/report.ts';
import { call } from '../../rig/traffic/calls.ts';
import { inRounds } from '../run.ts';
import { STARTS, STARTS_NOTHING, startWorker } from './stage.ts';

const PEOPLE = 500;
/** A second. */
const RATE = 200;
const SECONDS = 10;
const ROUNDS = 3;
const ASKED_MS = 150;

/** POST /events/send on schedule, whatever earlier calls do, while a worker follows the events with the default limits. */
export async function eventLatency(drill: DrillContext, temporal: TemporalServer): Promise<Figure[]> {
  const worker = await startWorker(drill);
  const { child, url } = await drill.startApi();
  await callAll(drill, url, STARTS, 2);
  const figures = [await measure('')];
  await temporal.kill('SIGKILL');
  figures.push(await measure(', Temporal stopped'));
  child.kill('SIGKILL');
  worker.child.kill('SIGKILL');
  return figures;

  async function measure(how: string): Promise<Figure> {
    const { bare, starting } = await inRounds(ROUNDS, async () => ({
      bare: await callAll(drill, url, STARTS_NOTHING, SECONDS),
      starting: await callAll(drill, url, STARTS, SECONDS),
    }));
    return figure(`POST /events/send that starts automations, p99 at ${RATE} a second${how}`, 'ms', starting, {
      ceiling: { name: 'events that start nothing', values: bare },
      asked: { atMost: ASKED_MS },
      note: `${SECONDS} s a round, ${PEOPLE} contacts, the worker beside it`,
    });
  }
}

/** The p99 in milliseconds from when each was due to its answer. */
async function callAll(drill: DrillContext, url: string, eventName: string, seconds: number): Promise<number> {
  const took: number[] = [];
  const calls: Promise<void>[] = [];
  const began = performance.now();
  for (let n = 0; n < RATE * seconds; n += 1) {
    const dueAt = began + (n * 1_000) / RATE;
    const earlyMs = dueAt - performance.now();
    if (earlyMs > 1) await sleep(earlyMs);
    calls.push(sendOne(n, dueAt));
  }
  await Promise.all(calls);
  took.sort((a, b) => a - b);
  return took[Math.floor((took.length - 1) * 0.99)] ?? Number.NaN;

  async function sendOne(n: number, dueAt: number): Promise<void> {
    const email = `bench${n % PEOPLE}@bench.test`;
    await call(drill, `${url}/events/send`, { eventName, email, eventProperties: { amount: n } });
    took.push(performance.now() - dueAt);
  }
}
