import type { AnyBulkWriteOperation, ObjectId } from 'mongodb';
import type { Session } from '../../base/model.ts';
import type { MailDeps } from '../deps.ts';
import type { CountedLink, Engagement, EngagementTime } from '../messages/model.ts';

type Db = Pick<MailDeps, 'db'>;

/** The clicks of an engagement that are counted now. */
export interface CountedClicks {
  _id: ObjectId;
  countedLinks: CountedLink[];
}

export const ENGAGEMENT_TIMES: readonly EngagementTime[] = [
  'openedAt',
  'humanOpenedAt',
  'clickedAt',
  'unsubscribedAt',
  'complainedAt',
];

/** The times that are stored become those that are counted. */
const ALL_COUNTED = [
  { $set: { counted: Object.fromEntries(ENGAGEMENT_TIMES.map((time) => [time, `$${time}`])) } },
  { $unset: 'countDueAt' },
];

/** The room of figures has counted them, in the same transaction. Each document is changed once. */
export async function markEngagementsCounted(
  { db }: Db,
  projectId: ObjectId,
  ids: ObjectId[],
  clicked: CountedClicks[],
  session: Session,
): Promise<void> {
  const others = { _id: { $in: ids, $nin: clicked.map(({ _id }) => _id) }, projectId };
  const writes = clicked.map(({ _id, countedLinks }): AnyBulkWriteOperation<Engagement> => {
    const update = [...ALL_COUNTED, { $set: { countedLinks: { $literal: countedLinks } } }];
    return { updateOne: { filter: { _id, projectId }, update } };
  });
  await db.engagements.bulkWrite([...writes, { updateMany: { filter: others, update: ALL_COUNTED } }], {
    session,
    ordered: false,
  });
}

/** Engagements of before the upgrade have no mark: a recount counts all that they have by now. */
export async function markEarlierCounted({ db }: Db, projectId: ObjectId, ids: ObjectId[]): Promise<void> {
  const earlier = { _id: { $in: ids }, projectId, counted: { $exists: false }, countDueAt: { $exists: false } };
  await db.engagements.updateMany(earlier, ALL_COUNTED);
}

/** The same for their clicks. */
export async function markEarlierClicksCounted(
  { db }: Db,
  projectId: ObjectId,
  clicked: CountedClicks[],
): Promise<void> {
  if (clicked.length === 0) return;
  const uncounted = { projectId, countedLinks: { $exists: false }, countDueAt: { $exists: false } };
  const writes = clicked.map(({ _id, countedLinks }): AnyBulkWriteOperation<Engagement> => {
    return { updateOne: { filter: { ...uncounted, _id }, update: { $set: { countedLinks } } } };
  });
  await db.engagements.bulkWrite(writes, { ordered: false });
}
