import type { ObjectId } from 'mongodb';

const ID_BYTES = 12;
const SLOTS_MIN = 1_024;
/** Of the slots, that may be taken before there are twice as many. */
const FILLED_MAX = 0.6;

/** A set of ids for millions of them: some 30 bytes each, where a Set of strings takes a hundred. */
export class IdSet {
  size = 0;
  private slots = SLOTS_MIN;
  private bytes = Buffer.alloc(SLOTS_MIN * ID_BYTES);
  private taken = new Uint8Array(SLOTS_MIN);

  /** False when it was there. */
  add(id: ObjectId): boolean {
    const slot = this.slotOf(id.id);
    if (this.taken[slot] === 1) return false;
    this.put(slot, id.id);
    this.size += 1;
    if (this.size > this.slots * FILLED_MAX) this.grow();
    return true;
  }

  has(id: ObjectId): boolean {
    return this.size > 0 && this.taken[this.slotOf(id.id)] === 1;
  }

  private put(slot: number, id: Uint8Array): void {
    this.bytes.set(id, slot * ID_BYTES);
    this.taken[slot] = 1;
  }

  /** The slot that has the id, or the free one for it. */
  private slotOf(id: Uint8Array): number {
    for (let slot = hashOf(id) % this.slots; ; slot = (slot + 1) % this.slots)
      if (this.taken[slot] === 0 || this.isAt(slot, id)) return slot;
  }

  private isAt(slot: number, id: Uint8Array): boolean {
    const start = slot * ID_BYTES;
    for (let at = ID_BYTES - 1; at >= 0; at -= 1) if (this.bytes[start + at] !== id[at]) return false;
    return true;
  }

  private grow(): void {
    const { bytes, taken, slots } = this;
    this.slots = slots * 2;
    this.bytes = Buffer.alloc(this.slots * ID_BYTES);
    this.taken = new Uint8Array(this.slots);
    for (let slot = 0; slot < slots; slot += 1) {
      if (taken[slot] === 0) continue;
      const id = bytes.subarray(slot * ID_BYTES, (slot + 1) * ID_BYTES);
      this.put(this.slotOf(id), id);
    }
  }
}

/** FNV-1a. */
function hashOf(id: Uint8Array): number {
  let hash = 0x811c9dc5;
  for (const byte of id) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}
