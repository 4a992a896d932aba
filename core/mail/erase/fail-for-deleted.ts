import type { ObjectId } from 'mongodb';
import type { Session } from '../../base/model.ts';
import type { Deletion } from '../../people/subscribers.ts';
import type { MailDeps } from '../deps.ts';
import { failQueued } from '../messages/messages.ts';
import { cancelMailTo } from '../messages/scheduled/to-deleted.ts';

/** Why mail of a deleted contact is not sent: used by the deletion, and by senders that find no contact. */
export const CONTACT_DELETED = 'The contact was deleted.';

/** Runs in the transaction that deletes contacts: their queued mail fails, scheduled mail is cancelled, and cannot be claimed any more. */
export async function recordMailOfDeleted(
  deps: MailDeps,
  session: Session,
  projectId: ObjectId,
  { contacts, addresses }: Deletion,
): Promise<void> {
  const ids = contacts.map(({ _id }) => _id);
  await failQueued(deps, projectId, ids, CONTACT_DELETED, session);
  const kept = addresses.filter(({ until }) => until === null);
  const emails = [...new Set([...contacts, ...kept].map(({ email }) => email))];
  await cancelMailTo(deps, session, projectId, { emails, reason: CONTACT_DELETED });
}
