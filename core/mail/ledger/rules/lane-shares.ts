import type { Lane } from '../relay.ts';

export const LANES: readonly Lane[] = ['transactional', 'automation', 'campaign'];

export type LaneCounts = Record<Lane, number>;

/**
 * Transactional keeps a fifth, at least 4, and automation a tenth: together never more than half of a small limit. Nothing is kept for a
 * lane that the process does not serve.
 */
export function reservedShares(connectionsMax: number, served = LANES): LaneCounts {
  const transactional = Math.min(Math.max(4, Math.floor(connectionsMax / 5)), Math.floor(connectionsMax / 2));
  const automation = Math.min(Math.floor(connectionsMax / 10), Math.floor(connectionsMax / 2) - transactional);
  const keep = (lane: Lane, count: number) => (served.includes(lane) ? Math.max(0, count) : 0);
  return {
    transactional: keep('transactional', transactional),
    automation: keep('automation', automation),
    campaign: 0,
  };
}

/** How many more connections the lane may take without using those reserved for another lane. */
export function freeFor(lane: Lane, connectionsMax: number, inUse: LaneCounts, served = LANES): number {
  const reserved = reservedShares(connectionsMax, served);
  let taken = 0;
  for (const other of LANES) taken += other === lane ? inUse[other] : Math.max(inUse[other], reserved[other]);
  return Math.max(0, connectionsMax - taken);
}
