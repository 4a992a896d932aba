import { setTimeout as sleep } from 'node:timers/promises';
import type { TemporalServer } from '../../../stack/servers/temporal.ts';
import type { DrillContext } from '../../rig/context.ts';
import { type Figure, figure } from '../../rig/results/report.ts';
import { call } from '../../rig/traffic/calls.ts';
import { inRounds } from '../run.ts';
import { STARTS, STARTS_NOTHING, startWorker } from './stage.ts';

const PEOPLE = 500;
const ASKED_MS = 150;

interface Load {
  rate: number;
  seconds: number;
  rounds: number;
}

/** POST /events/send on schedule, whatever earlier calls do, while a worker follows the events with the default limits. */
export async function eventLatency(drill: DrillContext, load: Load, temporal: TemporalServer): Promise<Figure[]> {
  const worker = await startWorker(drill);
  const { child, url } = await drill.startApi();
  await callAll(drill, url, STARTS, { ...load, seconds: 2 });
  const figures = [await measure('', load)];
  await temporal.kill('SIGKILL');
  figures.push(await measure(', Temporal stopped', load));
  child.kill('SIGKILL');
  worker.child.kill('SIGKILL');
  return figures;

  async function measure(how: string, { rate, seconds, rounds }: Load): Promise<Figure> {
    const { bare, starting } = await inRounds(rounds, async () => ({
      bare: await callAll(drill, url, STARTS_NOTHING, { rate, seconds }),
      starting: await callAll(drill, url, STARTS, { rate, seconds }),
    }));
    return figure(`POST /events/send that starts automations, p99 at ${rate} a second${how}`, 'ms', starting, {
      ceiling: { name: 'events that start nothing', values: bare },
      asked: { atMost: ASKED_MS },
      note: `${seconds} s a round, ${PEOPLE} contacts, the worker beside it`,
    });
  }
}

/** The p99 in milliseconds from when each was due to its answer. */
async function callAll(
  drill: DrillContext,
  url: string,
  eventName: string,
  { rate, seconds }: Pick<Load, 'rate' | 'seconds'>,
): Promise<number> {
  const took: number[] = [];
  const calls: Promise<void>[] = [];
  const began = performance.now();
  for (let n = 0; n < rate * seconds; n += 1) {
    const dueAt = began + (n * 1_000) / rate;
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
