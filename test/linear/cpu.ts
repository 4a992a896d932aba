/** No event loop is held for longer, in CPU time of its thread. */
export const HOLD_MS_MAX = 50;
/** A machine that is shared may be slower for some tenths of a second. */
const REPEATS = 8;
/** The time of `fixedWork` on the processor for which the limit holds. */
const FIXED_WORK_MS = 6;
/** A slower processor is no reason to find nothing. */
const SLOWER_MAX = 3;
const FIXED_LENGTH = 1_000_000;

const slower = Math.min(SLOWER_MAX, Math.max(1, fixedWorkMs() / FIXED_WORK_MS));

/**
 * CPU time of this thread: other processes and other threads of this one do not count. On a processor that is slower than the one for which
 * the limit holds, it is what that one would take.
 */
export function cpuMs(): number {
  return threadMs() / slower;
}

/** CPU time of all other threads of this process, those that have ended too, on this processor: their own limits count the same. */
export function othersCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000 - threadMs();
}

function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** The smallest of several times, each of ten works: some machines count in steps of 4 ms, which is nearly one work. */
function fixedWorkMs(): number {
  const times = Array.from({ length: 3 }, () => {
    const before = threadMs();
    for (let work = 0; work < 10; work++) fixedWork();
    return (threadMs() - before) / 10;
  });
  return Math.min(...times);
}

/** Reads and writes text, as what is measured does. */
function fixedWork(): number {
  const text = '<a b="c&d">'.repeat(FIXED_LENGTH / 11);
  let sum = 0;
  for (let at = 0; at < text.length; at += 1) sum = (sum * 31 + text.charCodeAt(at)) | 0;
  return sum + text.replace(/&/g, '&amp;').length;
}

/** CPU time of the work; above the limit it is repeated, and the smallest counts. */
export function leastOf(work: () => unknown, msMax = HOLD_MS_MAX): number {
  let least = timed(work);
  for (let again = 0; again < REPEATS && least > msMax; again++) least = Math.min(least, timed(work));
  return least;
}

/** A difference below this is not measured exactly. */
const INEXACT_MS = 5;
const TURNS = 9;

/** The first of these sizes, each twice the one before, at which the work costs more than twice as much; null: there is none. */
export function firstExcess(sizes: readonly number[], workOf: (size: number) => () => unknown): string | null {
  let before = Infinity;
  for (const size of sizes) {
    const work = workOf(size);
    const ms = leastOf(work, 2 * before + INEXACT_MS);
    if (ms > 2 * before + INEXACT_MS) {
      const half = workOf(size / 2);
      const costs = Array.from({ length: TURNS }, () => ({ half: timed(half), whole: timed(work) }));
      const excess = excessOf(costs, INEXACT_MS);
      if (excess) return `${size}: ${excess}`;
    }
    before = Math.min(ms, leastOf(work, ms / 2));
  }
  return null;
}

/**
 * Of costs that were measured in turns; null: the whole costs at most twice its half. A half that was measured in another moment may have
 * met a faster machine or a smaller process, so medians of the same moments are compared.
 */
export function excessOf(costs: readonly { half: number; whole: number }[], inexactMs: number): string | null {
  const [half, whole] = [median(costs.map((one) => one.half)), median(costs.map((one) => one.whole))];
  return whole > 2 * half + inexactMs ? `${whole.toFixed(1)} ms, half of it ${half.toFixed(1)} ms` : null;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

function timed(work: () => unknown): number {
  const before = cpuMs();
  work();
  return cpuMs() - before;
}
