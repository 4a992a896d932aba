import type { ObjectId } from 'mongodb';
import type { Session } from '../base/model.ts';
import { type DueOutcome, documentQueue, settled } from '../jobs/document-queue.ts';
import type { JobQueue } from '../jobs/queue.ts';
import { namingOf } from '../people/addresses.ts';
import type { Deletion } from '../people/subscribers.ts';
import type { FormsDeps } from './deps.ts';
import type { Agreement, PendingSubscription } from './model.ts';
import { PENDING_MS } from './submit.ts';

const LOOK_EVERY_MS = 60_000;
const AT_ONCE_MAX = 4;

/** Agreements that can still be confirmed. */
export function liveAgreements({ clock }: Pick<FormsDeps, 'clock'>, { agreements }: PendingSubscription): Agreement[] {
  const since = clock.now().getTime() - PENDING_MS;
  return agreements.filter(({ askedAt }) => askedAt.getTime() > since);
}

/** When the oldest agreement is to be removed. */
export function firstEnd(agreements: PendingSubscription['agreements']): Date {
  return new Date(Math.min(...agreements.map(({ askedAt }) => askedAt.getTime())) + PENDING_MS);
}

/** Removes what was not confirmed within seven days; a younger form of the same address keeps waiting. */
export function pendingSubscriptions(deps: FormsDeps): JobQueue {
  return documentQueue<PendingSubscription>(deps, {
    name: 'pending-subscriptions',
    collection: deps.db.pendingSubscriptions,
    field: 'dueAt',
    concurrencyMax: AT_ONCE_MAX,
    lookEveryMs: LOOK_EVERY_MS,
    run: (pending) => removeOld(deps, pending),
  });
}

async function removeOld(deps: FormsDeps, pending: PendingSubscription): Promise<DueOutcome> {
  const { _id, projectId, revision } = pending;
  const same = { _id, projectId, revision };
  const agreements = liveAgreements(deps, pending);
  if (agreements.length === 0) await deps.db.pendingSubscriptions.deleteOne(same);
  else
    await deps.db.pendingSubscriptions.updateOne(same, {
      $set: { agreements, dueAt: firstEnd(agreements) },
      $inc: { revision: 1 },
    });
  return settled;
}

/** Runs in the transaction that deletes contacts: nothing of them waits any more. */
export async function removePendingOfDeleted(
  { db }: FormsDeps,
  session: Session,
  projectId: ObjectId,
  { addresses }: Deletion,
): Promise<void> {
  for (const which of namingOf(addresses, 'email', 'createdAt')) {
    await db.formSubmissions.deleteMany({ projectId, ...which }, { session });
    await db.pendingSubscriptions.deleteMany({ projectId, ...which }, { session });
  }
}

export async function deleteFormsOfProject({ db }: Pick<FormsDeps, 'db'>, projectId: ObjectId): Promise<void> {
  await db.forms.deleteMany({ projectId });
  await db.formSubmissions.deleteMany({ projectId });
  await db.pendingSubscriptions.deleteMany({ projectId });
}
