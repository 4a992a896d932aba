import type { ObjectId } from 'mongodb';
import { CAP_DAYS_MAX } from '../../../schemas/accounts/account.ts';
import { batchesById, byProject, deleteInParts } from '../../base/database/batches.ts';
import { firstIdAt } from '../../base/ids.ts';
import { DAY_MS } from '../../base/time/durations.ts';
import { type ErasedAddress, within } from '../../people/addresses.ts';
import type { MailDeps } from '../deps.ts';
import { livePlaces, placesId } from './cap.ts';

const AT_ONCE = 1_000;

/** Called for a contact that was deleted. Places of mails before its time and since stay: another contact may have had the address. */
export async function erasePlaces(
  { db }: Pick<MailDeps, 'db'>,
  { projectId, email, since, deletedAt: until }: ErasedAddress,
): Promise<false> {
  const _id = placesId(projectId, email);
  await db.frequencyPlaces.updateOne({ _id, projectId }, { $pull: { places: { at: within({ since, until }) } } });
  await db.frequencyPlaces.deleteOne({ _id, projectId, places: { $size: 0 } });
  return false;
}

/** Of addresses whose last mail is longer ago than any cap looks back. */
export async function removeOldPlaces(
  { db, clock }: Pick<MailDeps, 'db' | 'clock'>,
  mayContinue: () => boolean,
): Promise<void> {
  const since = new Date(clock.now().getTime() - CAP_DAYS_MAX * DAY_MS);
  for await (const batch of batchesById(db.frequencyPlaces, {}, { size: AT_ONCE, mayContinue })) {
    const old = batch.filter(({ places }) => livePlaces(places, since).length === 0);
    for (const [projectId, some] of byProject(old)) {
      const ids = { $in: some.map(({ _id }) => _id) };
      await db.frequencyPlaces.deleteMany({ _id: ids, projectId, 'places.at': { $not: { $gt: since } } });
    }
  }
}

export async function deletePlacesOfProject(
  { db }: Pick<MailDeps, 'db'>,
  projectId: ObjectId,
  mayContinue: () => boolean,
): Promise<void> {
  const second = projectId.getTimestamp().getTime();
  const range = { $gte: firstIdAt(second), $lt: firstIdAt(second + 1_000) };
  await deleteInParts(db.frequencyPlaces, { projectId, _id: range }, { mayContinue });
}
