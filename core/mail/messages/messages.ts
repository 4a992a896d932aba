import type { ObjectId } from 'mongodb';
import { createBatcher } from '../../base/database/batcher.ts';
import { insertNew, isDuplicateKey } from '../../base/database/idempotent-insert.ts';
import { inTransaction, isAway } from '../../base/database/transactions.ts';
import { oncePerCore } from '../../base/deps.ts';
import { AppError } from '../../base/errors.ts';
import type { Session } from '../../base/model.ts';
import { emailDomain } from '../../base/text/addresses.ts';
import { BoundedMap } from '../../base/work/cache.ts';
import { wakeQueue } from '../../jobs/queue.ts';
import type { MailDeps } from '../deps.ts';
import { newlyAccepted } from '../ledger/counting/facts.ts';
import type { Content, Message, TimelineEntry } from '../ledger/model.ts';
import type { Lane } from '../ledger/relay.ts';
import { states, WAITING_STATES } from '../ledger/states.ts';
import { withContent, withRemoval } from './content-retention.ts';
import { deleteContent } from './contents.ts';

/** The messages and the content of one mail, or of one bulk call. */
export interface Mailing {
  content: Content;
  messages: Message[];
}

/** As it is written: the content of a small mail is in its message. */
export interface Written {
  contents: Content[];
  messages: Message[];
}

const TOGETHER_MAX = 100;
/** In characters of at most six bytes as BSON: even 100 mails are below the 16 MB of a command. */
const SMALL_MAX = 20_000;
/** Fewer are better off in the batch after this one. */
const NEXT_FROM = 16;
export const TIMELINE_MAX = 200;
/** Due times are compared with the database's clock; a minute behind, they are due at once however the clocks differ. */
export const AT_ONCE_MS = 60_000;

export function mailChannel(lane: Lane): string {
  return `mail-${lane}`;
}

export function dueAtOnce(deps: Pick<MailDeps, 'clock'>): Date {
  return new Date(deps.clock.now().getTime() - AT_ONCE_MS);
}

/** Durable when it resolves; calls that arrive during a write share a commit. Then the lanes are woken. */
export function queueMailing(deps: MailDeps, mailing: Mailing): Promise<void> {
  const written = writtenOf(deps, mailing);
  return written.contents.length === 0 ? smallJoiner(deps)(written) : joiner(deps)(written);
}

/** The different mails of one call: all of them or none. */
export async function queueMailings(deps: MailDeps, mailings: Mailing[]): Promise<void> {
  const stored = await storeMailings(
    deps,
    mailings.map((mailing) => writtenOf(deps, mailing)),
  );
  for (const failure of stored) if (failure) throw failure;
}

/** As it is stored, with the fields that every message has when it is accepted. */
export function writtenOf(deps: MailDeps, { content, messages }: Mailing): Written {
  const more = { senderDomain: emailDomain(content.from.email), ...newlyAccepted(deps) };
  const accepted = messages.map((message) => ({ ...message, ...more }));
  const [first] = accepted;
  if (first && isSmall({ content, messages })) return { contents: [], messages: [withContent(first, content)] };
  return { contents: [withRemoval(content)], messages: accepted };
}

const joiner = oncePerCore((deps: MailDeps) =>
  createBatcher<Written, void>((mailings) => storeMailings(deps, mailings), {
    sizeMax: TOGETHER_MAX,
    runsMax: 2,
    callers: 'requests',
  }),
);

const smallJoiner = oncePerCore((deps: MailDeps) =>
  createBatcher<Written, void>((mailings) => storeSmall(deps, mailings), {
    sizeMax: TOGETHER_MAX,
    runsMax: 3,
    nextFrom: NEXT_FROM,
    callers: 'requests',
  }),
);

/** One command without a transaction, since the content is in the message; documents of a first try stay. */
async function storeSmall(deps: MailDeps, mailings: Written[]): Promise<Array<undefined | Error>> {
  const { messages } = deps.db;
  const docs = mailings.flatMap((mailing) => mailing.messages);
  const deadline = performance.now() + deps.config.operationTimeoutMs;
  const stored = await insertNew(deps, messages.collectionName, docs).then(
    () => docs.map(() => undefined),
    (error) => {
      if (isAway(error) || performance.now() > deadline) throw error;
      // Written one by one: the driver repeats each as the primary changes, and a document that cannot be stored does not hold up
      // the others.
      return Promise.all(docs.map((doc) => ignoringDuplicate(messages.insertOne(doc))));
    },
  );
  wakeLanes(deps, mailings);
  return stored;
}

/** Contents and messages are written together or not at all: a message without its content could never be sent. */
async function storeMailings(deps: MailDeps, mailings: Written[]): Promise<Array<undefined | Error>> {
  try {
    await inTransaction(deps, (session) => insertWritten(deps, mailings, session));
    wakeLanes(deps, mailings);
    return mailings.map(() => undefined);
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
  }
  // A repeated request finds the documents of its first try: each mailing is written separately, and existing documents stay.
  const stored = await Promise.all(mailings.map((mailing) => storeAgain(deps, mailing).catch((error: Error) => error)));
  wakeLanes(deps, mailings);
  return stored;
}

export async function insertWritten({ db }: MailDeps, mailings: Written[], session: Session): Promise<void> {
  const contents = mailings.flatMap((mailing) => mailing.contents);
  const messages = mailings.flatMap((mailing) => mailing.messages);
  if (contents.length > 0) await db.contents.insertMany(contents, { session });
  await db.messages.insertMany(messages, { session });
}

/** Every change of a message rewrites it, so a long body has a document of its own, and so has content that several share. */
function isSmall({ content, messages }: Mailing): boolean {
  const [message] = messages;
  if (!message || messages.length > 1 || message.recipients || message.data) return false;
  const { subject, previewText, html, text, sealed, data, headers, attachments } = content;
  if (attachments.length > 0) return false;
  const written =
    subject.length + previewText.length + (html?.length ?? 0) + (text?.length ?? 0) + (sealed?.text.length() ?? 0);
  return written <= SMALL_MAX && written + JSON.stringify([data, headers]).length <= SMALL_MAX;
}

export function wakeLanes(deps: MailDeps, mailings: Written[]): void {
  const due = mailings.flatMap(({ messages }) => messages.find(({ state }) => state === states.queued) ?? []);
  const once = new Map(due.map(({ lane, projectId }) => [`${lane} ${projectId}`, { lane, projectId }]));
  for (const { lane, projectId } of once.values()) wakeQueue(deps, mailChannel(lane), projectId);
}

async function storeAgain(deps: MailDeps, { contents, messages }: Written): Promise<undefined | Error> {
  const { db } = deps;
  for (const content of contents) {
    if (await isRemoved(deps, content)) {
      // The call has stored its files again.
      await deleteContent(deps, content);
      continue;
    }
    const failure = await ignoringDuplicate(db.contents.insertOne(content));
    if (failure) return failure;
  }
  return ignoringDuplicate(db.messages.insertMany(messages, { ordered: false }));
}

/** A message is never stored before its content, so a content that is missing was erased, or removed with time. */
async function isRemoved({ db }: MailDeps, { _id, projectId, messageIds }: Content): Promise<boolean> {
  const its = { _id: { $in: messageIds }, projectId };
  if (!(await db.messages.findOne(its, { projection: { _id: 1 } }))) return false;
  return !(await db.contents.findOne({ _id, projectId }, { projection: { _id: 1 } }));
}

async function ignoringDuplicate(writing: Promise<unknown>): Promise<undefined | Error> {
  try {
    await writing;
  } catch (error) {
    if (!isDuplicateKey(error)) return error as Error;
  }
}

/** Adds a line to the timeline of a message: opens, clicks, bounces. The oldest lines of a long timeline are dropped. */
export async function appendTimeline(
  { db }: Pick<MailDeps, 'db'>,
  { projectId, messageId }: { projectId: ObjectId; messageId: ObjectId },
  entry: TimelineEntry,
): Promise<void> {
  await db.messages.updateOne(
    { _id: messageId, projectId },
    { $push: { timeline: { $each: [entry], $slice: -TIMELINE_MAX } } },
  );
}

/**
 * For deleted contacts: unclaimed mail is not sent any more, whichever address the contact had when it was queued. Without a
 * hint, so that contacts can be deleted before an upgraded installation has the index.
 */
export async function failQueued(
  { db }: Pick<MailDeps, 'db'>,
  projectId: ObjectId,
  contactIds: ObjectId[],
  reason: string,
  session?: Session,
): Promise<number> {
  const open = {
    projectId,
    contactId: { $in: contactIds },
    state: { $in: WAITING_STATES },
  };
  const failed = [
    {
      $set: {
        state: states.failed,
        reason,
        endedAt: '$$NOW',
        timeline: { $concatArrays: [{ $ifNull: ['$timeline', []] }, [{ type: 'failed', reason, at: '$$NOW' }]] },
      },
    },
    { $unset: 'dueAt' },
  ];
  const { modifiedCount } = await db.messages.updateMany(open, failed, session ? { session } : {});
  return modifiedCount;
}

/** With more waiting messages of a project in a lane, scheduled ones included, new ones are refused until some are sent. */
const BACKLOG_MAX = 1_000_000;
const RECOUNT_EVERY_MS = 30_000;
const BACKLOGS_MAX = 10_000;

interface Backlog {
  counted: number;
  /** Since the count began. */
  accepted: number;
  countedAt: number;
  counting: Promise<void> | null;
}

const backlogsOf = oncePerCore(() => new BoundedMap<string, Backlog>(BACKLOGS_MAX));

/**
 * Counting has a cost, so the last count and the messages accepted since then serve for half a minute, and concurrent callers
 * share one count.
 */
export async function refuseFullBacklog(
  deps: MailDeps,
  projectId: ObjectId,
  lane: Lane,
  adding: number,
): Promise<void> {
  const backlog = backlogOf(deps, `${lane}:${projectId.toHexString()}`);
  const isFull = () => backlog.counted + backlog.accepted + adding > BACKLOG_MAX;
  const isOld = performance.now() - backlog.countedAt > RECOUNT_EVERY_MS;
  if (isOld || (isFull() && backlog.accepted > 0)) {
    backlog.counting ??= count(deps, backlog, { lane, projectId }).finally(() => {
      backlog.counting = null;
    });
    await backlog.counting;
  }
  if (isFull())
    throw new AppError(
      'rate_limited',
      `${BACKLOG_MAX} mails of this project wait to be sent; repeat the call when some of them are.`,
      { code: 'RATE_LIMIT_EXCEEDED', retryAfterSeconds: 60 },
    );
  backlog.accepted += adding;
}

function backlogOf(deps: MailDeps, key: string): Backlog {
  const backlogs = backlogsOf(deps);
  const backlog = backlogs.get(key) ?? { counted: 0, accepted: 0, countedAt: Number.NEGATIVE_INFINITY, counting: null };
  backlogs.set(key, backlog);
  return backlog;
}

async function count(deps: MailDeps, backlog: Backlog, of: { lane: Lane; projectId: ObjectId }): Promise<void> {
  const before = backlog.accepted;
  const due = { ...of, dueAt: { $exists: true } };
  backlog.counted = await deps.db.messages.countDocuments(due, { limit: BACKLOG_MAX, hint: 'due' });
  backlog.accepted -= before;
  backlog.countedAt = performance.now();
}
