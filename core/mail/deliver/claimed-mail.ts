import type { Claimed } from '../ledger/ledger.ts';
import type { MessageRecipient } from '../ledger/model.ts';
import type { Lane } from '../ledger/relay.ts';

/** A claimed and checked mail. */
export interface ClaimedMail {
  readonly held: Claimed;
  readonly lane: Lane;
  /** The mail's Date, the same in every attempt. */
  readonly at: Date;
  /** Earlier attempts that ended without a final answer. */
  readonly deferrals: number;
  /** Set where there are cc or bcc. */
  readonly recipients: MessageRecipient[] | null;
}
