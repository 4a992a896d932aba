import { AppError } from '../base/errors.ts';
import { hashToken } from '../base/tokens.ts';
import { ttlCache } from '../base/work/cache.ts';
import type { AccountsDeps } from './deps.ts';
import type { Member, MemberSession } from './model.ts';

/** Published when a member or a session is changed or removed. */
export const MEMBERS_CHANGED = 'members';
const CACHE_MS = 2_000;
const CACHE_SIZE_MAX = 10_000;
/** How often the use of a session is written, by all processes together. */
const USE_WRITTEN_EVERY_MS = 60_000;

/** A session with the memberships of its address: at least one, oldest first. */
export interface SessionIdentity {
  session: MemberSession;
  memberships: Member[];
}

export type AuthenticateSession = ((token: string) => Promise<SessionIdentity | null>) & { stop(): void };

/** Remembers good sessions for two seconds, so that changed roles and ended sessions count in every process within five, with or without Redis. */
export function createSessionAuthenticator(deps: AccountsDeps): AuthenticateSession {
  const newCache = () => ttlCache<SessionIdentity | null>({ keptMs: CACHE_MS, sizeMax: CACHE_SIZE_MAX });
  let cache = newCache();
  const unsubscribe = deps.signals.subscribe(MEMBERS_CHANGED, () => {
    cache = newCache();
  });

  async function authenticate(token: string): Promise<SessionIdentity | null> {
    const tokenHash = hashToken(token);
    const key = tokenHash.toString('base64');
    const identity = await cache.get(key, () => findIdentity(deps, tokenHash));
    if (!identity) cache.delete(key);
    return identity;
  }
  return Object.assign(authenticate, { stop: unsubscribe });
}

async function findIdentity(deps: AccountsDeps, tokenHash: Buffer): Promise<SessionIdentity | null> {
  const { db, clock } = deps;
  const session = await db.memberSessions.findOne({ hash: tokenHash, expiresAt: { $gt: clock.now() } });
  if (!session) return null;
  const memberships = await db.members.find({ email: session.email }).sort({ _id: 1 }).toArray();
  if (memberships.length === 0) return null;
  noteUse(deps, session);
  return { session, memberships };
}

/** No request waits for the write or fails with it. When several processes find an old time at once, the filter lets one write. */
function noteUse({ db, clock }: AccountsDeps, { _id, email, lastUsedAt }: MemberSession): void {
  const now = clock.now();
  const before = new Date(now.getTime() - USE_WRITTEN_EVERY_MS);
  if (lastUsedAt > before) return;
  const unlessRecent = { _id, email, lastUsedAt: { $lte: before } };
  db.memberSessions.updateOne(unlessRecent, { $set: { lastUsedAt: now } }).catch(() => {});
}

export function sessionEnded(): AppError {
  return new AppError('unauthorized', 'This session has ended; sign in again.', { code: 'UNAUTHORIZED' });
}
