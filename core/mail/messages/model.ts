import type { Collection, ObjectId } from 'mongodb';
import type { Due } from '../../base/model.ts';
import type { ErasedAddress } from '../../people/addresses.ts';

/** Data about messages outside the ledger: opens and clicks, and pending erasures. */

/** An address of a deleted contact whose messages still have personal data. */
export interface ContactErasure extends Due, ErasedAddress {
  /** The contact's; of a former address its own, since what names the contact is erased with the last address. */
  _id: ObjectId;
  /** No block of a campaign has the address. */
  isOutOfBlocks?: true;
}

/** Opens and clicks, of people and machines, of one message; created with the first. `_id` is the message's. */
export interface Engagement {
  _id: ObjectId;
  projectId: ObjectId;
  campaignId?: ObjectId;
  automationId?: ObjectId;
  openedAt?: Date;
  humanOpenedAt?: Date;
  /** The open of a person was taken back: a signal that was read before may be written after that, so the next pass looks again. */
  humanOpenTakenBack?: true;
  clickedAt?: Date;
  unsubscribedAt?: Date;
  complainedAt?: Date;
  /** The evidence: the first opens as they came, so that they can be classified again when the rules change. */
  opens?: OpenSignal[];
  openCount?: number;
  /** The first click on each link. */
  clicks?: ClickSignal[];
  /** Clicks on links that only machines had clicked by then. */
  laterClicks?: ClickSignal[];
  clickCount?: number;
  /** Clicks by link: see core/mail/messages/clicks.ts. */
  linkClicks?: Record<string, number>;
  /** The times that the series have, written when they are counted. */
  counted?: Partial<Record<EngagementTime, Date>>;
  /** The clicks that the counts of links have. */
  countedLinks?: CountedLink[];
  /** The job to count what is not among them. */
  countDueAt?: Date;
}

export type EngagementTime = 'openedAt' | 'humanOpenedAt' | 'clickedAt' | 'unsubscribedAt' | 'complainedAt';

export interface OpenSignal {
  at: Date;
  /** When the relay took the mail; null when that was not known yet. */
  deliveredAt: Date | null;
  /** The first characters of User-Agent. */
  agent: string;
  /** The browser's reason for the request: Sec-Purpose or Purpose. */
  purpose: string;
  method: string;
}

export interface ClickSignal {
  at: Date;
  /** When the relay took the mail; null when that was not known yet. */
  deliveredAt: Date | null;
  url: string;
  agent: string;
  /** The link's number in the content; links that came with the data have none, and some that left before links were numbered. */
  link?: number;
}

/** A link of one mail; without link and url: clicks on links that are not kept. */
export interface CountedLink {
  link?: number;
  url?: string;
  clicks: number;
  isHuman: boolean;
}

declare module '../../base/deps.ts' {
  interface Subscribers {
    /** Erase a deleted contact elsewhere, 12 hours later. May be repeated; true: not yet, call again later. */
    erasures: ReadonlyArray<(deps: CallerDeps, erasure: ContactErasure) => Promise<boolean>>;
  }
}

declare module '../../base/collections.ts' {
  interface Collections {
    engagements: Collection<Engagement>;
    contactErasures: Collection<ContactErasure>;
  }
}
