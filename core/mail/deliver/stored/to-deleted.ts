import type { ObjectId } from 'mongodb';
import type { MailDeps } from '../../deps.ts';
import type { Message } from '../../ledger/model.ts';

/**
 * Mail of automations to contacts that are gone. A deletion fails the queued mail that it sees; mail that is committed in the same moment
 * is found here.
 */
export async function toDeletedContacts(
  { db }: Pick<MailDeps, 'db'>,
  projectId: ObjectId,
  messages: readonly Message[],
): Promise<Set<string>> {
  const theirs = messages.filter(({ automationId, contactId }) => automationId && contactId);
  if (theirs.length === 0) return new Set();
  const found = await db.contacts
    .find(
      { _id: { $in: theirs.map(({ contactId }) => contactId!) }, projectId },
      { projection: { _id: 1 }, hint: '_id_', readPreference: 'primary' },
    )
    .toArray();
  const known = new Set(found.map(({ _id }) => _id.toHexString()));
  const gone = theirs.filter(({ contactId }) => !known.has(contactId!.toHexString()));
  return new Set(gone.map(({ _id }) => _id.toHexString()));
}
