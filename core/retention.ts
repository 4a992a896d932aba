import type { Collection, Document, Filter, ObjectId } from 'mongodb';
import type { EventRecord } from './automations/model.ts';
import type { Deps } from './base/deps.ts';
import { firstIdAt } from './base/ids.ts';
import { removeOldBlocks } from './campaigns/audience/retention.ts';
import type { Campaign } from './campaigns/model.ts';
import { OVER } from './campaigns/status.ts';
import { removeOldConsents } from './consent/consents/erase.ts';
import type { Content, Message } from './mail/ledger/model.ts';
import { isOver, OPEN_STATES } from './mail/ledger/states.ts';
import { CONTENT_KEPT_MS } from './mail/messages/content-retention.ts';
import type { ContactFact, ContactHistory } from './people/model.ts';

const DAY_MS = 24 * 3_600_000;
const AT_ONCE = 1_000;
const TURN = 'retention';
const CONTENTS_DATED = 'contents-dated';
/** In UTC; every hour is daytime somewhere, so it only has to be the same one every day. */
const HOUR = 3;
/** A process that died during its turn delays the others for this long. */
const LEASE_MS = 15 * 60_000;

interface Removed {
  messages: number;
  events: number;
}

/**
 * Removes old data in the one process that gets the turn; the others return without work. null: not now, or another process has the turn.
 */
export async function takeRetentionTurn(deps: Deps, mayContinue: () => boolean): Promise<Removed | null> {
  const { upkeep } = deps.db;
  const now = deps.clock.now();
  await upkeep.updateOne({ _id: TURN }, { $setOnInsert: { dueAt: nextNight(now) } }, { upsert: true });
  const leased = { $set: { dueAt: new Date(now.getTime() + LEASE_MS) } };
  const turn = await upkeep.findOneAndUpdate({ _id: TURN, dueAt: { $lte: now } }, leased, { returnDocument: 'after' });
  if (!turn) return null;
  const removed = await removeOld(deps, mayContinue);
  // Stopped early: the next process continues at once.
  const dueAt = mayContinue() ? nextNight(deps.clock.now()) : deps.clock.now();
  await upkeep.updateOne({ _id: TURN, dueAt: turn.dueAt as Date }, { $set: { dueAt } });
  return removed;
}

/**
 * Removes data older than RETENTION_DAYS: messages with their engagements, except those that may still be sent or belong to a campaign that
 * is not over, with the blocks of campaigns, and events that automations have processed. Ids begin with the second of queueing, so this is a range of ids over all
 * projects. May be stopped and restarted at any point.
 */
export async function removeOld(deps: Deps, mayContinue: () => boolean = () => true): Promise<Removed> {
  const { messages, events } = deps.db;
  const before = firstIdAt(deps.clock.now().getTime() - deps.config.retentionDays * DAY_MS);
  const removed = { messages: 0, events: 0 };
  await dateContents(deps, mayContinue);
  const fields = { projectId: 1, state: 1, campaignId: 1, scheduledAt: 1 } as const;
  for await (const batch of batches<Message>(messages, before, fields, mayContinue))
    removed.messages += await removeMessages(
      deps,
      batch.filter((message) => isOld(message, before)),
    );
  for await (const batch of batches<EventRecord>(events, before, { projectId: 1, dueAt: 1 }, mayContinue))
    removed.events += await removeEvents(deps, batch);
  await removeFacts(deps, before, mayContinue);
  await removeHistory(deps, before, mayContinue);
  await removeOldBlocks(deps, before.getTimestamp(), mayContinue);
  await removeOldConsents(deps, mayContinue);
  return removed;
}

/** Earlier versions stored the contents of automation mail without a date of removal. Repeated each night until a run finds none. */
async function dateContents({ db, clock }: Deps, mayContinue: () => boolean): Promise<void> {
  const { contents, upkeep } = db;
  if (await upkeep.findOne({ _id: CONTENTS_DATED })) return;
  const undated = { removeDueAt: { $exists: false } };
  const date = [{ $set: { removeDueAt: { $add: ['$createdAt', CONTENT_KEPT_MS] } } }];
  let found = 0;
  const before = firstIdAt(clock.now().getTime() + DAY_MS);
  for await (const batch of batches<Content>(contents, before, { projectId: 1 }, mayContinue, undated))
    for (const [projectId, some] of byProject(batch)) {
      await contents.updateMany({ _id: { $in: some.map(({ _id }) => _id) }, projectId, ...undated }, date);
      found += some.length;
    }
  if (found === 0 && mayContinue())
    await upkeep.updateOne({ _id: CONTENTS_DATED }, { $set: { doneAt: clock.now() } }, { upsert: true });
}

async function* batches<Doc extends { _id: ObjectId }>(
  collection: Collection<Doc>,
  before: ObjectId,
  projection: Document,
  mayContinue: () => boolean,
  where: Filter<Doc> = {},
): AsyncGenerator<Doc[]> {
  for (let after = firstIdAt(0); mayContinue(); ) {
    const range = { ...where, _id: { $gt: after, $lt: before } } as Filter<Doc>;
    const found = (await collection.find(range, { projection }).sort({ _id: 1 }).limit(AT_ONCE).toArray()) as Doc[];
    if (found.length > 0) yield found;
    if (found.length < AT_ONCE) return;
    after = found.at(-1)?._id ?? before;
  }
}

/** Scheduled mail is as old as the time that was chosen for it. */
function isOld({ scheduledAt }: Message, before: ObjectId): boolean {
  return !scheduledAt || scheduledAt < before.getTimestamp();
}

async function removeMessages(deps: Deps, batch: Message[]): Promise<number> {
  let removed = 0;
  for (const [projectId, messages] of byProject(batch.filter(({ state }) => isOver(state)))) {
    const open = await openCampaigns(deps, projectId, messages);
    const ids = messages.flatMap(({ _id, campaignId }) => (campaignId && open.has(`${campaignId}`) ? [] : _id));
    const old = { _id: { $in: ids }, projectId };
    await deps.db.engagements.deleteMany(old);
    // A retry may have been requested in between.
    const { deletedCount } = await deps.db.messages.deleteMany({ ...old, state: { $nin: OPEN_STATES } });
    removed += deletedCount;
  }
  return removed;
}

async function openCampaigns({ db }: Deps, projectId: ObjectId, messages: Message[]): Promise<Set<string>> {
  const ids = [...new Map(messages.flatMap(({ campaignId }) => (campaignId ? [[`${campaignId}`, campaignId]] : [])))];
  if (ids.length === 0) return new Set();
  const open = { _id: { $in: ids.map(([, id]) => id) }, projectId, status: { $nin: [...OVER] } };
  const found = await db.campaigns.find(open as Filter<Campaign>, { projection: { _id: 1 } }).toArray();
  return new Set(found.map(({ _id }) => `${_id}`));
}

async function removeEvents({ db }: Deps, batch: EventRecord[]): Promise<number> {
  let removed = 0;
  for (const [projectId, events] of byProject(batch.filter(({ dueAt }) => !dueAt))) {
    const { deletedCount } = await db.events.deleteMany({ _id: { $in: events.map(({ _id }) => _id) }, projectId });
    removed += deletedCount;
  }
  return removed;
}

/** Segments do not count them any more by then. Ids begin with the second of the mail or event, which is no later than the fact. */
async function removeFacts(deps: Deps, before: ObjectId, mayContinue: () => boolean): Promise<void> {
  const old = { at: { $lt: before.getTimestamp() } };
  for await (const batch of batches<ContactFact>(deps.db.contactFacts, before, { projectId: 1 }, mayContinue, old))
    for (const [projectId, facts] of byProject(batch))
      await deps.db.contactFacts.deleteMany({ _id: { $in: facts.map(({ _id }) => _id) }, projectId, ...old });
}

async function removeHistory({ db }: Deps, before: ObjectId, mayContinue: () => boolean): Promise<void> {
  for await (const batch of batches<ContactHistory>(db.contactHistory, before, { projectId: 1 }, mayContinue))
    for (const [projectId, some] of byProject(batch))
      await db.contactHistory.deleteMany({ _id: { $in: some.map(({ _id }) => _id) }, projectId });
}

function byProject<Doc extends { projectId: ObjectId }>(docs: Doc[]): Array<[ObjectId, Doc[]]> {
  return [...Map.groupBy(docs, ({ projectId }) => `${projectId}`).values()].map((some) => [some[0]!.projectId, some]);
}

function nextNight(now: Date): Date {
  const night = new Date(now);
  night.setUTCHours(HOUR, 0, 0, 0);
  return night > now ? night : new Date(night.getTime() + DAY_MS);
}
