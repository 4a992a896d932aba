import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startServers } from '../../stack/servers/all.ts';
import { type Figure, report } from '../rig/results/report.ts';
import { eventLatency } from './automations/latency.ts';
import { memoryOfWaiting } from './automations/memory.ts';
import { enrollmentRates } from './automations/rates.ts';
import { openAutomationBench } from './automations/stage.ts';

/**
 * Enrollments a second compared with bare workflows (rates), POST /events/send under load with Temporal and without (latency), and the memory
 * of a worker whose people wait (memory). `npm run bench -- automations [rates] [latency] [memory]`; all three when none is named.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    people: { type: 'string', default: '300' },
    rounds: { type: 'string', default: '3' },
    rate: { type: 'string', default: '200' },
    seconds: { type: 'string', default: '10' },
    waiting: { type: 'string', default: '10000' },
    /** Tries it out: nothing is kept in bench/results. */
    dry: { type: 'boolean', default: false },
  },
});
const rounds = Number(values.rounds);

const parts: Record<string, () => Promise<Figure[]>> = {
  rates: () => onBench(async (drill) => [await enrollmentRates(drill, { people: Number(values.people), rounds })]),
  latency: () =>
    withTemporal((temporal, address) =>
      onBench(
        (drill) =>
          eventLatency(drill, { rate: Number(values.rate), seconds: Number(values.seconds), rounds }, temporal),
        { TEMPORAL_ADDRESS: address },
      ),
    ),
  memory: () => onBench(async (drill) => [await memoryOfWaiting(drill, { waiting: Number(values.waiting) })]),
};

for (const name of positionals.length > 0 ? positionals : Object.keys(parts)) {
  const part = parts[name];
  if (!part) throw new Error(`There is no part "${name}" but ${Object.keys(parts).join(', ')}.`);
  const figures = await part();
  if (values.dry) console.log(figures);
  else report('automations', figures);
}
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
