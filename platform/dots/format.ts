import type { Dot, DotState, DotStates } from '../../core/outbox/dot-journal.ts';

/**
 * A journal is a head of 64 bytes and places for a fixed number of notes, 16 bytes each: the message's id, and its claim with the
 * state of the dot in the two highest bits. The file has its whole size from the beginning, so one that was cut short is recognized
 * wherever it was cut.
 */

export const HEAD_BYTES = 64;
export const NOTE_BYTES = 16;
export const NOTES_MAX = 65_532;
export const FILE_BYTES = HEAD_BYTES + NOTES_MAX * NOTE_BYTES;
const ID_BYTES = 12;
const STATES: readonly DotState[] = ['begun', 'accepted', 'refused'];
const STATE_SHIFT = 30;
const CLAIM_MASK = 2 ** STATE_SHIFT - 1;
const NO_NOTE = Buffer.alloc(NOTE_BYTES);

export function headOf(bootId: string): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.write(`everpost dots 1 ${bootId}\n`, 'latin1');
  return head;
}

export function writeNote(bytes: Buffer, { _id, claim }: Dot, state: DotState, at = 0): void {
  bytes.set(_id.id, at);
  bytes.writeUInt32LE(((claim & CLAIM_MASK) | (STATES.indexOf(state) << STATE_SHIFT)) >>> 0, at + ID_BYTES);
}

/** The last note about a dot counts. null: not a whole journal of this boot. */
export function readNotes(bytes: Buffer, bootId: string): DotStates | null {
  if (bytes.length !== FILE_BYTES || !bytes.subarray(0, HEAD_BYTES).equals(headOf(bootId))) return null;
  const states = new Map<string, DotState>();
  for (let at = HEAD_BYTES; at < bytes.length && NO_NOTE.compare(bytes, at, at + NOTE_BYTES) !== 0; at += NOTE_BYTES) {
    const place = bytes.readUInt32LE(at + ID_BYTES);
    const key = keyOf(bytes.toString('hex', at, at + ID_BYTES), place & CLAIM_MASK);
    states.set(key, STATES[place >>> STATE_SHIFT] ?? 'begun');
  }
  return { of: ({ _id, claim }) => states.get(keyOf(_id.toHexString(), claim & CLAIM_MASK)) };
}

function keyOf(id: string, claim: number): string {
  return `${id} ${claim}`;
}
