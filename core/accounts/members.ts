import { ObjectId } from 'mongodb';
import type { createMemberBody, updateMemberBody } from '../../schemas/accounts/members.ts';
import type { Described } from '../../schemas/schema.ts';
import { insertOnce, isDuplicateKey } from '../base/database/idempotent-insert.ts';
import { inTransaction } from '../base/database/transactions.ts';
import { AppError, conflict, notFound } from '../base/errors.ts';
import { parseId } from '../base/ids.ts';
import { type By, isAuthor, madeBy, refuseAuthor } from '../base/maker.ts';
import type { Session } from '../base/model.ts';
import { type Page, type PageOf, pageOf } from '../base/paging.ts';
import { requireEmail } from '../base/text/addresses.ts';
import type { AccountsDeps } from './deps.ts';
import type { Member } from './model.ts';
import { MEMBERS_CHANGED } from './sessions.ts';

type NewMember = Described<typeof createMemberBody> & By;

export async function addMember(
  deps: AccountsDeps,
  organizationId: ObjectId,
  { email, role, by }: NewMember,
  _id = new ObjectId(),
): Promise<Member> {
  const now = deps.clock.now();
  const made = madeBy({ by });
  const member = { _id, organizationId, email: requireEmail(email), role, ...made, createdAt: now, updatedAt: now };
  try {
    const stored = await insertOnce(deps.db.members, member, { organizationId });
    deps.signals.publish(MEMBERS_CHANGED, '');
    return stored;
  } catch (error) {
    if (!isDuplicateKey(error, 'address')) throw error;
    throw conflict(
      'ALREADY_EXISTS',
      'This address is a member of the organization already; change the role instead.',
      'email: is a member already',
    );
  }
}

export async function listMembers(deps: AccountsDeps, organizationId: ObjectId, page: Page): Promise<PageOf<Member>> {
  return pageOf(deps.db.members, { organizationId }, page);
}

export function getMember(deps: AccountsDeps, organizationId: ObjectId, memberId: string): Promise<Member> {
  return findMember(deps, null, organizationId, memberId);
}

export async function updateMember(
  deps: AccountsDeps,
  organizationId: ObjectId,
  memberId: string,
  input: Described<typeof updateMemberBody>,
): Promise<Member> {
  const changed = await inTransaction(deps, async (session) => {
    const before = await findMember(deps, session, organizationId, memberId);
    const { role = before.role } = input;
    if (role !== 'owner') await keepAnOwner(deps, session, before);
    return deps.db.members.findOneAndUpdate(
      { _id: before._id, organizationId },
      { $set: { role, updatedAt: deps.clock.now() } },
      { session, returnDocument: 'after' },
    );
  });
  deps.signals.publish(MEMBERS_CHANGED, '');
  return changed as Member;
}

/** Sessions and links of an address that is left without any organization end with it. */
export async function removeMember(deps: AccountsDeps, organizationId: ObjectId, memberId: string): Promise<void> {
  const { db } = deps;
  const { email } = await inTransaction(deps, async (session) => {
    const member = await findMember(deps, session, organizationId, memberId);
    await keepAnOwner(deps, session, member);
    await db.members.deleteOne({ _id: member._id, organizationId }, { session });
    return member;
  });
  deps.signals.publish(MEMBERS_CHANGED, '');
  if ((await db.members.countDocuments({ email }, { limit: 1 })) > 0) return;
  await Promise.all([db.memberSessions.deleteMany({ email }), db.signInLinks.deleteMany({ email })]);
}

/** The test mails of an author go to members: `emails` are addresses that passed the schema. */
export async function refuseStrangers(
  { db }: AccountsDeps,
  organizationId: ObjectId,
  emails: string[],
  origin: By,
): Promise<void> {
  if (!isAuthor(origin)) return;
  const asked = [...new Set(emails.map((email) => requireEmail(email)))];
  const known = await db.members.countDocuments({ organizationId, email: { $in: asked } });
  if (known < asked.length) refuseAuthor(origin, 'mailOthers');
}

async function findMember(
  { db }: AccountsDeps,
  session: Session | null,
  organizationId: ObjectId,
  memberId: string,
): Promise<Member> {
  const _id = parseId(memberId);
  const member = _id && (await db.members.findOne({ _id, organizationId }, session ? { session } : {}));
  if (!member) throw memberNotFound();
  return member;
}

/** Runs in the transaction that takes an owner away. The update makes two of them conflict: the repeated one counts again. */
async function keepAnOwner({ db }: AccountsDeps, session: Session, { organizationId, role }: Member): Promise<void> {
  if (role !== 'owner') return;
  await db.organizations.updateOne({ _id: organizationId }, { $inc: { ownerChanges: 1 } }, { session });
  const owners = await db.members.countDocuments({ organizationId, role }, { session, limit: 2 });
  if (owners < 2)
    throw conflict(
      'INVALID_STATE',
      'This is the last owner of the organization; give another member the role owner first.',
    );
}

function memberNotFound(): AppError {
  const { kind, code } = notFound('MEMBER');
  return new AppError(kind, 'There is no such member in this organization.', { code });
}
