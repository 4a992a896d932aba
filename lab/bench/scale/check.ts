import type { LaneRun } from './lanes.ts';

/** The rate of several processes of a lane on these cores, computed from one process alone. */
export function predict(
  one: Pick<LaneRun, 'perSecond' | 'micros'>,
  processes: number,
  cores: number,
  contention = 0,
): number {
  const each = Object.values(one.micros).reduce((sum, micros) => sum + micros, 0);
  return Math.min(processes * one.perSecond, (cores * 1e6) / (each * growth(processes, cores, contention)));
}

/** How much more a unit costs while more processes than cores share them: the share of each further process a core. */
function growth(processes: number, cores: number, contention: number): number {
  return 1 + contention * Math.max(0, (processes - 1) / cores);
}

/** The contention with which the predictions are off least, in steps of a percent. */
export function fitContention(runs: readonly LaneRun[], cores: number): number {
  const [one, ...more] = runs;
  if (!one) return 0;
  const off = (contention: number) =>
    more.reduce((sum, run) => sum + Math.log(predict(one, run.processes, cores, contention) / run.perSecond) ** 2, 0);
  const steps = Array.from({ length: 101 }, (_, step) => step / 100);
  return steps.reduce((best, step) => (off(step) < off(best) ? step : best), 0);
}
