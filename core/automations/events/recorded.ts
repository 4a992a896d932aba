import type { ObjectId } from 'mongodb';
import { distinctIds } from '../../base/ids.ts';
import type { Project } from '../../base/model.ts';
import { READ_TIME_MAX_MS } from '../../base/paging.ts';
import { DAY_MS } from '../../base/time/durations.ts';
import type { Contact } from '../../people/model.ts';
import type { AutomationsDeps } from '../deps.ts';
import type { EventRecord } from '../model/event.ts';
import { getEvent } from './events.ts';

const SEEN_DAYS = 30;
const NAMES_MAX = 100;

type Tenant = Pick<Project, '_id'>;

interface SeenEvent {
  eventName: string;
  lastRecordedAt: Date;
}

/** The names that events had within the last 30 days, the newest first. */
export async function seenEvents({ db, clock }: AutomationsDeps, { _id: projectId }: Tenant): Promise<SeenEvent[]> {
  const since = new Date(clock.now().getTime() - SEEN_DAYS * DAY_MS);
  const found = await db.events
    .aggregate<{ _id: string; at: Date }>(
      [
        ...newestOfEachName(projectId),
        { $match: { at: { $gte: since } } },
        { $sort: { at: -1, _id: 1 } },
        { $limit: NAMES_MAX },
      ],
      { hint: 'name_newest', maxTimeMS: READ_TIME_MAX_MS },
    )
    .toArray();
  return found.map(({ _id: eventName, at }) => ({ eventName, lastRecordedAt: at }));
}

/** One key of the index for each name, however many events it has. */
export function newestOfEachName(projectId: ObjectId): object[] {
  return [
    { $match: { projectId } },
    { $sort: { projectId: 1, eventName: 1, createdAt: -1 } },
    { $group: { _id: '$eventName', at: { $first: '$createdAt' } } },
  ];
}

/** The newest events of one name, with the addresses of the contacts that are there still. */
export async function newestRecords(
  deps: AutomationsDeps,
  project: Tenant,
  eventId: string,
  { limit = 10 }: { limit?: number | undefined },
): Promise<Array<{ record: EventRecord; email: string | null }>> {
  const { eventName } = await getEvent(deps, project, eventId);
  const projectId = project._id;
  const newest = { hint: 'name_newest', sort: { createdAt: -1 }, limit, maxTimeMS: READ_TIME_MAX_MS } as const;
  const records = await deps.db.events.find({ projectId, eventName }, newest).toArray();
  const ids = distinctIds(records.map(({ contactId }) => contactId));
  const contacts = await deps.db.contacts
    .find({ _id: { $in: ids }, projectId })
    .project<Pick<Contact, '_id' | 'email'>>({ email: 1 })
    .toArray();
  const emails = new Map(contacts.map(({ _id, email }) => [_id.toHexString(), email]));
  return records.map((record) => ({ record, email: emails.get(record.contactId.toHexString()) ?? null }));
}
