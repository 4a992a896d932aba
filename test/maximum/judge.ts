import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { cpuMsMax, KINDS, type KindName } from '../../platform/threads/kinds.ts';
import { cpuMs, excessOf, HOLD_MS_MAX, othersCpuMs } from '../linear/cpu.ts';
import { longestHold } from '../linear/hold.ts';

/** Something that a stranger may send, in any size. */
export interface Case {
  name: string;
  threads: Threads;
  /** Makes what is sent; `part` of all that there may be, each time with another serial. Returns how it is sent, up to its answer. */
  prepare(part: number, serial: string): Promise<() => Promise<Answered>>;
}

/** The threads that may work at it, each once, and the bytes of all of it. */
export interface Threads {
  kinds: readonly KindName[];
  bytes: number;
}

export interface Answered {
  /** Of the answer, for the record. */
  says: string;
  /** The reason why the answer is wrong. */
  fault?: string | undefined;
  refuses?: Refusal | undefined;
}

export interface Refusal {
  field: string;
  isMissing: boolean;
}

export interface Judged {
  name: string;
  /** CPU time of the longest turn of the event loop. */
  longestMs: number;
  /** CPU time of all other threads, until the last of them had nothing to do. */
  threadsMs: number;
  /** By which the process grew. */
  grownMb: number;
  /** Cost of everything by the cost of half of it. */
  ratio: number;
  says: string;
  faults: string[];
}

export const SMALLEST = 0.25;
const PARTS = [SMALLEST, 0.5, 1];
const REPEATS = 6;
const TURNS = 5;
/** More than in test/linear/cpu.ts, since a process does other things at the same time. */
const INEXACT_MS = 10;
/** Looks, one after the other, in which no thread works. */
const QUIET_LOOKS = 3;
const LOOK_EVERY_MS = 20;
/** For the threads of Node itself, which collect garbage and read files. */
const OTHERS_MS = 1_000;
const MB = 1_048_576;
let serials = 0;

/** Sends a quarter, half and all of it. A time over a limit is measured again, and the smallest counts. */
export async function judge(one: Case): Promise<Judged> {
  const judged: Judged = { name: one.name, longestMs: 0, threadsMs: 0, grownMb: 0, ratio: 0, says: '', faults: [] };
  let before = Number.POSITIVE_INFINITY;
  for (const part of PARTS) {
    let [hold, cost] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    const isExcess = () => cost > 2 * before + INEXACT_MS;
    for (let again = 0; again < REPEATS && (hold >= HOLD_MS_MAX || isExcess()); again += 1) {
      const measured = await measure(one, part, judged);
      if (judged.faults.length > 0) return judged;
      hold = Math.min(hold, measured.hold);
      cost = Math.min(cost, measured.cost);
    }
    judged.longestMs = Math.max(judged.longestMs, hold);
    if (hold >= HOLD_MS_MAX) judged.faults.push(`held the event loop for ${hold.toFixed(0)} ms at ${part}`);
    else if (isExcess()) await comparePart(one, part, judged);
    if (judged.faults.length > 0) return judged;
    judged.ratio = cost / before;
    before = cost;
  }
  return judged;
}

async function comparePart(one: Case, part: number, judged: Judged): Promise<void> {
  const costs: { half: number; whole: number }[] = [];
  while (costs.length < TURNS && judged.faults.length === 0) {
    const half = await measure(one, part / 2, judged);
    costs.push({ half: half.cost, whole: (await measure(one, part, judged)).cost });
  }
  const excess = excessOf(costs, INEXACT_MS);
  if (excess) judged.faults.push(`cost ${excess}, at ${part}`);
}

async function measure(
  { threads, prepare }: Case,
  part: number,
  judged: Judged,
): Promise<{ hold: number; cost: number }> {
  serials += 1;
  const send = await prepare(part, `${serials.toString(36)}z`);
  const began = cpuMs();
  const beside = watchThreads(threads);
  const { holdMs, result } = await longestHold(send);
  const cost = cpuMs() - began;
  const { threadsMs, grownMb, fault } = await beside.end();
  judged.threadsMs = Math.max(judged.threadsMs, threadsMs);
  judged.grownMb = Math.max(judged.grownMb, grownMb);
  judged.says = result.says;
  // The limits of threads leave room for a busy machine.
  if (fault) judged.faults.push(`${fault} at ${part}`);
  if (result.fault) judged.faults.push(result.fault);
  return { hold: holdMs, cost };
}

/** A thread that was not ended still works when the answer is there: its time counts until no thread has anything to do. */
function watchThreads({ kinds, bytes }: Threads) {
  const own = kinds.map((kind) => KINDS[kind]);
  const msMax = own.reduce((sum, kind) => sum + cpuMsMax(kind, bytes), OTHERS_MS);
  const [beganMs, beganBytes] = [othersCpuMs(), process.memoryUsage.rss()];
  let most = beganBytes;
  const look = () => {
    most = Math.max(most, process.memoryUsage.rss());
  };
  const looking = setInterval(look, LOOK_EVERY_MS);
  return {
    async end() {
      const spent = () => othersCpuMs() - beganMs;
      for (let quiet = 0; quiet < QUIET_LOOKS && spent() <= msMax; quiet = isAtWork() ? 0 : quiet + 1) await sleep(2);
      clearInterval(looking);
      look();
      const [threadsMs, grownMb] = [spent(), (most - beganBytes) / MB];
      const says = `kept threads at work for ${threadsMs.toFixed(0)} ms, of ${msMax.toFixed(0)} ms`;
      return { threadsMs, grownMb, fault: threadsMs > msMax ? says : null };
    },
  };
}

/** Whether another thread runs, or waits for a processor. Only Linux says so. */
function isAtWork(): boolean {
  if (process.platform !== 'linux') return false;
  // At once: reading them in turns would itself be work of threads.
  const others = readdirSync('/proc/self/task').filter((id) => Number(id) !== process.pid);
  return others.some((id) => /\) R /.test(statOf(id)));
}

function statOf(id: string): string {
  try {
    return readFileSync(`/proc/self/task/${id}/stat`, 'latin1');
  } catch {
    // It has ended.
    return '';
  }
}

export function describeJudged({ name, longestMs, threadsMs, grownMb, ratio, says, faults }: Judged): string {
  const beside = `threads ${threadsMs.toFixed(0)} ms, ${grownMb.toFixed(0)} MB more`;
  return `${name}: ${longestMs.toFixed(0)} ms, doubling ${ratio.toFixed(1)}, ${beside}, ${says}${faults.length > 0 ? `: ${faults.join('; ')}` : ''}`;
}
