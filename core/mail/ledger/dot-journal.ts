import type { ObjectId } from 'mongodb';

/**
 * A process writes each final dot down before it leaves, and the relay's answer when it comes, in a file that outlives the process.
 * Another process that settles its claims learns from the file which dots were never begun, and which were answered. The file does
 * not outlive the machine, so it counts only under the boot it was written in.
 */

/** An attempt at a message: a message may be claimed again later. */
export interface Dot {
  readonly _id: ObjectId;
  readonly claim: number;
}

/**
 * inPart: begun, and the relay had refused a recipient of the attempt before. refused: it certainly does not have the mail. accepted: it
 * has it for every recipient of the attempt.
 */
export type DotState = 'begun' | 'accepted' | 'refused' | 'inPart';

export interface NotedDot extends Dot {
  readonly noted: DotState;
}

export interface DotWriter {
  /** Written when it returns true. False: it could not be, and the dot must not leave. */
  note(dot: Dot, state: DotState): boolean;
  /** For a process that ends with all of its outcomes written. */
  remove(): void;
}

export interface DotJournals {
  /** Names the running boot of this machine; null where no journal can be kept. */
  readonly machine: string | null;
  /** The file is of bounded size: when it is full, a new one begins with the dots in `unwritten`, whose outcomes are not stored. */
  open(owner: string, unwritten: () => Iterable<NotedDot>): DotWriter | null;
  /** Null: it cannot be read here, or not be trusted. */
  read(owner: string): Promise<DotStates | null>;
}

export interface DotStates {
  /** undefined: the dot was never begun. */
  of(dot: Dot): DotState | undefined;
}

/** For this long after its lease a claim whose owner keeps a journal is left to processes that can read it. */
export const JOURNAL_WAIT_MS = 60_000;

/** In the name of an owner that keeps a journal, before the name of its machine. */
export const MACHINE_MARK = '@';

export function keepsJournal(owner: string | undefined): boolean {
  return owner?.includes(MACHINE_MARK) ?? false;
}

declare module '../../base/deps.ts' {
  interface Deps {
    dots: DotJournals;
  }
}
