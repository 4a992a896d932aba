import type { DrillContext } from '../rig/context.ts';
import type { Figure } from '../rig/results/report.ts';
import { withServers } from '../rig/servers.ts';
import { eventLatency } from './automations/latency.ts';
import { memoryOfWaiting } from './automations/memory.ts';
import { enrollmentsByWorkers } from './automations/processes.ts';
import { enrollmentRates } from './automations/rates.ts';
import { openAutomationBench } from './automations/stage.ts';
import { eventsOfWaiting } from './automations/waiting.ts';
import { chosen, keep } from './run.ts';

/**
 * Enrollments a second compared with bare workflows (rates), and with 1, 2 and 4 workers (workers), POST /events/send under load with Temporal
 * and without (latency), events for some of a million waiting people (waiting; `--size` of them), and the memory of a worker whose people wait
 * (memory). `npm run bench -- automations [rates] [workers] [latency] [waiting] [memory]`; all five when none is named.
 */
const parts = chosen<() => Promise<Figure[]>>({
  rates: () => onBench(enrollmentRates),
  workers: () => onBench(enrollmentsByWorkers),
  // On a Temporal of its own, because it is stopped on the way.
  latency: () =>
    withServers(({ temporal, environment }) => onBench((drill) => eventLatency(drill, temporal!), environment), {
      kinds: ['temporal'],
    }),
  waiting: () => onBench(eventsOfWaiting),
  memory: () => onBench(memoryOfWaiting),
});

for (const [, part] of parts) keep('automations', await part());
process.exit(0);

async function onBench<T>(work: (drill: DrillContext) => Promise<T>, env: Record<string, string> = {}): Promise<T> {
  const drill = await openAutomationBench({ ...process.env, ...env });
  try {
    return await work(drill);
  } finally {
    await drill.close();
  }
}
