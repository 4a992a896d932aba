import { readdirSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { basename } from 'node:path';
import { Redis } from 'ioredis';
import type { DrillContext } from '../../rig/context.ts';
import { cpuOf, mongodPid, usageOf } from '../../rig/processes.ts';

/** CPU seconds by part since a look before, and of everything on the machine. `rest`: the sink, the load generator, the kernel. */
export type Cpu = Record<string, number>;

export interface Meter {
  look(): Cpu;
  /** Microseconds of each part for each of so many. */
  each(before: Cpu, after: Cpu, count: number): Cpu;
}

const TICKS_PER_SECOND = 100;

/** The servers of the installation, and processes that may be added while it runs. */
export async function openMeter({ deps }: DrillContext, processes: Record<string, () => number[]>): Promise<Meter> {
  const redis = new Redis(deps.config.redisUrl);
  const [, redisPid = '0'] = /process_id:(\d+)/.exec(await redis.info('server')) ?? [];
  redis.disconnect();
  const servers = {
    mongod: await mongodPid(deps),
    redis: Number(redisPid),
    temporal: pidOf('temporal', ['server', '--port', deps.config.temporalAddress.split(':')[1] ?? '']),
  };
  const look = () => {
    const found: Cpu = {};
    for (const [part, pids] of Object.entries(processes)) found[part] = cpuOf(pids()).cpuSeconds;
    for (const [part, pid] of Object.entries(servers)) found[part] = usageOf(pid).cpuSeconds;
    const known = Object.values(found).reduce((sum, one) => sum + one, 0);
    return { ...found, rest: machineSeconds() - known };
  };
  return {
    look,
    each: (before, after, count) =>
      Object.fromEntries(
        Object.keys(after).map((part) => [part, (((after[part] ?? 0) - (before[part] ?? 0)) * 1e6) / count]),
      ),
  };
}

/** Of all cores since the machine was started, idling and waiting left out. */
function machineSeconds(): number {
  const [, ...columns] = (readFileSync('/proc/stat', 'utf8').split('\n')[0] ?? '').split(/\s+/);
  const [user = 0, nice = 0, system = 0, , , interrupts = 0, soft = 0] = columns.map(Number);
  return (user + nice + system + interrupts + soft) / TICKS_PER_SECOND;
}

/** The process of this program whose command line has these words, one after the other. The shell that started it has them too. */
function pidOf(program: string, words: readonly string[]): number {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    let line: string[] = [];
    try {
      line = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    } catch {
      continue;
    }
    let from = 0;
    const isIt =
      basename(line[0] ?? '') === program &&
      words.every((word) => {
        from = line.indexOf(word, from) + 1;
        return from > 0;
      });
    if (isIt) return Number(pid);
  }
  throw new Error(`No ${program} runs with ${words.join(' ')}.`);
}

export const CORES = cpus().length;
