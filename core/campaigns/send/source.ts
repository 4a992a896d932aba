import type { Contact } from '../../contacts/model.ts';
import type { Held } from '../../outbox/ledger.ts';

/** A message claimed by this process. */
export interface Claimed {
  readonly held: Held;
  readonly seq: number;
  readonly email: string;
  /** The mail's Date. */
  readonly at: Date;
  /** Attempts that ended without a final answer. */
  readonly deferrals: number;
  /** Read after the claim; null when it was deleted. */
  contact: Contact | null;
}

/** Where the recipients of a range come from: the blocks of its audience, or rows that wait. In the order of `seq`. */
export interface Source {
  /** How many can be claimed at once; reads when that is not known. 0: none are left. */
  waiting(): Promise<number>;
  /** Claims up to so many of those that are waiting. May return fewer, also none: other processes claim too. */
  claim(count: number): Promise<Claimed[]>;
  /** Claimed recipients that cannot be sent to now: `keep` them for later, or `return` them, so that any process can claim them. */
  readonly whenRelayIsDown: 'keep' | 'return';
  /** A claim was returned to the queue. */
  onReturned(item: Claimed): void;
  isDone(): boolean;
  /** The first `seq` that is left for later; null when the range is done. */
  restFrom(): number | null;
}
