import { ObjectId } from 'mongodb';
import { AppError } from '../../base/errors.ts';
import { parseId } from '../../base/ids.ts';
import type { Session } from '../../base/model.ts';
import { type Page, type PageOf, pageOf } from '../../base/paging.ts';
import { DAY_MS } from '../../base/time/durations.ts';
import { hashOf, newToken } from '../../base/tokens.ts';
import type { AccountsDeps } from '../deps.ts';
import type { MemberSession } from '../model.ts';
import { MEMBERS_CHANGED } from '../sessions.ts';

export const SESSION_MS = 30 * DAY_MS;
const AGENT_MAX = 300;

/** Always a new one, whatever cookie the browser has. The token is the value of its next cookie. */
export async function createSession(
  { db, clock }: Pick<AccountsDeps, 'db' | 'clock'>,
  { email, userAgent }: { email: string; userAgent: string },
  transaction?: Session,
): Promise<{ session: MemberSession; token: string }> {
  const { token, hash } = newToken();
  const createdAt = clock.now();
  const session: MemberSession = {
    _id: new ObjectId(),
    hash,
    email,
    createdAt,
    lastUsedAt: createdAt,
    expiresAt: new Date(createdAt.getTime() + SESSION_MS),
    userAgent: userAgent.slice(0, AGENT_MAX) || null,
  };
  await db.memberSessions.insertOne(session, transaction ? { session: transaction } : {});
  return { session, token };
}

/** The newest first. */
export function listSessions({ db, clock }: AccountsDeps, email: string, page: Page): Promise<PageOf<MemberSession>> {
  const live = { email, expiresAt: { $gt: clock.now() } };
  return pageOf(db.memberSessions, live, page, { sort: { _id: -1 } });
}

/** The session of another person is not found, like one that never was. */
export async function endSession(deps: AccountsDeps, email: string, sessionId: string): Promise<void> {
  const _id = parseId(sessionId);
  const { deletedCount } = _id ? await deps.db.memberSessions.deleteOne({ _id, email }) : { deletedCount: 0 };
  if (deletedCount === 0) throw new AppError('not_found', 'You have no such session.', { code: 'SESSION_NOT_FOUND' });
  deps.signals.publish(MEMBERS_CHANGED, '');
}

/** All sessions of the person but this one. Returns their number. */
export async function endOtherSessions(
  deps: AccountsDeps,
  { _id, email }: Pick<MemberSession, '_id' | 'email'>,
): Promise<number> {
  const { deletedCount } = await deps.db.memberSessions.deleteMany({ email, _id: { $ne: _id } });
  deps.signals.publish(MEMBERS_CHANGED, '');
  return deletedCount;
}

/** For a browser that signs in again: does nothing when the session is over. */
export async function removeSessionOf(
  { db }: Pick<AccountsDeps, 'db'>,
  token: string,
  transaction: Session,
): Promise<void> {
  const hash = hashOf(token);
  if (hash) await db.memberSessions.deleteOne({ hash }, { session: transaction });
}

/** After a restored backup, which has sessions and links that were ended since. Returns the number of sessions. */
export async function endAllSessions({ db, signals }: Pick<AccountsDeps, 'db' | 'signals'>): Promise<number> {
  const [{ deletedCount }] = await Promise.all([db.memberSessions.deleteMany({}), db.signInLinks.deleteMany({})]);
  signals.publish(MEMBERS_CHANGED, '');
  return deletedCount;
}
