import type { AnyBulkWriteOperation, ObjectId } from 'mongodb';
import type { Session } from '../../base/model.ts';
import type { Contact } from '../../people/model.ts';
import type { ProjectRules } from '../../people/project-rules.ts';
import type { PublishedChange } from '../../people/subscribers.ts';
import type { AutomationsDeps } from '../deps.ts';
import { AT_ONCE } from '../record-triggers.ts';
import { type DateCriteria, movesOccurrences, nextOccurrence } from '../rules/dates.ts';
import type { Zones } from '../rules/waits.ts';
import type { AwaitedDate } from './model.ts';

type Write = AnyBulkWriteOperation<AwaitedDate>;
export const NOT_DUE = { dueAt: '', dueAtBy: '' } as const;

/** In the transaction of the changes. Projects without such automations are known from memory. */
export async function recordDates(
  deps: AutomationsDeps,
  session: Session,
  projectId: ObjectId,
  { entrances, dateAutomationIds, zones }: ProjectRules,
  changes: PublishedChange[],
): Promise<void> {
  if (dateAutomationIds.length === 0) return;
  const now = deps.clock.now();
  const writes = changes.flatMap(({ before, after }): Write[] => {
    if (!after) return before ? dateAutomationIds.map((id) => deletion(projectId, id, before)) : [];
    return entrances.flatMap(({ _id, entry }) =>
      entry.dates ? moved(entry.dates, { before, after, zones, now }, { projectId, automationId: _id }) : [],
    );
  });
  if (writes.length > 0) await deps.db.awaitedDates.bulkWrite(writes, { session });
}

export function awaitedId(automationId: ObjectId, contactId: ObjectId): string {
  return `${automationId.toHexString()}:${contactId.toHexString()}`;
}

function deletion(projectId: ObjectId, automationId: ObjectId, { _id }: Contact): Write {
  return { deleteOne: { filter: { _id: awaitedId(automationId, _id), projectId } } };
}

interface Moving {
  before: Contact | null;
  after: Contact;
  zones: Zones;
  now: Date;
}

/** A new date counts from now on. Another zone may move an occurrence that is due already, so the job looks at that. */
function moved(
  criteria: DateCriteria,
  { before, after, zones, now }: Moving,
  { projectId, automationId }: Pick<AwaitedDate, 'projectId' | 'automationId'>,
): Write[] {
  const moves = movesOccurrences(criteria, zones, before, after);
  if (!moves) return [];
  const filter = { _id: awaitedId(automationId, after._id), projectId };
  if (moves === 'zone')
    return [{ updateOne: { filter: { ...filter, dueAt: { $exists: true } }, update: { $set: { dueAt: AT_ONCE } } } }];
  const next = nextOccurrence(criteria, after, zones, now.getTime());
  if (!next) return [{ updateOne: { filter, update: { $set: { from: now }, $unset: NOT_DUE } } }];
  const $set = { from: now, dueAt: new Date(next.atMs) };
  const $setOnInsert = { automationId, contactId: after._id };
  return [{ updateOne: { filter, update: { $set, $setOnInsert }, upsert: true } }];
}
