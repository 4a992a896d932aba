import type { ObjectId } from 'mongodb';
import { publishEvents } from '../../events/events.ts';
import { figuresUntil } from '../../events/listeners.ts';
import type { AutomationsDeps } from '../deps.ts';
import type { EventRecord } from '../model/event.ts';

/** A stream gets some events of a burst, not all of them. */
const TOGETHER_MAX = 10;

/** For streams that ask for it, after the events are recorded: nothing depends on it. */
export function publishRecorded(deps: AutomationsDeps, projectId: ObjectId, records: readonly EventRecord[]): void {
  const eraseAt = figuresUntil(deps);
  const events = records.slice(-TOGETHER_MAX).map(({ _id, eventName, contactId, properties, createdAt }) => {
    const id = _id.toHexString();
    const data = { id, eventName, contactId: contactId.toHexString(), properties, createdAt };
    return { type: 'event.recorded' as const, key: id, data, eraseAt };
  });
  publishEvents(deps, projectId, events).catch((err) =>
    deps.log.warn({ err, projectId: projectId.toHexString() }, 'recorded events were not published to streams'),
  );
}
