import type { ObjectId } from 'mongodb';

/**
 * A process writes each final dot down before it leaves, in a file that outlives the process. Another process that settles its
 * claims learns from the file which dots were never begun. The file does not outlive the machine, so it counts only under the boot
 * it was written in.
 */

/** An attempt at a message: a message may be claimed again later. */
export interface Dot {
  readonly _id: ObjectId;
  readonly claim: number;
}

export interface DotWriter {
  /** Written when it returns true. False: it could not be, and the dot must not leave. */
  note(dot: Dot): boolean;
  /** For a process that ends with all of its outcomes written. */
  remove(): void;
}

export interface DotJournals {
  /** Names the running boot of this machine; null where no journal can be kept. */
  readonly machine: string | null;
  /** The file is of bounded size: when it is full, a new one begins with the dots in `begun`, whose outcomes are not written. */
  open(owner: string, begun: () => Iterable<Dot>): DotWriter | null;
  /** Null: it cannot be read here, or not be trusted. */
  read(owner: string): Promise<BegunDots | null>;
}

export interface BegunDots {
  has(dot: Dot): boolean;
}

/** For this long after its lease a claim whose owner keeps a journal is left to processes that can read it. */
export const JOURNAL_WAIT_MS = 60_000;

/** In the name of an owner that keeps a journal, before the name of its machine. */
export const MACHINE_MARK = '@';

export function keepsJournal(owner: string | undefined): boolean {
  return owner?.includes(MACHINE_MARK) ?? false;
}

declare module '../base/deps.ts' {
  interface Deps {
    dots: DotJournals;
  }
}
