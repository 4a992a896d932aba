import { batchesById } from '../../base/database/batches.ts';
import type { Project } from '../../base/model.ts';
import type { AutomationsDeps } from '../deps.ts';

const CONTACTS_AT_ONCE = 200;
const EVENTS_AT_ONCE = 500;

/** Announces the custom events again that a project still has, as for new ones. Returns how many there are. */
export async function announceKeptEvents(
  deps: AutomationsDeps,
  { _id: projectId }: Pick<Project, '_id'>,
): Promise<number> {
  let count = 0;
  const each = { size: CONTACTS_AT_ONCE, projection: { _id: 1 }, hint: 'newest' };
  for await (const contacts of batchesById(deps.db.contacts, { projectId }, each)) {
    const ids = contacts.map(({ _id }) => _id);
    const found = deps.db.events.find(
      { projectId, contactId: { $in: ids } },
      { hint: 'contact_newest', batchSize: EVENTS_AT_ONCE },
    );
    while (await found.hasNext()) {
      const events = found.readBufferedDocuments();
      await deps.subscribers.customEvents.record(deps, undefined, projectId, events);
      count += events.length;
    }
  }
  deps.subscribers.customEvents.announce(deps, projectId);
  return count;
}
