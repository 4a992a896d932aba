import type { ObjectId } from 'mongodb';
import { byProject, deleteInParts } from '../../base/database/batches.ts';
import { hashOfErased } from '../../base/secrets.ts';
import { DAY_MS } from '../../base/time/durations.ts';
import type { ConsentDeps } from '../deps.ts';

const AT_ONCE = 1_000;

/** Called for a contact that was deleted. It may have had several addresses, so each is erased with its own hash. */
export async function eraseConsents(
  { db, clock, config }: Pick<ConsentDeps, 'db' | 'clock' | 'config'>,
  { _id: contactId, projectId }: { _id: ObjectId; projectId: ObjectId },
): Promise<false> {
  const named = { projectId, contactId, email: { $ne: '' } };
  for (;;) {
    const one = await db.consents.findOne(named, { hint: 'contact', projection: { email: 1 } });
    if (!one) return false;
    const emailHash = hashOfErased({ config }, projectId, one.email);
    const erased = { email: '', emailHash, networkAddress: null, erasedAt: clock.now() };
    await db.consents.updateMany({ projectId, contactId, email: one.email }, { $set: erased }, { hint: 'contact' });
  }
}

/** Removes the records of people who were erased CONSENT_RETENTION_DAYS ago. */
export async function removeOldConsents(
  { db, clock, config }: Pick<ConsentDeps, 'db' | 'clock' | 'config'>,
  mayContinue: () => boolean,
): Promise<void> {
  const before = new Date(clock.now().getTime() - config.consentRetentionDays * DAY_MS);
  // Of all projects at once: the index has no project.
  const old = { erasedAt: { $lt: before } };
  while (mayContinue()) {
    const found = await db.consents
      .find(old, { hint: 'erased', projection: { projectId: 1 } })
      .sort({ erasedAt: 1, _id: 1 })
      .limit(AT_ONCE)
      .toArray();
    for (const [projectId, some] of byProject(found))
      await db.consents.deleteMany({ _id: { $in: some.map(({ _id }) => _id) }, projectId, ...old });
    if (found.length < AT_ONCE) break;
  }
}

export async function deleteConsentsOfProject(
  { db }: Pick<ConsentDeps, 'db'>,
  projectId: ObjectId,
  mayContinue: () => boolean,
): Promise<void> {
  await deleteInParts(db.consents, { projectId }, { hint: 'contact', mayContinue });
}
