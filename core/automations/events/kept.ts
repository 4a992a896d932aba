import type { ObjectId } from 'mongodb';
import type { Deps } from '../../base/deps.ts';
import { firstIdAt } from '../../base/ids.ts';
import type { Project } from '../../base/model.ts';

const CONTACTS_AT_ONCE = 200;
const EVENTS_AT_ONCE = 500;

/** Announces the custom events again that a project still has, as for new ones. Returns how many there are. */
export async function announceKeptEvents(deps: Deps, { _id: projectId }: Pick<Project, '_id'>): Promise<number> {
  let count = 0;
  for (let last = firstIdAt(0); ; ) {
    const ids = await contactsAfter(deps, projectId, last);
    const found = deps.db.events.find(
      { projectId, contactId: { $in: ids } },
      { hint: 'contact_newest', batchSize: EVENTS_AT_ONCE },
    );
    while (await found.hasNext()) {
      const events = found.readBufferedDocuments();
      await deps.subscribers.customEvents.record(deps, undefined, projectId, events);
      count += events.length;
    }
    if (ids.length < CONTACTS_AT_ONCE) break;
    last = ids.at(-1)!;
  }
  deps.subscribers.customEvents.announce(deps, projectId);
  return count;
}

async function contactsAfter({ db }: Deps, projectId: ObjectId, last: ObjectId): Promise<ObjectId[]> {
  const page = await db.contacts
    .find({ projectId, _id: { $gt: last } }, { projection: { _id: 1 }, hint: 'newest' })
    .sort({ _id: 1 })
    .limit(CONTACTS_AT_ONCE)
    .toArray();
  return page.map(({ _id }) => _id);
}
