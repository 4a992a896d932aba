import type { Collection, ObjectId } from 'mongodb';
import type { Cell } from '../counting/tally.ts';

/** A campaign's audience, and the claims of its parts. A recipient has a row (a message) once there is an outcome. */

export const BLOCK_MAX = 256;

export interface BlockRecipient {
  contactId: ObjectId;
  /** '' when the contact was erased: positions never move. */
  email: string;
}

/** Up to 256 recipients of a campaign, in the order of their addresses. Never changed, except that an erased address is emptied. */
export interface Block {
  /** Derived from campaign, run and n. */
  _id: ObjectId;
  projectId: ObjectId;
  campaignId: ObjectId;
  /** The attempt of the freeze that wrote it (`freeze.run`): blocks of other attempts are not read. */
  run: ObjectId;
  /** Names it in its run: in the order in which blocks were written, which need not be that of sending. */
  n: number;
  /** The `seq` of the first recipient. `seq` counts from 1 through all blocks without gaps; suppressed rows have negative ones. */
  fromSeq: number;
  count: number;
  /** The lowest and the highest address, compared as UTF-8 bytes. */
  first: string;
  last: string;
  recipients: BlockRecipient[];
}

/**
 * The right of one process to send to the recipients `from` to `to` (exclusive) of a block. A claim begins where the one before it
 * in its block ends, and none is removed while the campaign may send, so two never overlap. Open until `endedAt`.
 */
export interface BlockClaim {
  _id: ObjectId;
  projectId: ObjectId;
  campaignId: ObjectId;
  n: number;
  from: number;
  to: number;
  /** The `seq` of its first recipient. */
  fromSeq: number;
  /** When the freeze began: the seconds in the ids of its messages. */
  frozenAt: Date;
  owner: string;
  /** By the database's clock; the Date of its mails. */
  claimedAt: Date;
  /** By the database's clock; not set once it is closed. */
  leaseUntil?: Date;
  /** Every outcome of it is a row, and their events are published. */
  endedAt?: Date;
  /** The process that lost the claim to another one, which settles it. */
  lostBy?: string;
  /** The counts of what its rows were inserted with; written as it is closed, removed when it is counted. */
  counts?: Cell[];
  /** The job to count it. */
  countDueAt?: Date;
}

declare module '../../../base/collections.ts' {
  interface Collections {
    campaignBlocks: Collection<Block>;
    campaignClaims: Collection<BlockClaim>;
  }
}
