import type { AnyBulkWriteOperation, ObjectId } from 'mongodb';
import { repeatOnDuplicate } from '../../base/database/idempotent-insert.ts';
import { inTransaction } from '../../base/database/transactions.ts';
import type { Needs } from '../../base/deps.ts';
import type { Session } from '../../base/model.ts';
import { again, type DueOutcome, done } from '../../jobs/document-queue.ts';
import { GLOBAL_LIST } from '../../people/global-list.ts';
import { findList } from '../../people/lists/lists.ts';
import { SETTLE_MS } from '../../people/lists/recompute.ts';
import type { Contact } from '../../people/model.ts';
import { projectRulesOf } from '../../people/project-rules.ts';
import type { AutomationsDeps } from '../deps.ts';
import type { Automation } from '../model/automation.ts';
import { AT_ONCE } from '../record-triggers.ts';
import { type DateCriteria, nextOccurrence } from '../rules/dates.ts';
import type { Zones } from '../rules/waits.ts';
import type { AwaitedDate, DateSearch } from './model.ts';
import { awaitedId, NOT_DUE } from './record.ts';

const CONTACTS_TOGETHER = 500;
const REMOVED_TOGETHER = 5_000;
/** Well below the lease of the queue. */
const TURN_MS = 15_000;
const FROM_THE_BEGINNING = { status: 'running', cursor: null, looked: 0, total: 0 } as const;

type Dated = Pick<Automation, 'entryCriteria'>;

/** Fields of an automation that begins to let people in, or does so by other criteria: its job looks for the dates of all contacts. */
export function dateSearch(
  { clock }: Pick<AutomationsDeps, 'clock'>,
  { entryCriteria: { type } }: Dated,
): Pick<Automation, 'dates' | 'dueAt'> {
  if (type !== 'date_reached') return {};
  const now = clock.now();
  return { dates: { ...FROM_THE_BEGINNING, begunAt: now, since: now }, dueAt: AT_ONCE };
}

/** In the transaction that gives the project another zone. */
export async function searchDatesAgain(
  deps: Needs<'clock', 'automations'>,
  session: Session,
  projectId: ObjectId,
): Promise<void> {
  const dated = { projectId, status: 'active' as const, deletedAt: null, dates: { $exists: true } };
  const fields = Object.entries({ ...FROM_THE_BEGINNING, begunAt: deps.clock.now() });
  const begun = Object.fromEntries(fields.map(([name, value]) => [`dates.${name}`, value]));
  await deps.db.automations.updateMany(dated, { $set: { ...begun, dueAt: AT_ONCE } }, { session });
}

/** Looks for the dates of all contacts, a part of them in each turn of the job. */
export async function searchDates(deps: AutomationsDeps, automation: Automation): Promise<DueOutcome> {
  const over = performance.now() + TURN_MS;
  for (let { dates } = automation; dates && dates.status !== 'completed'; ) {
    const settledAt = new Date(dates.begunAt.getTime() + SETTLE_MS);
    const isBetween = dates.status === 'settling' && dates.cursor === null;
    if (isBetween && deps.clock.now() < settledAt) return again(settledAt);
    if (performance.now() > over) return again(AT_ONCE);
    dates = await searchPage(deps, automation, dates);
  }
  return done;
}

/** undefined: the search was begun again, or the automation is not active any more. */
async function searchPage(
  deps: AutomationsDeps,
  { _id, projectId }: Automation,
  search: DateSearch,
): Promise<DateSearch | undefined> {
  const { cursor, status, begunAt, since } = search;
  const { entrances, zones } = await projectRulesOf(deps, projectId);
  const criteria = entrances.find((one) => one._id.equals(_id))?.entry.dates;
  if (!criteria) return undefined;
  const asked = { _id, projectId, criteria, zones, begunAt, since };
  const page = await repeatOnDuplicate(() => inTransaction(deps, (session) => awaitAll(deps, session, asked, cursor)));
  const moved = await afterPage(deps, projectId, search, page);
  const unchanged = { _id, projectId, 'dates.begunAt': begunAt, 'dates.status': status, 'dates.cursor': cursor };
  const { matchedCount } = await deps.db.automations.updateOne(unchanged, { $set: { dates: moved } });
  return matchedCount === 1 ? moved : undefined;
}

async function afterPage(
  deps: AutomationsDeps,
  projectId: ObjectId,
  search: DateSearch,
  page: ObjectId[],
): Promise<DateSearch> {
  const isFirst = search.status === 'running';
  const looked = search.looked + (isFirst ? page.length : 0);
  const known = search.total || (await findList(deps, { _id: projectId }, GLOBAL_LIST)).contactCount;
  const progress = { ...search, looked, total: Math.max(known, looked) };
  if (page.length === CONTACTS_TOGETHER) return { ...progress, cursor: page.at(-1) ?? null };
  return { ...progress, status: isFirst ? 'settling' : 'completed', cursor: null, total: looked };
}

interface Asked {
  _id: ObjectId;
  projectId: ObjectId;
  criteria: DateCriteria;
  zones: Zones;
  begunAt: Date;
  since: Date;
}

/** One transaction reads contacts and writes their dates, so that it conflicts with a change of one of them, and is repeated. */
async function awaitAll(
  { db }: AutomationsDeps,
  session: Session,
  { _id: automationId, projectId, criteria, zones, begunAt, since }: Asked,
  cursor: ObjectId | null,
): Promise<ObjectId[]> {
  const further = cursor ? { projectId, _id: { $gt: cursor } } : { projectId };
  const reading = { session, hint: 'newest', sort: { _id: 1 }, limit: CONTACTS_TOGETHER } as const;
  const contacts = await db.contacts.find(further, reading).toArray();
  const ids = contacts.map(({ _id }) => awaitedId(automationId, _id));
  const found = await db.awaitedDates.find({ _id: { $in: ids }, projectId }, { session }).toArray();
  const known = new Map(found.map((date) => [date._id, date]));
  const writes = contacts.flatMap((contact, index) => {
    const date = known.get(ids[index] as string);
    const from = date ? later(date.from, since) : begunAt;
    return awaitOne(contact, { date, from, criteria, zones }, { projectId, automationId });
  });
  if (writes.length > 0) await db.awaitedDates.bulkWrite(writes, { session });
  return contacts.map(({ _id }) => _id);
}

function later(one: Date, other: Date): Date {
  return one > other ? one : other;
}

function awaitOne(
  contact: Contact,
  { date, from, criteria, zones }: Pick<Asked, 'criteria' | 'zones'> & { date: AwaitedDate | undefined; from: Date },
  { projectId, automationId }: Pick<AwaitedDate, 'projectId' | 'automationId'>,
): Array<AnyBulkWriteOperation<AwaitedDate>> {
  const next = nextOccurrence(criteria, contact, zones, from.getTime());
  const filter = { _id: awaitedId(automationId, contact._id), projectId };
  if (next) {
    const $set = { from, dueAt: new Date(next.atMs), automationId, contactId: contact._id };
    return [{ updateOne: { filter, update: { $set }, upsert: true } }];
  }
  return date?.dueAt ? [{ updateOne: { filter, update: { $unset: NOT_DUE } } }] : [];
}

/** Of an automation that is over. */
export async function forgetDates({ db }: AutomationsDeps, { _id, projectId }: Automation): Promise<DueOutcome> {
  const over = performance.now() + TURN_MS;
  const own = { projectId, automationId: _id };
  for (;;) {
    const found = await db.awaitedDates.find(own, { projection: { _id: 1 }, limit: REMOVED_TOGETHER }).toArray();
    if (found.length === 0) return done;
    await db.awaitedDates.deleteMany({ _id: { $in: found.map((date) => date._id) }, projectId });
    if (performance.now() > over) return again(AT_ONCE);
  }
}
