import { contactThatLeft } from '../../people/contacts/history.ts';
import type { MailRef } from '../compose/tokens.ts';
import type { MailDeps } from '../deps.ts';

/**
 * The address that a mail went to, and the one that its contact has today: a person who leaves, or complains, means themselves. A mail that
 * names no contact was to the contact that had the address then.
 */
export async function withPresentAddress(
  { db }: Pick<MailDeps, 'db'>,
  { projectId, messageId, email }: MailRef & { email: string },
): Promise<string[]> {
  const mail = await db.messages.findOne({ _id: messageId, projectId }, { projection: { email: 1, contactId: 1 } });
  const named = mail?.email === email ? mail.contactId : undefined;
  const _id = named ?? (await contactThatLeft({ db }, projectId, email, messageId.getTimestamp()));
  const contact = _id && (await db.contacts.findOne({ _id, projectId }, { projection: { email: 1 } }));
  return contact && contact.email !== email ? [email, contact.email] : [email];
}
