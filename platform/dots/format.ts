import type { Dot } from '../../core/outbox/dot-journal.ts';

/**
 * A journal is a head of 64 bytes and places for a fixed number of dots, 16 bytes each: the message's id and its claim. The file
 * has its whole size from the beginning, so one that was cut short is recognized wherever it was cut.
 */

export const HEAD_BYTES = 64;
export const DOT_BYTES = 16;
export const DOTS_MAX = 65_532;
export const FILE_BYTES = HEAD_BYTES + DOTS_MAX * DOT_BYTES;
const ID_BYTES = 12;

export function headOf(bootId: string): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.write(`everpost dots 1 ${bootId}\n`, 'latin1');
  return head;
}

/** Numbers of claims beyond 32 bits are cut alike when a dot is written and when it is looked for. */
export function writeDot(bytes: Buffer, { _id, claim }: Dot, at = 0): void {
  bytes.set(_id.id, at);
  bytes.writeUInt32LE(claim >>> 0, at + ID_BYTES);
}

/** null: not a whole journal of this boot. */
export function readDots(bytes: Buffer, bootId: string): Set<string> | null {
  if (bytes.length !== FILE_BYTES || !bytes.subarray(0, HEAD_BYTES).equals(headOf(bootId))) return null;
  const dots = new Set<string>();
  for (let at = HEAD_BYTES; at < bytes.length; at += DOT_BYTES) {
    const dot = bytes.toString('latin1', at, at + DOT_BYTES);
    if (dot === NO_DOT) break;
    dots.add(dot);
  }
  return dots;
}

const NO_DOT = '\0'.repeat(DOT_BYTES);

export function keyOf(dot: Dot): string {
  const bytes = Buffer.alloc(DOT_BYTES);
  writeDot(bytes, dot);
  return bytes.toString('latin1');
}
