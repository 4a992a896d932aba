import { createHash } from 'node:crypto';
import type { ObjectId } from 'mongodb';
import { KEPT_MS, removeExpiredRows, rowId } from '../../../base/database/idempotency.ts';
import { conflict } from '../../../base/errors.ts';
import { derivedId, parseId } from '../../../base/ids.ts';
import type { IdempotencyRow, Mailbox, Project } from '../../../base/model.ts';
import { taggedWith } from '../../../base/text/tags.ts';
import { findNamableGroup } from '../../../consent/suppressions/find-groups.ts';
import type { MailDeps } from '../../deps.ts';
import type { Attachment, Content, Message, MessageRecipient } from '../../ledger/model.ts';
import { states } from '../../ledger/states.ts';
import { newContent } from '../../messages/contents.ts';
import { wholeEmails } from '../../messages/copies.ts';
import { refuseFullBacklog } from '../../messages/messages.ts';
import { checkSender } from '../check-sender.ts';
import { type MailOrigin, sentBy } from '../inputs.ts';
import { queuedFor } from '../queued.ts';
import { publishStored } from '../store.ts';
import { queueOnce } from './queue-once.ts';

export type SubmittedRecipient = Pick<MessageRecipient, 'email' | 'name' | 'kind'>;

/** A mail that came by SMTP, read as far as it decides about the mail. */
export interface SubmittedMail {
  from: Mailbox;
  subject: string;
  recipients: SubmittedRecipient[];
  /** The suppression group that it names; makes it marketing. */
  groupId: string | null;
  /** Without < and >; null: our own, so no other mail has it. */
  messageId: string | null;
  idempotencyKey: string | null;
  trackingOpen: boolean;
  trackingClick: boolean;
  /** "name:value" of each. */
  tags: string[];
  /** null: at once. */
  sendAt: Date | null;
  /** A hash of the body, and of the headers that say the same in each try of a mail. */
  fingerprint: string;
  eightBit: boolean;
  /** It has lines above 998 characters. */
  longLines: boolean;
  /** The whole mail, as it leaves. */
  file: Attachment;
}

interface Submitted {
  emailId: string;
  /** False: all of its recipients had it already, and nothing was written. */
  isNew: boolean;
}

/** The id of the mail that a try is for; a later try of the same mail gets the id of the first. */
export function submissionId({ at, seed }: Pick<MailOrigin, 'at' | 'seed'>): ObjectId {
  return derivedId(at, 'submission', seed.toHexString());
}

/** The parts of a content that are known before the mail is read. */
export function submissionContent(
  project: Pick<Project, '_id'>,
  { at, seed }: Pick<MailOrigin, 'at' | 'seed'>,
): Content {
  return newContent({
    _id: seed,
    projectId: project._id,
    messageIds: [submissionId({ at, seed })],
    from: { email: '', name: null },
    verbatim: true,
    raw: { eightBit: false },
    createdAt: at,
  });
}

/** Queues a mail that leaves as it came. Recipients who had the same mail within 24 hours are left out. */
export async function submitMail(
  deps: MailDeps,
  project: Project,
  mail: SubmittedMail,
  origin: MailOrigin,
): Promise<Submitted> {
  const { from, groupId, eightBit, longLines, file, subject, trackingOpen, trackingClick, sendAt } = mail;
  const group = groupId === null ? null : await findNamableGroup(deps, project, groupId, 'X-Everpost-Group');
  const marketing = group !== null;
  const emails = mail.recipients.map(({ email }) => email);
  const suppressions = await checkSender(deps, project, { email: from.email, field: 'From' }, emails);
  const content: Content = {
    ...submissionContent(project, origin),
    ...{ from, subject, marketing, groupId: group?.groupId ?? null, trackingOpen, trackingClick },
    raw: { eightBit, ...(longLines ? { longLines } : {}) },
    attachments: [file],
  };
  const lane = marketing ? 'automation' : 'transactional';
  await refuseFullBacklog(deps, project._id, lane, marketing ? emails.length : 1);
  const _id = submissionId(origin);
  const rowsOf = idempotencyRows(deps, project, mail, _id);
  let recipients = mail.recipients.map(open);
  for (let known = new Map<string, string>(); ; known = await knownRows(deps, mail, rowsOf(mail.recipients))) {
    recipients = recipients.filter(({ email }) => !known.has(rowsOf.idOf(email)));
    await publishKnown(deps, project._id, new Set(known.values()));
    if (recipients.length === 0) return { emailId: known.get(rowsOf.idOf(emails[0]!))!, isNew: false };
    const messages = queuedFor(deps, { content, sendAt }, suppressions, { _id, recipients }).map(
      (queued): Message => ({
        projectId: project._id,
        lane,
        ...queued,
        contentId: content._id,
        ...sentBy(origin),
        ...taggedWith(mail.tags),
        subject,
        createdAt: origin.at,
      }),
    );
    const rows = rowsOf(recipients).filter((row) => !known.has(row._id));
    const mailing = { content: { ...content, messageIds: messages.map((one) => one._id) }, messages, rows };
    const isStored = await queueOnce(deps, mailing);
    if (!isStored && rows.length > 0) continue;
    await publishStored(deps, project._id, messages, origin.at);
    return { emailId: _id.toHexString(), isNew: true };
  }
}

/**
 * One row for each recipient, and one for an Idempotency-Key, which no other mail may use. A mail with neither a key nor a Message-ID of
 * its own is like no other.
 */
function idempotencyRows(deps: MailDeps, { _id: projectId }: Project, mail: SubmittedMail, emailId: ObjectId) {
  const { idempotencyKey: key, messageId, fingerprint } = mail;
  const identity = key === null ? `message ${messageId}\n${fingerprint}` : `key ${key}`;
  const idOf = (email: string) => rowId(projectId, hashOf(`submission ${identity}\n${email}`));
  const rowOf = (_id: string): IdempotencyRow => {
    const now = deps.clock.now();
    return {
      ...{ _id, fingerprint, state: 'done', seed: emailId, startedAt: now, owner: '', leaseUntil: now },
      ...{ status: 250, body: emailId.toHexString(), expiresAt: new Date(now.getTime() + KEPT_MS) },
    };
  };
  const rows = (recipients: SubmittedRecipient[]): IdempotencyRow[] => {
    if (key === null && messageId === null) return [];
    const own = key === null ? [] : [rowOf(rowId(projectId, key))];
    return [...own, ...recipients.map(({ email }) => rowOf(idOf(email)))];
  };
  return Object.assign(rows, { idOf });
}

/** The emailIds under the ids of the rows that exist. Rows whose time is over are removed. */
async function knownRows(
  { db, clock }: MailDeps,
  { idempotencyKey, fingerprint }: SubmittedMail,
  rows: IdempotencyRow[],
): Promise<Map<string, string>> {
  const ids = rows.map(({ _id }) => _id);
  await removeExpiredRows({ db, clock }, ids);
  const found = await db.idempotency.find({ _id: { $in: ids } }).toArray();
  if (idempotencyKey !== null && found.some((row) => row.fingerprint !== fingerprint))
    throw conflict(
      'IDEMPOTENCY_KEY_REUSED',
      'This Idempotency-Key was used for another mail; use a new one. Nothing was done.',
    );
  return new Map(found.map(({ _id, body }) => [_id, body ?? '']));
}

/** The process that stored these mails may have ended before it published their events. They are the same, by their keys. */
async function publishKnown(deps: MailDeps, projectId: ObjectId, emailIds: ReadonlySet<string>): Promise<void> {
  const _ids = [...emailIds].flatMap((id) => parseId(id) ?? []);
  if (_ids.length === 0) return;
  const fields = { projection: { content: 0 } };
  const stored = await deps.db.messages.find({ _id: { $in: _ids }, projectId }, fields).toArray();
  for (const { message, copies } of await wholeEmails(deps, projectId, stored)) {
    // An erased one has no address, and its events are erased with it.
    const named = [message, ...copies].filter(({ email }) => email !== '');
    await publishStored(deps, projectId, named, message.createdAt!);
  }
}

function open(recipient: SubmittedRecipient): MessageRecipient {
  return { ...recipient, state: states.queued, reply: null, reason: null };
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
