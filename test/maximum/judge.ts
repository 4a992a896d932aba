import { cpuMs, HOLD_MS_MAX } from '../linear/cpu.ts';
import { longestHold } from '../linear/hold.ts';

/** Something that a stranger may send, in any size. */
export interface Case {
  name: string;
  /** Makes what is sent; `part` of all that there may be, each time with another serial. Returns how it is sent, up to its answer. */
  prepare(part: number, serial: string): Promise<() => Promise<Answered>>;
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
  /** Cost of everything by the cost of half of it. */
  ratio: number;
  says: string;
  faults: string[];
}

export const SMALLEST = 0.25;
const PARTS = [SMALLEST, 0.5, 1];
const REPEATS = 6;
/** More than in test/linear/cpu.ts, since a process does other things at the same time. */
const INEXACT_MS = 10;
let serials = 0;

/** Sends a quarter, half and all of it. A time over a limit is measured again, and the smallest counts. */
export async function judge({ name, prepare }: Case): Promise<Judged> {
  const judged: Judged = { name, longestMs: 0, ratio: 0, says: '', faults: [] };
  let before = Number.POSITIVE_INFINITY;
  for (const part of PARTS) {
    let [hold, cost] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (let again = 0; again < REPEATS && (hold >= HOLD_MS_MAX || cost > 2 * before + INEXACT_MS); again += 1) {
      serials += 1;
      const send = await prepare(part, `${serials.toString(36)}z`);
      const began = cpuMs();
      const { holdMs, result } = await longestHold(send);
      hold = Math.min(hold, holdMs);
      cost = Math.min(cost, cpuMs() - began);
      judged.says = result.says;
      if (result.fault) judged.faults.push(result.fault);
    }
    judged.longestMs = Math.max(judged.longestMs, hold);
    if (hold >= HOLD_MS_MAX) judged.faults.push(`held the event loop for ${hold.toFixed(0)} ms at ${part}`);
    if (cost > 2 * before + INEXACT_MS)
      judged.faults.push(`cost ${cost.toFixed(0)} ms at ${part}, half of it ${before.toFixed(0)} ms`);
    judged.ratio = cost / before;
    before = cost;
  }
  return judged;
}

export function describeJudged({ name, longestMs, ratio, says, faults }: Judged): string {
  return `${name}: ${longestMs.toFixed(0)} ms, doubling ${ratio.toFixed(1)}, ${says}${faults.length > 0 ? `: ${faults.join('; ')}` : ''}`;
}
