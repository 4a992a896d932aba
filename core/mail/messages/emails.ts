import { type Filter, ObjectId } from 'mongodb';
import type { EmailStatus } from '../../../schemas/mail/emails.ts';
import { notFound } from '../../base/errors.ts';
import { firstIdAt, parseId } from '../../base/ids.ts';
import type { Project } from '../../base/model.ts';
import { type Hidden, type Page, type PageOf, pageOf } from '../../base/paging.ts';
import { normalizeEmail } from '../../base/text/addresses.ts';
import { readDate } from '../../base/text/coercion.ts';
import type { MailDeps } from '../deps.ts';
import type { Content, Message } from '../ledger/model.ts';
import { states, statesShownAs } from '../ledger/states.ts';
import { contentOf } from './contents.ts';
import { type Email, wholeEmails } from './copies.ts';

export interface EmailFilter extends Page {
  /** Only mails that this key sent. */
  keyId?: ObjectId | undefined;
  status?: EmailStatus | undefined;
  email?: string | undefined;
  batchId?: string | undefined;
  campaignId?: string | undefined;
  automationId?: string | undefined;
  /** Of a conversation of mail that came in. */
  threadId?: string | undefined;
  /** "name:value". */
  tag?: string | undefined;
  dateFrom?: string | undefined;
  dateTo?: string | undefined;
}

/**
 * Copies of marketing mail are shown with the mail to `to`; an address is in only one of them, so a search by address finds each
 * once.
 */
const COPIES: Hidden<Message> = { filter: { copy: { $exists: true }, 'copy.index': { $gt: 0 } }, hint: 'copies_of' };

/** The same within the mails of a key, counted from the keys of their index; without a hint, so that they are listed before it is made. */
const COPIES_OF_KEY: Hidden<Message> = { filter: { 'copy.index': { $gt: 0 } } };

/** Newest first. A filter that can match nothing gives an empty page, not an error. */
export async function listEmails(deps: MailDeps, project: Project, filter: EmailFilter): Promise<PageOf<Email>> {
  const page = await pageOf(deps.db.messages, queryOf(project, filter), filter, {
    sort: { _id: -1 },
    projection: { content: 0 },
    ...(filter.email === undefined ? { hidden: filter.keyId === undefined ? COPIES : COPIES_OF_KEY } : {}),
  });
  return { ...page, entries: await wholeEmails(deps, project._id, page.entries) };
}

/** Explains why a contact got a mail, or did not: the record and, as long as it is kept, the content. */
export async function getEmail(
  deps: MailDeps,
  project: Pick<Project, '_id'>,
  emailId: string,
  { keyId }: Pick<EmailFilter, 'keyId'> = {},
): Promise<Email & { content: Content | null }> {
  const _id = parseId(emailId);
  const message = _id && (await deps.db.messages.findOne({ _id, projectId: project._id, ...ofKey(keyId) }));
  if (!message || (message.copy && message.copy.index > 0)) throw notFound('EMAIL');
  const [[email], content] = await Promise.all([wholeEmails(deps, project._id, [message]), contentOf(deps, message)]);
  return { ...email!, content };
}

export function queryOf(project: Project, filter: EmailFilter): Filter<Message> {
  const { keyId, email, batchId, campaignId, automationId, threadId, tag, status } = filter;
  const projectId = project._id;
  return {
    projectId,
    ...ofKey(keyId),
    ...(batchId === undefined ? {} : { batchId }),
    ...(campaignId === undefined ? {} : { campaignId: parseId(campaignId) ?? NOTHING }),
    ...(automationId === undefined ? {} : { automationId: parseId(automationId) ?? NOTHING }),
    ...(threadId === undefined ? {} : { threadId }),
    ...(tag === undefined ? {} : { tags: tag }),
    ...(email === undefined ? {} : { $or: ofAddress(projectId, normalizeEmail(email) ?? '') }),
    ...(status === undefined ? {} : withStatus(status)),
    ...within(filter),
  };
}

function ofKey(keyId: ObjectId | undefined): Pick<Filter<Message>, 'keyId'> {
  return keyId === undefined ? {} : { keyId };
}

const NOTHING = new ObjectId('000000000000000000000000');

/** The second index is partial: `recipients` has to be named. */
function ofAddress(projectId: ObjectId, email: string): Filter<Message>[] {
  return [
    { projectId, email },
    { projectId, 'recipients.email': email, recipients: { $exists: true } },
  ];
}

function withStatus(status: EmailStatus): Filter<Message> {
  if (status === 'delivered') return { state: states.sent, deliveredAt: { $exists: true } };
  if (status === states.sent) return { state: states.sent, deliveredAt: { $exists: false } };
  return { state: { $in: statesShownAs(status) } };
}

/** Ids begin with the second in which the mail was queued. */
function within(filter: EmailFilter): Filter<Message> {
  const { from, before } = idsOf(filter);
  if (from === null && before === null) return {};
  return { _id: { ...(from && { $gte: from }), ...(before && { $lt: before }) } };
}

/** Whether mails that were queued then have the ids that the filter names. */
export function idsWithin(filter: EmailFilter, queuedAt: Date): boolean {
  const { from, before } = idsOf(filter);
  const second = Math.floor(queuedAt.getTime() / 1_000);
  const isBelow = (id: ObjectId | null) => id !== null && second < id.getTimestamp().getTime() / 1_000;
  return !isBelow(from) && (before === null || isBelow(before));
}

function idsOf({ dateFrom, dateTo }: EmailFilter): { from: ObjectId | null; before: ObjectId | null } {
  const from = dateFrom === undefined ? null : readDate(dateFrom);
  const to = dateTo === undefined ? null : readDate(dateTo);
  return { from: from === null ? null : firstIdAt(from), before: to === null ? null : firstIdAt(to + 1_000) };
}
