import { repeatOnDuplicate } from '../../base/database/idempotent-insert.ts';
import { inTransaction } from '../../base/database/transactions.ts';
import { derivedId } from '../../base/ids.ts';
import type { Session } from '../../base/model.ts';
import { again, type DueOutcome, documentQueue, done, settled } from '../../jobs/document-queue.ts';
import { type JobQueue, wakeQueue } from '../../jobs/queue.ts';
import type { Contact } from '../../people/model.ts';
import { projectRulesOf } from '../../people/project-rules.ts';
import type { AutomationsDeps } from '../deps.ts';
import type { Trigger } from '../model/enrollment.ts';
import { newTrigger, TRIGGERS } from '../record-triggers.ts';
import { LATE_MS_MAX, nextOccurrence } from '../rules/dates.ts';
import type { AwaitedDate } from './model.ts';
import { NOT_DUE } from './record.ts';

const COUNT_PARTS = 8;

/** Dates of contacts that are reached. */
export function dateQueue(deps: AutomationsDeps): JobQueue {
  return documentQueue<AwaitedDate>(deps, {
    name: 'dates',
    collection: deps.db.awaitedDates,
    field: 'dueAt',
    concurrencyMax: 16,
    lookEveryMs: 1_000,
    run: (date) => followDate(deps, date),
  });
}

/** The occurrence is found again for the person as they are now: what is stored only says when to look. */
async function followDate(deps: AutomationsDeps, date: AwaitedDate): Promise<DueOutcome> {
  const { projectId, contactId, automationId } = date;
  const [{ entrances, zones }, contact, project] = await Promise.all([
    projectRulesOf(deps, projectId),
    deps.db.contacts.findOne({ _id: contactId, projectId }),
    deps.db.projects.findOne({ _id: projectId, deletedAt: null }, { projection: { _id: 1 } }),
  ]);
  const entrance = entrances.find(({ _id }) => _id.equals(automationId));
  // When it is activated again, all dates are looked for.
  if (!entrance?.entry.dates || !project) return done;
  if (!contact) {
    await deps.db.awaitedDates.deleteOne({ _id: date._id, projectId });
    return settled;
  }
  const { entry, activeAt } = entrance;
  const next = (fromMs: number) => nextOccurrence(entrance.entry.dates ?? {}, contact, zones, fromMs);
  const occurrence = next(date.from.getTime());
  if (!occurrence) return done;
  const { atMs, key } = occurrence;
  const now = deps.clock.now();
  if (atMs > now.getTime()) return again(new Date(atMs));
  const isNew = key !== date.last;
  const isMissed = isNew && now.getTime() - atMs > LATE_MS_MAX;
  const enters = isNew && !isMissed && !isQuiet(contact, activeAt) && entry.admits({ contact });
  const at = new Date(atMs);
  const _id = derivedId(at, 'date', date._id, key);
  const trigger = enters ? { ...newTrigger(deps, projectId, contactId, [automationId]), _id, at } : null;
  const later = next(atMs + 1);
  const after = { from: new Date(atMs + 1), last: key, ...(later && { dueAt: new Date(later.atMs) }) };
  await moveOn(deps, date, { after, trigger, isMissed });
  return settled;
}

/** Made without automations, and untouched since: as with segments that change because time passes. */
function isQuiet({ isQuiet: is, createdAt }: Contact, activeAt: Date | null): boolean {
  return is === true && activeAt !== null && createdAt >= activeAt;
}

interface Step {
  after: Pick<AwaitedDate, 'from' | 'last' | 'dueAt'>;
  trigger: Trigger | null;
  isMissed: boolean;
}

/** Nothing is written when the date was changed, or taken by another process, since it was read. */
async function moveOn(
  deps: AutomationsDeps,
  { _id, projectId, automationId, contactId, from, dueAt }: AwaitedDate,
  { after, trigger, isMissed }: Step,
): Promise<void> {
  const write = async (session: Session): Promise<boolean> => {
    const { matchedCount } = await deps.db.awaitedDates.updateOne(
      { _id, projectId, from, ...(dueAt && { dueAt }) },
      { $set: after, ...(after.dueAt ? {} : { $unset: NOT_DUE }) },
      { session },
    );
    if (matchedCount === 0) return false;
    if (trigger) await deps.db.triggers.insertOne(trigger, { session });
    if (isMissed) await countMissed(deps, session, { projectId, automationId, contactId });
    return true;
  };
  const isWritten = await repeatOnDuplicate(() => inTransaction(deps, write));
  if (isWritten && trigger) wakeQueue(deps, TRIGGERS, projectId);
}

/** A part of the counts that no move of an enrollment writes; some parts, so that dates rarely wait for each other. */
async function countMissed(
  { db }: AutomationsDeps,
  session: Session,
  { projectId, automationId, contactId }: Pick<AwaitedDate, 'projectId' | 'automationId' | 'contactId'>,
): Promise<void> {
  const _id = `${automationId.toHexString()}::dates${(contactId.id[11] ?? 0) % COUNT_PARTS}`;
  const update = { $inc: { missed: 1 }, $setOnInsert: { automationId, stepId: '' } };
  await db.automationCounts.updateOne({ _id, projectId }, update, { session, upsert: true });
}
