import type { ObjectId } from 'mongodb';
import { batchesById, byProject } from '../../base/database/batches.ts';
import { distinctIds } from '../../base/ids.ts';
import type { MailDeps } from '../deps.ts';
import type { Message } from '../ledger/model.ts';
import { isOver, OPEN_STATES, WAITING_STATES } from '../ledger/states.ts';

const AT_ONCE = 1_000;
const FIELDS = { projectId: 1, state: 1, campaignId: 1, scheduledAt: 1 } as const;

/** Of these campaigns those that are not over, as hexadecimal ids. */
type OpenCampaigns = (projectId: ObjectId, campaignIds: ObjectId[]) => Promise<Set<string>>;

/**
 * Removes old messages with their engagements, except those that may still be sent or belong to a campaign that is not over, and returns
 * the number of messages. Mail that waits for a campaign that is over is not sent any more: such a campaign is too old for a retry.
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
    const ended = batch.filter((message) => (isOver(message.state) || isLeft(message)) && isOld(message, before));
    for (const [projectId, messages] of byProject(ended))
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
  const old = messages.filter(({ campaignId }) => !(campaignId && open.has(`${campaignId}`)));
  const these = (some: Message[]) => ({ _id: { $in: some.map(({ _id }) => _id) }, projectId });
  const [left, over] = [old.filter(isLeft), old.filter((message) => !isLeft(message))];
  await db.engagements.deleteMany(these(old));
  // A retry may have been requested in between.
  const removed = await db.messages.deleteMany({ ...these(over), state: { $nin: OPEN_STATES } });
  if (left.length === 0) return removed.deletedCount;
  const more = await db.messages.deleteMany({ ...these(left), state: { $in: WAITING_STATES } });
  return removed.deletedCount + more.deletedCount;
}

/** Waits for its campaign: once that is over or deleted, for ever. */
function isLeft({ state, campaignId }: Message): boolean {
  return campaignId !== undefined && WAITING_STATES.some((waiting) => waiting === state);
}

/** Scheduled mail is as old as the time that was chosen for it. */
function isOld({ scheduledAt }: Message, before: ObjectId): boolean {
  return !scheduledAt || scheduledAt < before.getTimestamp();
}
