import { inTransaction } from '../../base/database/transactions.ts';
import type { AccountsDeps } from '../deps.ts';
import type { MemberSession } from '../model.ts';
import { MEMBERS_CHANGED } from '../sessions.ts';
import { type LinkUse, useLink } from './links.ts';
import { type OwnOrganization, ownOrganizations } from './organizations.ts';
import { createSession, removeSessionOf } from './sessions.ts';

interface Browser {
  userAgent: string;
  /** The cookie that it had. */
  oldToken: string | null;
}

interface SignedIn {
  session: MemberSession;
  token: string;
  organizations: OwnOrganization[];
}

/**
 * null: the link does not work, or its person is no member any more. The session that the browser had ends. All of it is one commit, behind the
 * last read: a link is used up by the session that it makes, and by nothing else.
 */
export async function signIn(
  deps: AccountsDeps,
  use: LinkUse,
  { userAgent, oldToken }: Browser,
): Promise<SignedIn | null> {
  const signed = await inTransaction(deps, async (transaction) => {
    const email = await useLink(deps, use, transaction);
    if (email === null) return null;
    const memberships = await deps.db.members.find({ email }, { session: transaction }).sort({ _id: 1 }).toArray();
    if (memberships.length === 0) return null;
    if (oldToken !== null) await removeSessionOf(deps, oldToken, transaction);
    const made = await createSession(deps, { email, userAgent }, transaction);
    return { ...made, organizations: await ownOrganizations(deps, memberships) };
  });
  if (oldToken !== null) deps.signals.publish(MEMBERS_CHANGED, '');
  return signed;
}
