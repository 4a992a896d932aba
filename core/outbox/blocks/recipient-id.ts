import type { ObjectId } from 'mongodb';
import { derivedId } from '../../base/ids.ts';

/** The id of a contact's message in a campaign, always the same. Its seconds are those in which the freeze began. */
export function recipientId(frozenAt: Date, campaignId: ObjectId, contactId: ObjectId): ObjectId {
  return derivedId(frozenAt, 'campaign', campaignId.toHexString(), contactId.toHexString());
}
