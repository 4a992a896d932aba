import type { Filter, ObjectId } from 'mongodb';
import type { Session } from '../../../base/model.ts';
import type { MailDeps } from '../../deps.ts';
import type { Message } from '../../ledger/model.ts';
import { states } from '../../ledger/states.ts';
import { publishCancelled } from '../events.ts';
import { cancellation } from './change-state.ts';

const PROJECT_DELETED = 'The project was deleted.';

interface Deleted {
  emails: string[];
  reason: string;
  /** Narrows the mails down, to a range of ids: then MongoDB may read the mails of all projects in it, unless an index is named. */
  which?: Filter<Message>;
}

/**
 * Scheduled mail to deleted contacts is cancelled, with its copies to others. A contact in cc or bcc is taken out of the mail, which the
 * others still get. So no address waits for a month in mail that is not sent yet.
 */
export async function cancelMailTo(
  deps: MailDeps,
  session: Session,
  projectId: ObjectId,
  { emails, reason, which }: Deleted,
): Promise<void> {
  const { messages } = deps.db;
  const scheduled = { ...which, projectId, state: states.scheduled };
  const fields = { projection: { content: 0, data: 0 } } as const;
  const reading = { session, ...fields, ...(which ? { hint: 'scheduled' } : {}) };
  const found = await messages.find({ ...scheduled, email: { $in: emails } }, reading).toArray();
  const firsts = found.flatMap(({ _id, copy }) => (copy?.index === 0 ? [_id] : []));
  const ofFirsts = { ...scheduled, 'copy.of': { $in: firsts }, copy: { $exists: true } };
  const copies = firsts.length === 0 ? [] : await messages.find(ofFirsts, { session, ...fields }).toArray();
  const rows = new Map([...found, ...copies].map((row) => [row._id.toHexString(), row]));
  if (rows.size > 0) {
    const ids = [...rows.values()].map(({ _id }) => _id);
    await messages.updateMany({ ...scheduled, _id: { $in: ids } }, cancellation(reason), { session });
    const cancelled = [...rows.values()].map((row) => ({ ...row, state: states.cancelled, reason }));
    await publishCancelled(deps, projectId, cancelled, session);
  }
  await takeOut(deps, session, scheduled, { emails, found, isRange: which !== undefined });
}

async function takeOut(
  { db: { messages } }: MailDeps,
  session: Session,
  scheduled: Filter<Message> & { projectId: ObjectId },
  { emails, found, isRange }: { emails: string[]; found: Message[]; isRange: boolean },
): Promise<void> {
  const { projectId } = scheduled;
  const named = { ...scheduled, projectId, 'recipients.email': { $in: emails }, recipients: { $exists: true } };
  const theirs = { recipients: { email: { $in: emails }, kind: { $ne: 'to' as const } } };
  const hint = isRange ? { hint: 'scheduled_copies' } : {};
  await messages.updateMany(named, { $pull: theirs }, { session, ...hint });
  const inCc = found.flatMap(({ copy }) => (copy?.kind === 'cc' ? [copy.of] : []));
  if (inCc.length === 0) return;
  const lines = { ...scheduled, projectId, _id: { $in: inCc } };
  await messages.updateMany(lines, { $pull: { 'copy.cc': { email: { $in: emails } } } }, { session });
}

/** Nothing of a deleted project is sent; the claim checks it again. */
export async function cancelMailOfProject({ db }: Pick<MailDeps, 'db'>, projectId: ObjectId): Promise<void> {
  await db.messages.updateMany({ projectId, state: states.scheduled }, cancellation(PROJECT_DELETED));
}
