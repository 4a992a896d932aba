import type { ObjectId } from 'mongodb';
import { presentContacts } from '../../../people/contacts/present.ts';
import type { MailDeps } from '../../deps.ts';
import type { Message } from '../../ledger/model.ts';

/**
 * The addresses that the contacts of mail of automations have today, by the id of the mail; null: the contact is gone. A deletion fails the
 * queued mail that it sees; mail that is committed in the same moment is found here.
 */
export async function presentPeople(
  { db }: Pick<MailDeps, 'db'>,
  projectId: ObjectId,
  messages: readonly Message[],
): Promise<Map<string, string | null>> {
  const theirs = messages.filter(({ automationId, contactId }) => automationId && contactId);
  if (theirs.length === 0) return new Map();
  const ids = theirs.map(({ contactId }) => contactId!);
  const emails = await presentContacts({ db }, projectId, ids, { readPreference: 'primary' });
  return new Map(theirs.map(({ _id, contactId }) => [_id.toHexString(), emails.get(contactId!.toHexString()) ?? null]));
}
