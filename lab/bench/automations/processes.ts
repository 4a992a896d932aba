import type { DrillContext } from '../../rig/context.ts';
import { type Figure, figure } from '../../rig/results/report.ts';
import { inRounds, sizeOr } from '../run.ts';
import { type Cpu, openMeter } from '../scale/meter.ts';
import { measureEnrollments } from '../scale/runs.ts';
import { type BenchWorker, enrollAll, newContacts, startWorker } from './stage.ts';

const COUNTS = [1, 2, 4];
const ROUNDS = 3;
const people = sizeOr(500);
const PARTS = ['workers', 'temporal', 'mongod'] as const;

type Found = Record<'rate' | (typeof PARTS)[number], number>;

/** Enrollments of one installation with 1, 2 and 4 workers, no limit of starts a second, and what each part spends on one. */
export async function enrollmentsByWorkers(drill: DrillContext): Promise<Figure[]> {
  const workers: BenchWorker[] = [];
  const meter = await openMeter(drill, { workers: () => workers.map(({ child }) => child.pid) });
  const figures: Figure[] = [];
  let alone: number[] = [];
  for (const count of COUNTS) {
    while (workers.length < count) workers.push(await startWorker(drill, { ENROLL_PER_SECOND: '100000' }));
    // Until each process has compiled what it needs.
    await enrollAll(drill, workers, await newContacts(drill, people * count));
    const found = await inRounds(ROUNDS, measure);
    if (count === 1) alone = found.rate;
    figures.push(...ofCount(count, found, alone));
  }
  for (const { child } of workers) child.kill('SIGKILL');
  return figures;

  async function measure(): Promise<Found> {
    const { perSecond: rate, micros } = await measureEnrollments(drill, workers, meter, people);
    return { rate, ...(micros as Cpu & Omit<Found, 'rate'>) };
  }
}

function ofCount(count: number, found: Record<keyof Found, number[]>, alone: number[]): Figure[] {
  const title = count === 1 ? '1 worker' : `${count} workers`;
  const beside = { ceiling: { name: '1 worker', values: alone }, asked: { of: 'ratio' as const, atLeast: 0.95 } };
  return [
    figure(`enrollments with ${title}, no limit of starts a second`, '/s', found.rate, {
      ...(count === 1 ? {} : beside),
    }),
    ...PARTS.map((part) => figure(`CPU of ${part} for an enrollment with ${title}`, 'us', found[part])),
  ];
}
