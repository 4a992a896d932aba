import { createHash } from 'node:crypto';
import type { ObjectId } from 'mongodb';

const WHOLE = 100;
const UINT32 = 2 ** 32;

/** Whether a person is left without this campaign: always the same, and another part of the people for each campaign. */
export function holdOutOf(campaignId: ObjectId, share: number): (contactId: ObjectId) => boolean {
  if (share <= 0) return () => false;
  const below = (share / WHOLE) * UINT32;
  const seed = createHash('sha256').update('hold-out').update(campaignId.id);
  return (contactId) => seed.copy().update(contactId.id).digest().readUInt32BE(0) < below;
}
