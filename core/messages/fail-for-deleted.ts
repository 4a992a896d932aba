import type { ObjectId } from 'mongodb';
import type { Deps } from '../base/deps.ts';
import type { Session } from '../base/model.ts';
import { failQueued } from './messages.ts';

export interface DeletedContact {
  _id: ObjectId;
  email: string;
}

/** Why the mail of a deleted contact is not sent, at the deletion and where a sender finds nobody. */
export const CONTACT_DELETED = 'The contact was deleted.';

/** In the transaction that deletes contacts: what is queued for them fails, and a claim cannot take it any more. */
export async function recordMailOfDeleted(
  deps: Deps,
  session: Session,
  projectId: ObjectId,
  deleted: readonly DeletedContact[],
): Promise<void> {
  const ids = deleted.map(({ _id }) => _id);
  await failQueued(deps, projectId, ids, CONTACT_DELETED, session);
}
