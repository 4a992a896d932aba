import { type ErasedAddress, within } from '../addresses.ts';
import type { PeopleDeps } from '../deps.ts';

/** Reasons quote what was refused. The row and that it failed stay. */
const ERASED = 'erased: the contact was deleted';

/** Erases the address of a deleted contact from the rows of files that could not be imported. */
export async function eraseImportErrors(
  { db }: PeopleDeps,
  { projectId, email: address, since, deletedAt: until }: ErasedAddress,
): Promise<boolean> {
  await db.importErrors.updateMany(
    { projectId, address: { $exists: true, $eq: address }, createdAt: within({ since, until }) },
    { $set: { email: null, message: ERASED }, $unset: { address: '' } },
    { hint: 'address' },
  );
  return false;
}
