import { setTimeout as sleep } from 'node:timers/promises';
import type { DrillContext } from '../../rig/context.ts';
import { type Figure, figure } from '../../rig/results/report.ts';
import { enrollAll, newContacts, startWorker } from './stage.ts';

const WAITING = 10_000;
const EARLY = WAITING / 2;
const SETTLE_MS = 2_000;
const TOGETHER = 500;

/**
 * People in a wait are rows in two databases; the worker remembers 200 runs at most, however many there are. Its heap has found its size when
 * the runs it remembers have been others a dozen times, so the first look is at half of the people.
 */
export async function memoryOfWaiting(drill: DrillContext): Promise<Figure[]> {
  const worker = await startWorker(drill, { ENROLL_PER_SECOND: '100000' });
  const seen: number[] = [];
  let inside = 0;
  for (const target of [EARLY, WAITING]) {
    while (inside < target) {
      const more = Math.min(TOGETHER, target - inside);
      await enrollAll(drill, [worker], await newContacts(drill, more));
      inside += more;
    }
    await sleep(SETTLE_MS);
    seen.push(worker.rssMb());
  }
  worker.child.kill('SIGKILL');
  const [first = Number.NaN, last = Number.NaN] = seen;
  return [
    figure(`memory of the worker with ${WAITING} people in a wait`, 'MB', [last], {
      ceiling: { name: `with ${EARLY}`, values: [first] },
      asked: { of: 'ratio', atMost: 1.1 },
      note: 'resident set of the process that runs workflows and their steps',
    }),
  ];
}
