import { parentPort, workerData } from 'node:worker_threads';
import { type Asked, KNOWS_CPU, type ThreadSettings, type Told } from './messages.ts';

/** `settings` are those of the pool. `transfer` lists memory in the output that is handed over instead of being copied. */
interface Work {
  work(input: unknown, settings: unknown): unknown;
  transfer?(output: unknown): ArrayBuffer[];
}

const { module, settings } = workerData as ThreadSettings;
const { work, transfer }: Work = await import(module);
// Registered after the import: the first answer says that the thread is ready.
parentPort!.on('message', (asked: Asked) => {
  if (asked) void answer(asked);
  else tell({ id: null, cpuMs: cpuMs() });
});

async function answer({ id, input }: NonNullable<Asked>): Promise<void> {
  try {
    const output = await work(input, settings);
    tell({ id, output, cpuMs: cpuMs() }, transfer?.(output));
  } catch (error) {
    tell({ id, error: error instanceof Error ? error.message : String(error), cpuMs: cpuMs() });
  }
}

function tell(told: Told, handedOver: ArrayBuffer[] = []): void {
  parentPort!.postMessage(told, handedOver);
}

function cpuMs(): number {
  if (!KNOWS_CPU) return performance.eventLoopUtilization().active;
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

tell({ id: null, cpuMs: cpuMs() });
