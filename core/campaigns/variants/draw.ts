import { createHash } from 'node:crypto';
import type { ObjectId } from 'mongodb';

const ROUNDS = 4;
const UINT32 = 4;

/**
 * Numbers 0 to `size` - 1 in another order, the same whenever it is asked for: a Feistel network over the next square power of two, walked
 * until it answers a number that there is. So the lowest numbers are a random part of exactly their size, and nothing has to be stored.
 */
export function drawOf(campaignId: ObjectId, purpose: string, size: number): (place: number) => number {
  const keys = keysOf(campaignId, purpose);
  const bits = Math.max(1, Math.ceil(Math.log2(Math.max(2, size)) / 2));
  const half = 2 ** bits;
  const mask = half - 1;
  const once = (place: number) => {
    let [left, right] = [Math.floor(place / half), place % half];
    for (const key of keys) [left, right] = [right, left ^ (mixed(right, key) & mask)];
    return left * half + right;
  };
  return (place) => {
    let drawn = once(place);
    while (drawn >= size) drawn = once(drawn);
    return drawn;
  };
}

/** Where the part of each ends among `size`, exclusive: parts differ from their share by less than one. */
export function endsOf(shares: readonly number[], size: number): number[] {
  const whole = shares.reduce((sum, share) => sum + share, 0);
  let sum = 0;
  return shares.map((share) => {
    sum += share;
    return Math.round((size * sum) / whole);
  });
}

function keysOf(campaignId: ObjectId, purpose: string): number[] {
  const digest = createHash('sha256').update(campaignId.id).update(purpose).digest();
  return Array.from({ length: ROUNDS }, (_, round) => digest.readInt32LE(round * UINT32));
}

/** The finalizer of MurmurHash3. */
function mixed(value: number, key: number): number {
  let hash = value ^ key;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85eb_ca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2_ae35);
  return hash ^ (hash >>> 16);
}
