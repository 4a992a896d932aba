import type { Rank } from '../base/members.ts';

/** Which process asks, and when: see docs/decisions/0033-turns.md. */
export interface Turn extends Rank {
  /** Queues of different names begin their slots at different times, and with different processes. */
  name: string;
  slotMs: number;
}

/**
 * The database's time is cut into slots, and each slot belongs to one of the processes in turn. Returns how long it is from `nowMs` until the
 * next slot of this one begins; more than 0.
 */
export function untilTurnMs({ name, slotMs, rank, count }: Turn, nowMs: number): number {
  const hash = hashOf(name);
  const firstMs = hash % slotMs;
  const slot = Math.floor((nowMs - firstMs) / slotMs);
  const after = positive(rank - hash - slot - 1, count);
  return (slot + 1 + after) * slotMs + firstMs - nowMs;
}

/** Whether this process is the one that answers first when a job of the project is announced. */
export function comesFirst(projectId: string, { rank, count }: Rank): boolean {
  return hashOf(projectId) % count === rank;
}

function hashOf(name: string): number {
  let hash = 0;
  for (const letter of name) hash = (hash * 31 + letter.charCodeAt(0)) % 1_000_003;
  return hash;
}

function positive(value: number, modulus: number): number {
  return ((value % modulus) + modulus) % modulus;
}
