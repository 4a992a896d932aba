/** Bytes of stored files in memory. Those of a file are taken before it is read. */
export interface HeldBytes {
  /** Waits a moment for room; 503 when none comes. */
  take(bytes: number): Promise<void>;
}

/** For work that is no answer: its memory has a budget of its own, or it reads a few files at a time. */
export const heldElsewhere: HeldBytes = { take: async () => {} };
