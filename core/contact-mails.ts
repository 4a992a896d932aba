import type { ObjectId } from 'mongodb';
import type { Audience } from './audience.ts';
import type { PublishedChange } from './contact-publication.ts';
import type { Deps } from './deps.ts';
import { failQueued } from './messages.ts';
import type { Session } from './model.ts';

/** Why the mail of a deleted contact is not sent, at the deletion and where a sender finds nobody. */
export const CONTACT_DELETED = 'The contact was deleted.';

/** In the transaction that deletes contacts: what is queued for them fails, and a claim cannot take it any more. */
export async function recordMailOfDeleted(
  deps: Deps,
  session: Session,
  projectId: ObjectId,
  _audience: Audience,
  changes: PublishedChange[],
): Promise<void> {
  const deleted = changes.flatMap(({ before, after }) => (after || !before ? [] : [before]));
  if (deleted.length === 0) return;
  const [ids, emails] = [deleted.map(({ _id }) => _id), deleted.map(({ email }) => email)];
  await failQueued(deps, projectId, ids, emails, CONTACT_DELETED, session);
}
