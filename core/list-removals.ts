import { touchAudience } from './audience.ts';
import type { Deps } from './deps.ts';
import type { DueKind } from './due.ts';
import { again, dueDocuments, settled } from './due-documents.ts';
import { notFound } from './errors.ts';
import type { ContactList, ListRemoval } from './model.ts';
import { inTransaction } from './transactions.ts';

const CONTACTS_AT_ONCE = 1_000;
/** What the caller waits for; a larger list leaves the rest of its contacts in the background. */
const WAIT_MS = 2_000;
const TURN_MS = 10_000;
const LEASE_MS = 30_000;

/** The list is gone at once and for good; then it leaves its contacts. */
export async function removeList(deps: Deps, { _id, projectId, type }: ContactList): Promise<void> {
  const dueAt = new Date(deps.clock.now().getTime() + LEASE_MS);
  const removal: ListRemoval = { _id, projectId, type: type === 'segment' ? 'segment' : 'list', dueAt };
  await inTransaction(deps, async (session) => {
    const { deletedCount } = await deps.db.contactLists.deleteOne({ _id, projectId }, { session });
    if (deletedCount === 0) throw notFound('CONTACT_LIST');
    await deps.db.listRemovals.insertOne(removal, { session });
    if (type === 'segment') await touchAudience(deps, { _id: projectId }, session);
  });
  if (await leaveContacts(deps, removal, WAIT_MS)) await deps.db.listRemovals.deleteOne({ _id, projectId });
}

export function listRemovals(deps: Deps): DueKind {
  return dueDocuments<ListRemoval>(deps, {
    name: 'list-removals',
    collection: deps.db.listRemovals,
    field: 'dueAt',
    concurrencyMax: 2,
    lookEveryMs: 5_000,
    run: async (removal) => {
      if (!(await leaveContacts(deps, removal, TURN_MS))) return again(new Date(0));
      await deps.db.listRemovals.deleteOne({ _id: removal._id, projectId: removal.projectId });
      return settled;
    },
  });
}

/** Whether no contact is left. Nobody can join meanwhile: adding to a list writes the list, which is gone. */
async function leaveContacts(deps: Deps, { _id, projectId, type }: ListRemoval, timeMs: number): Promise<boolean> {
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
