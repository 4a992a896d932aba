import type { ObjectId } from 'mongodb';
import type { Session } from '../../base/model.ts';
import type { CampaignsDeps } from '../deps.ts';

/** The recipients that the freeze of these campaigns wrote down are counted as accepted. */
export async function markFreezesCounted(
  { db }: Pick<CampaignsDeps, 'db'>,
  projectId: ObjectId,
  ids: ObjectId[],
  session: Session,
): Promise<void> {
  await db.campaigns.updateMany({ _id: { $in: ids }, projectId }, { $unset: { countDueAt: '' } }, { session });
}
