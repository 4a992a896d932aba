import type { DrillContext } from '../../rig/context.ts';
import { type BenchWorker, enrollAll, newContacts, openAutomationBench, startWorker } from '../automations/stage.ts';
import { rateOf } from '../run.ts';
import type { LaneRun } from './lanes.ts';
import { type Meter, openMeter } from './meter.ts';

const WARM = 50;

/** Enrollments from the event to the wait of their run, by one process with workflows and background. */
export async function enrollmentLane(people: number): Promise<LaneRun> {
  const drill = await openAutomationBench(process.env);
  const worker = await startWorker(drill, { ENROLL_PER_SECOND: '100000' });
  const meter = await openMeter(drill, { background: () => [worker.child.pid] });
  await measureEnrollments(drill, [worker], meter, WARM);
  const found = await measureEnrollments(drill, [worker], meter, people);
  worker.child.kill('SIGKILL');
  await drill.close();
  return { processes: 1, ...found };
}

/** The rate of so many, all at once, and what each part spends on one. */
export async function measureEnrollments(
  drill: DrillContext,
  workers: readonly BenchWorker[],
  meter: Meter,
  people: number,
): Promise<Pick<LaneRun, 'perSecond' | 'micros'>> {
  const contacts = await newContacts(drill, people);
  const before = meter.look();
  const perSecond = await rateOf(people, () => enrollAll(drill, workers, contacts));
  return { perSecond, micros: meter.each(before, meter.look(), people) };
}
