import type { Figure } from '../../rig/results/report.ts';

export interface Run {
  perSecond: number;
  /** Of this process and its threads, for each. */
  cpuMicros: number;
}

/** `work` answers how many it has done. */
export async function runOf(work: () => Promise<number>): Promise<Run> {
  const cpu = process.cpuUsage();
  const from = performance.now();
  const count = await work();
  const seconds = (performance.now() - from) / 1_000;
  const { user, system } = process.cpuUsage(cpu);
  return { perSecond: count / seconds, cpuMicros: (user + system) / count };
}

/** Rate and CPU, with those of bare runs as their ceilings where there are some. */
export function figuresOf(name: string, runs: Run[], bare?: { name: string; runs: Run[] }): Figure[] {
  const of = (some: Run[], field: keyof Run) => some.map((run) => run[field]);
  const both = (field: keyof Run) => ({
    values: of(runs, field),
    ...(bare ? { ceiling: { name: bare.name, values: of(bare.runs, field) } } : {}),
  });
  return [
    { name, unit: '/s', ...both('perSecond') },
    { name: `${name}, CPU each`, unit: 'us', ...both('cpuMicros') },
  ];
}
