import type { ObjectId } from 'mongodb';
import type { Contact } from '../../../people/model.ts';
import type { ClaimedMail } from '../claimed-mail.ts';

/** A recipient of a campaign, claimed by this process. */
export interface ClaimedRecipient extends ClaimedMail {
  readonly seq: number;
  readonly email: string;
  /** Read after the claim; null when it was deleted. */
  contact: Contact | null;
}

/** Which recipients of which campaign. */
export interface RecipientRange {
  readonly projectId: ObjectId;
  readonly campaignId: ObjectId;
  /** When the freeze began, and its attempt; null where an older version wrote a row for everybody. */
  readonly frozenAt: Date;
  readonly run: ObjectId | null;
  readonly fromSeq: number;
  readonly toSeq: number;
  /** Of those that wait in rows, not of those in blocks. */
  readonly isDeferred: boolean;
  /** Of the campaign. */
  readonly tags?: string[];
}

/** Where the recipients of a range come from: the blocks of its audience, or rows that wait. In the order of `seq`. */
export interface Source {
  /** The most recipients that there can be. */
  readonly sizeMax: number;
  /** How many can be claimed at once; reads when that is not known. 0: none are left. */
  waiting(): Promise<number>;
  /** Claims up to so many of those that are waiting. May return fewer, also none: other processes claim too. */
  claim(count: number): Promise<ClaimedRecipient[]>;
  /** Claimed recipients that cannot be sent to now: `keep` them for later, or `return` them, so that any process can claim them. */
  readonly whenRelayIsDown: 'keep' | 'return';
  /** A claim was returned to the queue. */
  onReturned(item: ClaimedRecipient): void;
  isDone(): boolean;
  /** The first `seq` that is left for later; null when the range is done. */
  restFrom(): number | null;
}
