/** Bytes of stored files in memory. Those of a file are taken before it is read. */
export interface HeldBytes {
  /** Waits a moment for room; 503 when none comes. */
  take(bytes: number): Promise<void>;
}

/** For work that is no answer: its memory has a budget of its own, or it reads a few files at a time. */
export const heldElsewhere: HeldBytes = { take: async () => {} };

const BLOCK_BYTES_MIN = 4_096;
const BLOCK_BYTES_MAX = 1_048_576;

/** Holds bytes that arrive in pieces of any size: kept by itself, a piece of one byte would take a hundred. */
export class Blocks {
  #full: Buffer[] = [];
  #block = Buffer.alloc(0);
  #used = 0;
  #bytes = 0;

  add(piece: Uint8Array): void {
    for (let from = 0; from < piece.length; ) {
      if (this.#used === this.#block.length) this.#begin();
      const part = piece.subarray(from, from + this.#block.length - this.#used);
      this.#block.set(part, this.#used);
      this.#used += part.length;
      from += part.length;
    }
    this.#bytes += piece.length;
  }

  /** The memory of all blocks. */
  heldBytes(): number {
    return this.#full.reduce((sum, { length }) => sum + length, this.#block.length);
  }

  /** All bytes, which are not held here any more. */
  take(): Buffer {
    const whole = Buffer.allocUnsafeSlow(this.#bytes);
    let at = 0;
    for (const block of [...this.#full, this.#block.subarray(0, this.#used)]) {
      whole.set(block, at);
      at += block.length;
    }
    this.drop();
    return whole;
  }

  /** The memory of the blocks is free at once, without waiting for a collection. */
  drop(): void {
    for (const { buffer } of [...this.#full, this.#block]) (buffer as ArrayBuffer).transfer(0);
    this.#full = [];
    this.#block = Buffer.alloc(0);
    this.#used = this.#bytes = 0;
  }

  /** As large as what is held, so that at most half of the memory is empty. */
  #begin(): void {
    if (this.#used > 0) this.#full.push(this.#block);
    this.#block = Buffer.allocUnsafeSlow(Math.min(BLOCK_BYTES_MAX, Math.max(BLOCK_BYTES_MIN, this.#bytes)));
    this.#used = 0;
  }
}
