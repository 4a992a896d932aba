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

/** The first of these sizes, each twice the one before, at which the work costs more than twice as much; null: there is none. */
export function firstExcess(sizes: readonly number[], workOf: (size: number) => () => unknown): string | null {
  let before = Infinity;
  for (const size of sizes) {
    const work = workOf(size);
    const ms = leastOf(work, 2 * before + INEXACT_MS);
    // Files before this one may have left much in memory, which slows both: the half is measured again, at the same time.
    if (ms > 2 * before + INEXACT_MS && Number.isFinite(before))
      before = Math.max(before, leastOf(workOf(size / 2), 0));
    if (ms > 2 * before + INEXACT_MS) return `${size}: ${ms.toFixed(1)} ms, half of it ${before.toFixed(1)} ms`;
    before = Math.min(ms, leastOf(work, ms / 2));
  }
  return null;
}

function timed(work: () => unknown): number {
  const before = cpuMs();
  work();
  return cpuMs() - before;
}
