import type { DrillContext } from '../context.ts';
import { until } from '../waiting.ts';

/** Lost and unknown mail is checked again within a minute. A temporary refusal may last for a day. */
const SOON_MS = 65_000;
/** Counts stop here, so that polling does not take CPU from the processes under test. */
const TOLD_MAX = 100;
const SETTLED_EVERY_MS = 250;
const refusedForNow = { state: 'deferred' as const, 'reply.code': { $gte: 400 } };

/** Nothing is under way any more: every mail has an outcome or a time for its next try, every event has had its effect. */
export async function untilSettled({ deps, project }: DrillContext, withinMs = 180_000): Promise<void> {
  const { messages, triggers, events, enrollments, campaigns, campaignClaims, formSubmissions, imports } = deps.db;
  const projectId = project._id;
  const open = () =>
    Promise.all([
      messages.countDocuments({ projectId, state: { $in: ['queued', 'committing'] } }, { limit: TOLD_MAX }),
      messages.countDocuments(
        { projectId, dueAt: { $lte: new Date(Date.now() + SOON_MS) }, $nor: [refusedForNow] },
        { limit: TOLD_MAX },
      ),
      triggers.countDocuments({ projectId, dueAt: { $exists: true } }),
      events.countDocuments({ projectId, dueAt: { $exists: true } }),
      enrollments.countDocuments({ projectId, status: 'active' }),
      campaigns.countDocuments({ projectId, status: { $nin: ['sent', 'aborted', 'draft', 'failed'] } }),
      campaignClaims.countDocuments({ projectId, leaseUntil: { $exists: true } }),
      imports.countDocuments({ projectId, status: { $in: ['queued', 'running'] } }),
      formSubmissions.countDocuments({ projectId }),
    ]);
  let last: number[] = [];
  await until(
    'every mail, event and campaign is settled',
    async () => {
      last = await open();
      return last.every((count) => count === 0);
    },
    withinMs,
    SETTLED_EVERY_MS,
  ).catch((error: Error) => {
    throw new Error(
      `${error.message} (queued ${last[0]}, due ${last[1]}, triggers ${last[2]}, events ${last[3]}, people inside ${last[4]}, campaigns ${last[5]}, open claims ${last[6]}, imports ${last[7]}, forms ${last[8]})`,
    );
  });
}
