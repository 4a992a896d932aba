import type { ObjectId } from 'mongodb';
import { aboutPerson, type SuppressionFact } from '../../consent/suppressions/rules.ts';
import { suppressionsAgainst } from '../../consent/suppressions/suppressions.ts';
import type { MailDeps } from '../deps.ts';

export interface Addressed {
  email: string;
  /** The address that its contact has today, where that is another one. */
  presentEmail?: string | undefined;
}

/** The entries against mails: those of the address, and what the person has said at the address of today. One read on the primary. */
export async function entriesAgainst(
  deps: MailDeps,
  projectId: ObjectId,
  mails: readonly Addressed[],
): Promise<(mail: Addressed) => SuppressionFact[]> {
  const emails = mails.flatMap(({ email, presentEmail }) => (presentEmail ? [email, presentEmail] : [email]));
  const entries = await suppressionsAgainst(deps, projectId, emails);
  const at = (email: string) => entries.get(email) ?? [];
  return ({ email, presentEmail }) => (presentEmail ? [...at(email), ...aboutPerson(at(presentEmail))] : at(email));
}
