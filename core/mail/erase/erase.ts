import { type AnyBulkWriteOperation, type Filter, ObjectId } from 'mongodb';
import { inTransaction } from '../../base/database/transactions.ts';
import { idsWithin } from '../../base/ids.ts';
import type { Session } from '../../base/model.ts';
import { hashOfErased } from '../../base/secrets.ts';
import { HOUR_MS } from '../../base/time/durations.ts';
import { eraseEventsAt } from '../../events/events.ts';
import { again, type DueOutcome, documentQueue, settled } from '../../jobs/document-queue.ts';
import type { JobQueue } from '../../jobs/queue.ts';
import type { Deletion } from '../../people/subscribers.ts';
import type { MailDeps } from '../deps.ts';
import { providerOf } from '../ledger/counting/mailbox-providers.ts';
import type { Message, MessageRecipient, TimelineEntry } from '../ledger/model.ts';
import { isOver, OPEN_STATES, states } from '../ledger/states.ts';
import { erasedClick } from '../messages/clicks.ts';
import { deleteContent } from '../messages/contents.ts';
import { failQueued } from '../messages/messages.ts';
import type { ContactErasure, Engagement } from '../messages/model.ts';
import { cancelMailTo } from '../messages/scheduled/to-deleted.ts';
import { eraseFromBlocks } from './erase-blocks.ts';
import { CONTACT_DELETED } from './fail-for-deleted.ts';

/**
 * Until then bounces of the last mails find their address, and webhooks have time to report them; a promise of 24 hours is kept
 * with a margin.
 */
const ERASED_AFTER_MS = 12 * HOUR_MS;
/** A mail that may still be sent is checked again after this time. */
const OPEN_AGAIN_MS = 600_000;
const LOOK_EVERY_MS = 60_000;
const AT_ONCE_MAX = 4;
/** Longer than a transaction: mail of a decision that had read the contact before it was deleted has an id of this time. */
const UNSEEN_MS = 65_000;
const MESSAGES_AT_ONCE = 500;
/** Lines of a timeline whose reason is text of a receiving server. */
const SAID_BY_SERVERS = new Set(['delayed', 'delivered']);

/**
 * Runs in the transaction that deletes contacts: personal data in their messages are erased within a day. A former address has an erasure of
 * its own; that of the present one has the id of the contact.
 */
export async function recordMessagesOfDeleted(
  { db, clock }: MailDeps,
  session: Session,
  projectId: ObjectId,
  { contacts, addresses }: Deletion,
): Promise<void> {
  const now = clock.now();
  const dueAt = new Date(now.getTime() + ERASED_AFTER_MS);
  const latest = new Map(addresses.map((one) => [one.email, one]));
  const present = new Set(contacts.map(({ email }) => email));
  const former = addresses.filter((one) => !present.has(one.email) || latest.get(one.email) !== one);
  const erasures: ContactErasure[] = [
    ...contacts.map(({ _id, email }) => ({
      ...{ _id, projectId, email, since: latest.get(email)?.since ?? null, deletedAt: now, dueAt },
    })),
    ...former.map(({ email, since, until }) => ({
      ...{ _id: new ObjectId(), projectId, email, since, deletedAt: until ?? now, dueAt },
      isOutOfBlocks: true as const,
    })),
  ];
  await db.contactErasures.insertMany(erasures, { session });
}

/**
 * Erases addresses, names and data in the messages of deleted contacts; states, times and a keyed hash stay, so that every count
 * still adds up.
 */
export function messageErasures(deps: MailDeps): JobQueue {
  return documentQueue<ContactErasure>(deps, {
    name: 'message-erasures',
    collection: deps.db.contactErasures,
    field: 'dueAt',
    concurrencyMax: AT_ONCE_MAX,
    lookEveryMs: LOOK_EVERY_MS,
    run: (erasure) => eraseMessages(deps, erasure),
  });
}

/** An erased message has no address, so a repeat finds only the rest. */
async function eraseMessages(deps: MailDeps, erasure: ContactErasure): Promise<DueOutcome> {
  const { _id, projectId, email } = erasure;
  // Nothing waits for ever: a recipient of an aborted campaign was given back, and is never sent to.
  await failQueued(deps, projectId, [_id], CONTACT_DELETED);
  const scheduled = { emails: [email], reason: CONTACT_DELETED, which: within(erasure) };
  await inTransaction(deps, (session) => cancelMailTo(deps, session, projectId, scheduled));
  const contacts = {
    contactId: _id,
    email: { $ne: '' },
    ...within({ deletedAt: new Date(erasure.deletedAt.getTime() + UNSEEN_MS) }),
  };
  // Another contact may have had the address before, or this contact another address: mail of a contact is found by its id.
  const address = { email, contactId: { $exists: false }, ...within(erasure) };
  const isOpen = [
    await eraseFromBlocks(deps, erasure),
    await eraseOwn(deps, erasure, contacts, 'contact'),
    await eraseOwn(deps, erasure, address, 'email'),
    await eraseCopies(deps, erasure),
    await eraseElsewhere(deps, erasure),
  ].some(Boolean);
  await eraseLateEvents(deps, erasure);
  if (isOpen) return again(new Date(deps.clock.now().getTime() + OPEN_AGAIN_MS));
  await deps.db.contactErasures.deleteOne({ _id, projectId, email });
  return settled;
}

async function eraseElsewhere(deps: MailDeps, erasure: ContactErasure): Promise<boolean> {
  let isOpen = false;
  for (const erase of deps.subscribers.erasures) isOpen = (await erase(deps, erasure)) || isOpen;
  return isOpen;
}

/**
 * Mail that was in flight when the contact was deleted has published its outcome since, and steps that were taken in the same moment have posted
 * the contact. The ids of mails are in their order.
 */
async function eraseLateEvents({ db, clock }: MailDeps, erasure: ContactErasure): Promise<void> {
  const { projectId, email } = erasure;
  const contactId = erasure._id.toHexString();
  const { $gte, $lt } = within(erasure)._id;
  const emailId = { $gte: $gte.toHexString(), $lt: $lt.toHexString() };
  const either = [{ 'data.emailId': emailId }, { 'data.contactId': contactId }, { 'data.contact.id': contactId }];
  const late = { projectId, 'data.email': { $exists: true, $eq: email }, $or: either };
  await eraseEventsAt({ db }, late, clock.now());
}

/** Erases mail to the contact itself. Returns whether some of it may still be sent. */
function eraseOwn(
  deps: MailDeps,
  erasure: ContactErasure,
  which: Filter<Message>,
  hint: 'contact' | 'email',
): Promise<boolean> {
  const { projectId } = erasure;
  return eachBatch(deps, { projectId, ...which }, hint, async (messages) => {
    await eraseFromCc(deps, projectId, messages);
    await removeOwnContents(deps, messages);
    await eraseEngagements(
      deps,
      projectId,
      messages.map(({ _id }) => _id),
    );
    return messages.map((message) => ({
      updateOne: {
        filter: { _id: message._id, projectId, email: message.email, state: message.state },
        update: {
          $set: {
            email: '',
            emailHash: hashOfErased(deps, projectId, message.email),
            provider: providerOf(message.email),
            ...erasedFields(message, message.email),
          },
          // Erased mail is not sent again, so it needs no content.
          $unset: { name: '', data: '', subject: '', dueAt: '', content: '', contentDueAt: '' },
        },
      },
    }));
  });
}

/** Clicks are counted again, so that the counts by URL lose the addresses too. Repeated for mails that are clicked at the same time. */
async function eraseEngagements({ db }: MailDeps, projectId: ObjectId, ids: ObjectId[]): Promise<void> {
  await db.engagements.updateMany({ _id: { $in: ids }, projectId }, { $unset: { opens: '' } });
  for (;;) {
    const clicked = await db.engagements
      .find({ _id: { $in: ids }, projectId, clickCount: { $gt: 0 } })
      .project<Clicked>({ clickCount: 1, clicks: 1, laterClicks: 1 })
      .toArray();
    if (clicked.length === 0) return;
    const { matchedCount } = await db.engagements.bulkWrite(clicked.map((one) => erasedClicks(projectId, one)));
    if (matchedCount === clicked.length) return;
  }
}

type Clicked = Pick<Engagement, '_id' | 'clickCount' | 'clicks' | 'laterClicks'>;

function erasedClicks(
  projectId: ObjectId,
  { _id, clickCount, clicks = [], laterClicks = [] }: Clicked,
): AnyBulkWriteOperation<Engagement> {
  const $set = { clicks: clicks.map(erasedClick), laterClicks: laterClicks.map(erasedClick) };
  return {
    updateOne: { filter: { _id, projectId, clickCount }, update: { $set, $currentDate: { countDueAt: true } } },
  };
}

/** The Cc line of marketing mail is stored on the message to `to`. */
async function eraseFromCc({ db }: MailDeps, projectId: ObjectId, messages: readonly Message[]): Promise<void> {
  const copies = messages.filter(({ copy }) => copy?.kind === 'cc');
  const ids = copies.flatMap(({ copy }) => copy?.of ?? []);
  if (ids.length === 0) return;
  const erased = { 'copy.cc.$[one].email': '', 'copy.cc.$[one].name': null };
  const arrayFilters = [{ 'one.email': { $in: copies.map(({ email }) => email) } }];
  await db.messages.updateMany({ _id: { $in: ids }, projectId }, { $set: erased }, { arrayFilters });
}

/** While one of to, cc and bcc is being sent, it needs the data stored with the others. Scheduled mail has lost the contact already. */
async function withOpenCopies(
  { db }: MailDeps,
  projectId: ObjectId,
  messages: readonly Message[],
): Promise<ReadonlySet<string>> {
  const ids = messages.flatMap(({ copy }) => (copy ? [copy.of] : []));
  if (ids.length === 0) return new Set();
  const open = {
    projectId,
    'copy.of': { $in: ids },
    copy: { $exists: true },
    state: { $in: OPEN_STATES, $ne: states.scheduled },
  };
  const found = await db.messages.find(open, { projection: { copy: 1 } }).toArray();
  return new Set(found.map(({ copy }) => String(copy?.of)));
}

/** Erases the address in cc or bcc of mail to other people. */
function eraseCopies(deps: MailDeps, erasure: ContactErasure): Promise<boolean> {
  const { projectId, email } = erasure;
  const named = { projectId, 'recipients.email': email, recipients: { $exists: true }, ...within(erasure) };
  return eachBatch(deps, named, 'copies', async (messages) =>
    messages.map((message) => ({
      updateOne: {
        filter: { _id: message._id, projectId, state: message.state },
        update: { $set: erasedFields(message, email) },
      },
    })),
  );
}

type Batch = (messages: Message[]) => Promise<AnyBulkWriteOperation<Message>[]>;

async function eachBatch(deps: MailDeps, filter: Filter<Message>, hint: string, erase: Batch): Promise<boolean> {
  let isOpen = false;
  for (let after = new ObjectId('ffffffffffffffffffffffff'); ; ) {
    const page = { $and: [filter, { _id: { $lt: after } }] };
    const found = await deps.db.messages
      .find(page, { hint, projection: { content: 0 } })
      .sort({ _id: -1 })
      .limit(MESSAGES_AT_ONCE)
      .toArray();
    const openMails = await withOpenCopies(deps, filter.projectId as ObjectId, found);
    const ended = found.filter(({ state, copy }) => isOver(state) && !openMails.has(String(copy?.of)));
    isOpen ||= ended.length < found.length;
    const writes = ended.length > 0 ? await erase(ended) : [];
    if (writes.length > 0) await deps.db.messages.bulkWrite(writes, { ordered: false });
    if (found.length < MESSAGES_AT_ONCE) return isOpen;
    after = found.at(-1)?._id ?? after;
  }
}

/** Ids begin with the second in which the mail was queued: mail sent to the address after the deletion is left alone. */
function within({ since, deletedAt: until }: Pick<ContactErasure, 'since' | 'deletedAt'>) {
  return { _id: idsWithin({ since, until }) };
}

/** Removes the content of a single mail; the shared content of a bulk call has no data of a single recipient. */
async function removeOwnContents(deps: MailDeps, messages: Message[]): Promise<void> {
  const idsOf = (some: Message[]) => some.flatMap(({ contentId }) => contentId ?? []);
  const ids = idsOf(messages);
  if (ids.length === 0) return;
  const projectId = messages[0]?.projectId as ObjectId;
  const single = messages.filter(({ copy, batchId }) => copy?.index === 0 && batchId === undefined);
  const own = { _id: { $in: ids }, projectId, $or: [{ messageIds: { $size: 1 } }, { _id: { $in: idsOf(single) } }] };
  for (const content of await deps.db.contents.find(own).toArray()) await deleteContent(deps, content);
}

/**
 * Servers repeat addresses, and more, in their replies, and one reply may be about all recipients: only the codes are kept, and the lines
 * about another recipient.
 */
function erasedFields({ recipients, reply, reason, timeline = [], email: to }: Message, email: string) {
  const isOwn = to === email;
  return {
    ...(recipients && {
      recipients: recipients.map((one) => (one.email === email ? erasedRecipient(one) : withoutText(one))),
    }),
    ...(reply && { reply: { ...reply, text: '' } }),
    ...(reason && { reason: withoutAddress(reason) }),
    timeline: timeline.map((entry) => {
      if (isOwn || entry.email === email) return erasedEntry(entry);
      return entry.email === undefined ? withoutSaid(entry) : entry;
    }),
  };
}

function erasedRecipient(recipient: MessageRecipient): MessageRecipient {
  const { reason, ...rest } = withoutText(recipient);
  return { ...rest, email: '', name: null, reason: reason && withoutAddress(reason) };
}

function withoutText({ reply, ...rest }: MessageRecipient): MessageRecipient {
  return { ...rest, reply: reply && { ...reply, text: '' } };
}

function erasedEntry({ url: _url, email: _email, ...entry }: TimelineEntry): TimelineEntry {
  return withoutSaid(entry);
}

function withoutSaid({ reply, reason, ...rest }: TimelineEntry): TimelineEntry {
  return {
    ...rest,
    ...(reply && { reply: { ...reply, text: '' } }),
    ...(reason && !SAID_BY_SERVERS.has(rest.type) && { reason: withoutAddress(reason) }),
  };
}

/** Our own reasons are kept; one that contains an address is dropped. */
function withoutAddress(text: string): string {
  return text.includes('@') ? 'erased' : text;
}
