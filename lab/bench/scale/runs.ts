import { enrollAll, newContacts, openAutomationBench, startWorker } from '../automations/stage.ts';
import type { LaneRun } from './lanes.ts';
import { openMeter } from './meter.ts';

const WARM = 50;

/** Enrollments from the event to the wait of their run, by one process with workflows and background. */
export async function enrollmentLane(people: number): Promise<LaneRun> {
  const drill = await openAutomationBench(process.env);
  const worker = await startWorker(drill, { ENROLL_PER_SECOND: '100000' });
  const meter = await openMeter(drill, { background: () => [worker.child.pid] });
  const enroll = async (count: number) => {
    const contacts = await newContacts(drill, count);
    const [before, began] = [meter.look(), performance.now()];
    await enrollAll(drill, [worker], contacts);
    const perSecond = count / ((performance.now() - began) / 1_000);
    return { processes: 1, perSecond, micros: meter.each(before, meter.look(), count) };
  };
  await enroll(WARM);
  const found = await enroll(people);
  worker.child.kill('SIGKILL');
  await drill.close();
  return found;
}
