import type { Budget } from '../../core/base/limits/budgets.ts';
import type { Rank } from '../../core/base/members.ts';

/** With fewer units than processes each has one for so long in its turn. */
const TURN_MS = 10_000;
/** At the beginning of a turn none has a unit: those before end their mail. */
const PAUSE_MS = 1_000;

/** The share of a process while Redis is down: an equal part. */
export function dividedShare(
  { amount, unit }: Pick<Budget, 'amount' | 'unit'>,
  { rank, count }: Rank,
  nowMs: number,
): number {
  const part = amount / Math.max(1, count);
  if (unit === 'per second') return part;
  if (part >= 1) return Math.floor(part);
  if (nowMs % TURN_MS < PAUSE_MS) return 0;
  const turn = Math.floor(nowMs / TURN_MS);
  return (rank + turn * amount) % count < amount ? 1 : 0;
}
