import { invalid, notFound } from '../../base/errors.ts';
import { findById } from '../../base/ids.ts';
import type { Project } from '../../base/model.ts';
import { normalizeEmail } from '../../base/text/addresses.ts';
import type { Contact } from '../../people/model.ts';
import type { MailDeps } from '../deps.ts';

/** Whose data fill in a preview: at most one of both. */
export interface NamedContact {
  contactId?: string | undefined;
  email?: string | undefined;
}

export async function contactNamed(
  deps: Pick<MailDeps, 'db'>,
  project: Pick<Project, '_id'>,
  { contactId, email }: NamedContact,
): Promise<Contact | null> {
  if (contactId !== undefined && email !== undefined)
    throw invalid('Give contactId or email, not both.', 'email: is given with contactId');
  if (contactId !== undefined) return findById(deps.db.contacts, project, contactId, 'CONTACT', 'contactId');
  if (email === undefined) return null;
  const contact = await deps.db.contacts.findOne({ projectId: project._id, email: normalizeEmail(email) ?? '' });
  if (!contact) throw notFound('CONTACT', 'email');
  return contact;
}
