import type { AccountsDeps } from '../deps.ts';
import type { MemberSession } from '../model.ts';
import type { SessionIdentity } from '../sessions.ts';
import { type LinkUse, useLink } from './links.ts';
import { createSession, endSessionOf } from './sessions.ts';

interface Browser {
  userAgent: string;
  /** The cookie that it had. */
  oldToken: string | null;
}

/** null: the link does not work, or its person is no member any more. The session that the browser had ends. */
export async function signIn(
  deps: AccountsDeps,
  use: LinkUse,
  { userAgent, oldToken }: Browser,
): Promise<(SessionIdentity & { session: MemberSession; token: string }) | null> {
  const email = await useLink(deps, use);
  if (email === null) return null;
  const memberships = await deps.db.members.find({ email }).sort({ _id: 1 }).toArray();
  if (memberships.length === 0) return null;
  const made = await createSession(deps, { email, userAgent });
  if (oldToken !== null) await endSessionOf(deps, oldToken);
  return { ...made, memberships };
}
