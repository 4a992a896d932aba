import type { ObjectId } from 'mongodb';
import type { PropertyValue } from '../../../base/model.ts';
import type { Consent } from '../../../consent/consents/model.ts';
import type { Suppression } from '../../../consent/suppressions/model.ts';
import type { Message, TimelineEntry } from '../../../mail/ledger/model.ts';
import type { Contact, ContactHistory } from '../../../people/model.ts';

/** A position in the order of all entries of a contact. */
export interface Cursor {
  at: Date;
  /** Entries of one moment are in the order of their sources. */
  source: number;
  /** Distinct within a source: an id, for mail with the number of the step. */
  key: string;
}

export const sources = { mail: 0, event: 1, change: 2, suppression: 3, consent: 4 } as const;

/** Of the five parts only that of its source is set. */
export interface Activity extends Cursor {
  type: string;
  mail?: { message: Message; step: TimelineEntry };
  event?: { _id: ObjectId; eventName: string; properties: Record<string, PropertyValue> };
  change?: ContactHistory;
  suppression?: Suppression;
  consent?: Consent;
}

export interface Asked {
  contact: Contact;
  cursor: Cursor | null;
  limit: number;
}

/** Newest first. */
export function compareActivity(one: Cursor, other: Cursor): number {
  const byTime = other.at.getTime() - one.at.getTime();
  if (byTime !== 0) return byTime;
  if (one.source !== other.source) return one.source - other.source;
  return one.key < other.key ? 1 : one.key > other.key ? -1 : 0;
}
