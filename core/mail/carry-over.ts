import type { AnyBulkWriteOperation } from 'mongodb';
import { batchesById, byProject } from '../base/database/batches.ts';
import { note } from '../jobs/upkeep.ts';
import type { MailDeps } from './deps.ts';
import { CONTENT_KEPT_MS } from './messages/content-retention.ts';
import type { Engagement } from './messages/model.ts';

type Carrying = Pick<MailDeps, 'db' | 'clock'>;

const AT_ONCE = 1_000;

/** Documents of all projects. Each kind is searched until a run finds none, since processes of an earlier version may still write some. */
export async function carryOverMail(deps: Carrying): Promise<{ contents: number; clicks: number }> {
  return {
    contents: await untilNone(deps, 'contents-dated', dateContents),
    clicks: await untilNone(deps, 'clicks-dated', dateClicks),
  };
}

async function untilNone(
  deps: Carrying,
  name: string,
  carryOver: (deps: Carrying) => Promise<number>,
): Promise<number> {
  if (await deps.db.upkeep.findOne({ _id: name })) return 0;
  const found = await carryOver(deps);
  if (found === 0) await note(deps, name, { doneAt: deps.clock.now() });
  return found;
}

/** Contents of automation mail that were stored without a date of removal. */
async function dateContents({ db }: Carrying): Promise<number> {
  const undated = { removeDueAt: { $exists: false } };
  const date = [{ $set: { removeDueAt: { $add: ['$createdAt', CONTENT_KEPT_MS] } } }];
  let found = 0;
  for await (const batch of batchesById(db.contents, undated, { size: AT_ONCE, projection: { projectId: 1 } }))
    for (const [projectId, some] of byProject(batch)) {
      const { modifiedCount } = await db.contents.updateMany(
        { _id: { $in: some.map(({ _id }) => _id) }, projectId, ...undated },
        date,
      );
      found += modifiedCount;
    }
  return found;
}

/** Mails whose clicks were stored without the time of delivery. */
async function dateClicks({ db, clock }: Carrying): Promise<number> {
  const undated = { $elemMatch: { deliveredAt: { $exists: false } } };
  const filter = { $or: [{ clicks: undated }, { laterClicks: undated }] };
  let found = 0;
  for await (const batch of batchesById(db.engagements, filter, { size: AT_ONCE, projection: { projectId: 1 } }))
    for (const [projectId, some] of byProject(batch)) {
      const mails = { _id: { $in: some.map(({ _id }) => _id) }, projectId };
      const sent = await db.messages.find(mails, { projection: { sentAt: 1 } }).toArray();
      const sentAt = new Map(sent.map((message) => [message._id.toHexString(), message.sentAt]));
      const writes = some.map(({ _id }): AnyBulkWriteOperation<Engagement> => {
        const deliveredAt = sentAt.get(_id.toHexString()) ?? null;
        const clicks = { clicks: dated('clicks', deliveredAt), laterClicks: dated('laterClicks', deliveredAt) };
        // Links that were counted before the clicks had a time are counted again.
        const countDueAt = { $cond: [{ $isArray: '$countedLinks' }, clock.now(), '$countDueAt'] };
        return { updateOne: { filter: { _id, projectId }, update: [{ $set: { ...clicks, countDueAt } }] } };
      });
      const { modifiedCount } = await db.engagements.bulkWrite(writes, { ordered: false });
      found += modifiedCount;
    }
  return found;
}

function dated(field: 'clicks' | 'laterClicks', deliveredAt: Date | null): object {
  const click = { $mergeObjects: [{ deliveredAt }, '$$this'] };
  return { $cond: [{ $isArray: `$${field}` }, { $map: { input: `$${field}`, in: click } }, '$$REMOVE'] };
}
