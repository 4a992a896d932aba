import type { Dot, DotState, DotStates } from '../../core/mail/ledger/dot-journal.ts';

/**
 * A journal is a head of 64 bytes and places for a fixed number of notes, 16 bytes each: the message's id, and its claim with the
 * state of the dot in the two highest bits. The file has its whole size from the beginning, so one that was cut short is recognized
 * wherever it was cut.
 */

export const HEAD_BYTES = 64;
export const NOTE_BYTES = 16;
/** 256 kB: read in two milliseconds by a process that settles. */
export const NOTES_MAX = 16_380;
export const FILE_BYTES = HEAD_BYTES + NOTES_MAX * NOTE_BYTES;
const ID_BYTES = 12;
/** A former version reads the last one as begun. */
const STATES: readonly DotState[] = ['begun', 'accepted', 'refused', 'inPart'];
const STATE_SHIFT = 30;
const CLAIM_MASK = 2 ** STATE_SHIFT - 1;
/** Notes are found by the last bytes of an id, which come from a hash or are random. */
const KEY_BYTES = 6;
const KEY_AT = ID_BYTES - KEY_BYTES;

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
  const last = new Map<number, number>();
  /** For each note the one before it under the same key. */
  const before: number[] = [];
  for (let at = HEAD_BYTES; at < bytes.length && !isEmpty(bytes, at); at += NOTE_BYTES) {
    const key = keyOf(bytes, at);
    before.push(last.get(key) ?? -1);
    last.set(key, before.length - 1);
  }
  const note = Buffer.alloc(NOTE_BYTES);
  return {
    of(dot) {
      writeNote(note, dot, 'begun');
      for (let index = last.get(keyOf(note, 0)) ?? -1; index !== -1; index = before[index]!) {
        const at = HEAD_BYTES + index * NOTE_BYTES;
        if (isAbout(bytes, at, note)) return STATES[bytes.readUInt32LE(at + ID_BYTES) >>> STATE_SHIFT];
      }
      return undefined;
    },
  };
}

/** The first bytes of an id are the time, which is never 0. */
function isEmpty(bytes: Buffer, at: number): boolean {
  return bytes.readUInt32BE(at) === 0;
}

function keyOf(bytes: Buffer, at: number): number {
  return bytes.readUIntBE(at + KEY_AT, KEY_BYTES);
}

function isAbout(bytes: Buffer, at: number, note: Buffer): boolean {
  const claim = (bytes.readUInt32LE(at + ID_BYTES) & CLAIM_MASK) >>> 0;
  return note.compare(bytes, at, at + ID_BYTES, 0, ID_BYTES) === 0 && claim === note.readUInt32LE(ID_BYTES);
}
