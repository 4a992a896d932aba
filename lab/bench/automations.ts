import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServers } from '../../stack/servers/all.ts';
import type { Figure } from '../rig/results/report.ts';
import { eventLatency } from './automations/latency.ts';
import { memoryOfWaiting } from './automations/memory.ts';
import { enrollmentRates } from './automations/rates.ts';
import { openAutomationBench } from './automations/stage.ts';
import { chosen, keep } from './run.ts';

/**
 * Enrollments a second compared with bare workflows (rates), POST /events/send under load with Temporal and without (latency), and the memory
 * of a worker whose people wait (memory). `npm run bench -- automations [rates] [latency] [memory]`; all three when none is named.
 */

const parts = chosen<() => Promise<Figure[]>>({
  rates: () => onBench(async (drill) => [await enrollmentRates(drill, { people: 300, rounds: 3 })]),
  latency: () =>
    withTemporal((temporal, address) =>
      onBench((drill) => eventLatency(drill, { rate: 200, seconds: 10, rounds: 3 }, temporal), {
        TEMPORAL_ADDRESS: address,
      }),
    ),
  memory: () => onBench(async (drill) => [await memoryOfWaiting(drill, { waiting: 10_000 })]),
});

for (const [, part] of parts) keep('automations', await part());
process.exit(0);

async function onBench<T>(
  work: (drill: Awaited<ReturnType<typeof openAutomationBench>>) => Promise<T>,
  env: Record<string, string> = {},
): Promise<T> {
  const drill = await openAutomationBench({ ...process.env, ...env });
  try {
    return await work(drill);
  } finally {
    await drill.close();
  }
}

/** One of its own, because it is stopped on the way. */
async function withTemporal<T>(
  work: (temporal: NonNullable<Awaited<ReturnType<typeof startServers>>['temporal']>, address: string) => Promise<T>,
): Promise<T> {
  const dataDir = mkdtempSync(join(tmpdir(), 'everpost-bench-temporal-'));
  const servers = await startServers({ dataDir, kinds: ['temporal'] });
  try {
    if (!servers.temporal) throw new Error('There is no Temporal.');
    return await work(servers.temporal, servers.temporal.url);
  } finally {
    await servers.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}
