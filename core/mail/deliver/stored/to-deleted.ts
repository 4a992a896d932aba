import type { ObjectId } from 'mongodb';
import { presentContacts } from '../../../people/contacts/present.ts';
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
  const ids = theirs.map(({ contactId }) => contactId!);
  const present = await presentContacts({ db }, projectId, ids, { readPreference: 'primary' });
  const gone = theirs.filter(({ contactId }) => !present.has(contactId!.toHexString()));
  return new Set(gone.map(({ _id }) => _id.toHexString()));
}
