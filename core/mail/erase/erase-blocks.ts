import type { ObjectId } from 'mongodb';
import type { MailDeps } from '../deps.ts';
import type { ContactErasure } from '../messages/model.ts';

/** One read of a project's blocks serves so many erasures. */
const TOGETHER_MAX = 1_000;

/**
 * Empties the addresses of deleted contacts in the blocks of campaigns, of this erasure and of others that are due: blocks are found by
 * reading them all. Places never move. Returns whether there was one: a sender may have it in its memory and write a row yet.
 */
export async function eraseFromBlocks({ db }: MailDeps, erasure: ContactErasure): Promise<boolean> {
  const { _id, projectId, deletedAt } = erasure;
  if (erasure.isOutOfBlocks) return false;
  const others = await db.contactErasures
    .find(
      { projectId, dueAt: { $exists: true }, isOutOfBlocks: { $exists: false }, deletedAt: { $lte: deletedAt } },
      { projection: { _id: 1 }, hint: 'due' },
    )
    .limit(TOGETHER_MAX)
    .toArray();
  const ids = [_id, ...others.map((other) => other._id)];
  const { modifiedCount } = await db.campaignBlocks.updateMany(
    { projectId, recipients: { $elemMatch: { contactId: { $in: ids }, email: { $ne: '' } } } },
    emptied(ids),
    { hint: 'place' },
  );
  await db.contactErasures.updateMany({ _id: { $in: ids }, projectId }, { $set: { isOutOfBlocks: true } });
  return modifiedCount > 0;
}

/** The lowest and highest address that are left take the place of `first` and `last`, so that the others are still found by them. */
function emptied(ids: ObjectId[]) {
  const one = { $mergeObjects: ['$$this', { email: '' }] };
  const recipients = {
    $map: { input: '$recipients', in: { $cond: [{ $in: ['$$this.contactId', ids] }, one, '$$this'] } },
  };
  const left = { $filter: { input: '$recipients.email', cond: { $ne: ['$$this', ''] } } };
  return [
    { $set: { recipients } },
    { $set: { first: { $ifNull: [{ $min: left }, ''] }, last: { $ifNull: [{ $max: left }, ''] } } },
  ];
}
