import type { Lane } from '../relay.ts';

export const LANES: readonly Lane[] = ['transactional', 'automation', 'campaign'];

export type LaneCounts = Record<Lane, number>;

/** Transactional keeps a fifth, at least 4, and automation a tenth: together never more than half of a small limit. */
export function reservedShares(connectionsMax: number): LaneCounts {
  const transactional = Math.min(Math.max(4, Math.floor(connectionsMax / 5)), Math.floor(connectionsMax / 2));
  const automation = Math.min(Math.floor(connectionsMax / 10), Math.floor(connectionsMax / 2) - transactional);
  return { transactional, automation: Math.max(0, automation), campaign: 0 };
}

/** How many more connections the lane may take without using those reserved for another lane. */
export function freeFor(lane: Lane, connectionsMax: number, inUse: LaneCounts): number {
  const reserved = reservedShares(connectionsMax);
  let taken = 0;
  for (const other of LANES) taken += other === lane ? inUse[other] : Math.max(inUse[other], reserved[other]);
  return Math.max(0, connectionsMax - taken);
}
