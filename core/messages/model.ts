import type { Collection, ObjectId } from 'mongodb';
import type { Due } from '../base/model.ts';

/** What is known about messages beside the ledger: opens and clicks, and erasures still to do. */

/** A deleted contact whose messages still say something about it; `_id` is the contact's. */
export interface ContactErasure extends Due {
  _id: ObjectId;
  projectId: ObjectId;
  email: string;
  deletedAt: Date;
}

/** What people, and machines, did with one message; there is none until somebody did something. `_id` is the message's. */
export interface Engagement {
  _id: ObjectId;
  projectId: ObjectId;
  campaignId?: ObjectId;
  automationId?: ObjectId;
  openedAt?: Date;
  humanOpenedAt?: Date;
  clickedAt?: Date;
  unsubscribedAt?: Date;
  complainedAt?: Date;
  /** The evidence: the first opens as they came, so that the verdict can be made again when its rules change. */
  opens?: OpenSignal[];
  openCount?: number;
  clicks?: ClickSignal[];
  clickCount?: number;
}

export interface OpenSignal {
  at: Date;
  /** When the relay took the mail; null when that was not known yet. */
  deliveredAt: Date | null;
  /** The first characters of User-Agent. */
  agent: string;
  /** What a browser said about why it asked: Sec-Purpose or Purpose. */
  purpose: string;
  method: string;
}

export interface ClickSignal {
  at: Date;
  url: string;
  agent: string;
}

declare module '../base/collections.ts' {
  interface Collections {
    engagements: Collection<Engagement>;
    contactErasures: Collection<ContactErasure>;
  }
}
