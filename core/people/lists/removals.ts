import { afterCommit, inTransaction } from '../../base/database/transactions.ts';
import type { CallerDeps } from '../../base/deps.ts';
import { notFound } from '../../base/errors.ts';
import type { Session } from '../../base/model.ts';
import { again, documentQueue, settled } from '../../jobs/document-queue.ts';
import type { JobQueue } from '../../jobs/queue.ts';
import type { PeopleDeps } from '../deps.ts';
import type { ListRemoval, StoredList } from '../model.ts';
import { touchProjectRules } from '../project-rules.ts';
import { refuseListOfSegment } from './named.ts';
import { SETTLE_MS } from './recompute.ts';

/** Runs in the transaction that removes a list. Throws when the list is still needed. */
type ListRemovalSubscriber = (deps: CallerDeps, session: Session, list: StoredList) => Promise<void>;

declare module '../../base/deps.ts' {
  interface Subscribers {
    listRemovals: readonly ListRemovalSubscriber[];
  }
}

const CONTACTS_AT_ONCE = 1_000;
/** How long the caller waits; the rest of a larger list's contacts is updated in the background. */
const WAIT_MS = 2_000;
const TURN_MS = 10_000;

/**
 * The list is deleted at once and for good; then it is removed from its contacts. A change that had read the list can still commit for a
 * while, so there is a last pass when no such change can be running.
 */
export async function removeList(deps: PeopleDeps, list: StoredList): Promise<void> {
  const { _id, projectId, type } = list;
  const lastLookAt = new Date(deps.clock.now().getTime() + SETTLE_MS);
  const removal: ListRemoval = { _id, projectId, type: type === 'segment' ? 'segment' : 'list', lastLookAt };
  await inTransaction(deps, async (session) => {
    // Saving a segment does too, so that of a segment that begins to name a list and its removal one sees the other.
    await touchProjectRules(deps, { _id: projectId }, session);
    const { deletedCount } = await deps.db.contactLists.deleteOne({ _id, projectId }, { session });
    if (deletedCount === 0) throw notFound('CONTACT_LIST');
    await refuseListOfSegment(deps, session, list);
    for (const refuse of deps.subscribers.listRemovals) await refuse(deps, session, list);
    await deps.db.listRemovals.insertOne({ ...removal, dueAt: deps.clock.now() }, { session });
  });
  await afterCommit(deps, () => leaveContacts(deps, removal, WAIT_MS), 'contacts leave a deleted list later');
}

export function listRemovals(deps: PeopleDeps): JobQueue {
  return documentQueue<ListRemoval>(deps, {
    name: 'list-removals',
    collection: deps.db.listRemovals,
    field: 'dueAt',
    concurrencyMax: 2,
    lookEveryMs: 5_000,
    run: async (removal) => {
      const { _id, projectId, lastLookAt } = removal;
      const now = deps.clock.now();
      if (!(await leaveContacts(deps, removal, TURN_MS))) return again(now);
      if (now < lastLookAt) return again(lastLookAt);
      await deps.db.listCounts.deleteMany({ projectId, listId: _id }, { hint: 'list' });
      await deps.db.listRemovals.deleteOne({ _id, projectId });
      return settled;
    },
  });
}

/** Returns whether no contact is left. */
async function leaveContacts(
  deps: PeopleDeps,
  { _id, projectId, type }: ListRemoval,
  timeMs: number,
): Promise<boolean> {
  const { contacts } = deps.db;
  const members = type === 'segment' ? { projectId, segmentIds: _id } : { projectId, listIds: _id };
  const leave = type === 'segment' ? { $pull: { segmentIds: _id } } : { $pull: { listIds: _id } };
  const deadline = performance.now() + timeMs;
  while (performance.now() < deadline) {
    const found = await contacts
      .find(members, { projection: { _id: 1 }, hint: type, limit: CONTACTS_AT_ONCE })
      .toArray();
    if (found.length === 0) return true;
    await contacts.updateMany({ projectId, _id: { $in: found.map((contact) => contact._id) } }, leave);
  }
  return false;
}
