import type { ObjectId } from 'mongodb';
import { derivedId } from '../../../base/ids.ts';

/** The number of a recipient's first claim, that of its block, in its row, its events and dot journals. */
export const BLOCK_CLAIM = 1;

/** The id of a contact's message in a campaign, always the same. Its seconds are those in which the freeze began. */
export function recipientId(frozenAt: Date, campaignId: ObjectId, contactId: ObjectId): ObjectId {
  return derivedId(frozenAt, 'campaign', campaignId.toHexString(), contactId.toHexString());
}
