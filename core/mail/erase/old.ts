import type { ObjectId } from 'mongodb';
import { batchesById, byProject } from '../../base/database/batches.ts';
import { distinctIds } from '../../base/ids.ts';
import type { MailDeps } from '../deps.ts';
import type { Message } from '../ledger/model.ts';
import { isOver, OPEN_STATES } from '../ledger/states.ts';

const AT_ONCE = 1_000;
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
