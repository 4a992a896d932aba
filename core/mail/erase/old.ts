import type { ObjectId } from 'mongodb';
import { batchesById, byProject } from '../../base/database/batches.ts';
import { distinctIds, firstIdAt } from '../../base/ids.ts';
import { note } from '../../jobs/upkeep.ts';
import type { MailDeps } from '../deps.ts';
import type { Message } from '../ledger/model.ts';
import { isOver, OPEN_STATES } from '../ledger/states.ts';
import { CONTENT_KEPT_MS } from '../messages/content-retention.ts';

const AT_ONCE = 1_000;
const DAY_MS = 24 * 3_600_000;
const CONTENTS_DATED = 'contents-dated';
const FIELDS = { projectId: 1, state: 1, campaignId: 1, scheduledAt: 1 } as const;

/** Of these campaigns those that are not over, as hexadecimal ids. */
type OpenCampaigns = (projectId: ObjectId, campaignIds: ObjectId[]) => Promise<Set<string>>;

/**
 * Removes old messages with their engagements, except those that may still be sent or belong to a campaign that is not over, and returns
 * the number of messages.
 */
export async function removeOldMessages(
  deps: MailDeps,
  before: ObjectId,
  mayContinue: () => boolean,
  openCampaigns: OpenCampaigns,
): Promise<number> {
  let removed = 0;
  for await (const batch of batchesById(
    deps.db.messages,
    {},
    { size: AT_ONCE, before, mayContinue, projection: FIELDS },
  )) {
    const over = batch.filter((message) => isOver(message.state) && isOld(message, before));
    for (const [projectId, messages] of byProject(over))
      removed += await removeMessages(deps, projectId, messages, openCampaigns);
  }
  return removed;
}

async function removeMessages(
  { db }: MailDeps,
  projectId: ObjectId,
  messages: Message[],
  openCampaigns: OpenCampaigns,
): Promise<number> {
  const campaignIds = distinctIds(messages.flatMap(({ campaignId }) => campaignId ?? []));
  const open = campaignIds.length > 0 ? await openCampaigns(projectId, campaignIds) : new Set();
  const ids = messages.flatMap(({ _id, campaignId }) => (campaignId && open.has(`${campaignId}`) ? [] : _id));
  const old = { _id: { $in: ids }, projectId };
  await db.engagements.deleteMany(old);
  // A retry may have been requested in between.
  const { deletedCount } = await db.messages.deleteMany({ ...old, state: { $nin: OPEN_STATES } });
  return deletedCount;
}

/** Scheduled mail is as old as the time that was chosen for it. */
function isOld({ scheduledAt }: Message, before: ObjectId): boolean {
  return !scheduledAt || scheduledAt < before.getTimestamp();
}

/** Earlier versions stored the contents of automation mail without a date of removal. Repeated each night until a run finds none. */
export async function dateContents({ db, clock }: MailDeps, mayContinue: () => boolean): Promise<void> {
  if (await db.upkeep.findOne({ _id: CONTENTS_DATED })) return;
  const undated = { removeDueAt: { $exists: false } };
  const date = [{ $set: { removeDueAt: { $add: ['$createdAt', CONTENT_KEPT_MS] } } }];
  let found = 0;
  const before = firstIdAt(clock.now().getTime() + DAY_MS);
  for await (const batch of batchesById(db.contents, undated, {
    size: AT_ONCE,
    before,
    mayContinue,
    projection: { projectId: 1 },
  }))
    for (const [projectId, some] of byProject(batch)) {
      await db.contents.updateMany({ _id: { $in: some.map(({ _id }) => _id) }, projectId, ...undated }, date);
      found += some.length;
    }
  if (found === 0 && mayContinue()) await note({ db }, CONTENTS_DATED, { doneAt: clock.now() });
}
