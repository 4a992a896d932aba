import { DAY_MS } from '../../base/time/durations.ts';
import { again, type DueOutcome, documentQueue, done, settled } from '../../jobs/document-queue.ts';
import type { JobQueue } from '../../jobs/queue.ts';
import type { MailDeps } from '../deps.ts';
import type { Content, Message } from '../ledger/model.ts';
import { isOpen, OPEN_STATES } from '../ledger/states.ts';
import { deleteContent } from './contents.ts';

/** Counted from the last outcome. */
export const CONTENT_KEPT_MS = 7 * DAY_MS;
const LOOK_EVERY_MS = 60_000;
const AT_ONCE_MAX = 4;

export function withRemoval(content: Content): Content {
  return { ...content, removeDueAt: removalOf(content) };
}

/** The message of a small mail, with its own content. */
export function withContent(message: Message, whole: Content): Message {
  const { _id, projectId: _project, messageIds: _messages, ...content } = whole;
  return { ...message, contentId: _id, content, contentDueAt: removalOf(whole) };
}

function removalOf({ createdAt }: Content): Date {
  return new Date(createdAt.getTime() + CONTENT_KEPT_MS);
}

/** Bodies, data and attachments are removed a week after the last outcome of their mails; the records stay. */
export function contentRemovals(deps: MailDeps): JobQueue {
  return documentQueue<Content>(deps, {
    name: 'content-removals',
    collection: deps.db.contents,
    field: 'removeDueAt',
    concurrencyMax: AT_ONCE_MAX,
    lookEveryMs: LOOK_EVERY_MS,
    run: (content) => removeContent(deps, content),
  });
}

/** The same for contents stored in their messages. */
export function ownContentRemovals(deps: MailDeps): JobQueue {
  return documentQueue<Message>(deps, {
    name: 'own-content-removals',
    collection: deps.db.messages,
    field: 'contentDueAt',
    concurrencyMax: AT_ONCE_MAX,
    lookEveryMs: LOOK_EVERY_MS,
    run: (message) => removeOwnContent(deps, message),
  });
}

async function removeOwnContent(deps: MailDeps, message: Message): Promise<DueOutcome> {
  const { _id, projectId } = message;
  const now = deps.clock.now();
  const removeAt = removalAfter([message], now);
  if (removeAt > now) return again(removeAt);
  const ended = { _id, projectId, state: { $nin: OPEN_STATES } };
  const { matchedCount } = await deps.db.messages.updateOne(ended, { $unset: { content: '' } });
  // A message that is open again is checked again when the lease ends.
  return matchedCount === 1 ? done : settled;
}

async function removeContent(deps: MailDeps, content: Content): Promise<DueOutcome> {
  const { projectId, messageIds } = content;
  const mails = { _id: { $in: messageIds }, projectId };
  const messages = await deps.db.messages.find(mails, { projection: { state: 1, endedAt: 1, claimedAt: 1 } }).toArray();
  const now = deps.clock.now();
  const removeAt = removalAfter(messages, now);
  if (removeAt > now) return again(removeAt);
  await deps.db.messages.updateMany(mails, { $unset: { data: '' } });
  await deleteContent(deps, content);
  return settled;
}

function removalAfter(messages: Message[], now: Date): Date {
  const last = Math.max(0, ...messages.map((message) => lastOutcome(message, now)));
  return new Date(last + CONTENT_KEPT_MS);
}

/** A mail that may still be sent has no last outcome yet. */
function lastOutcome({ state, endedAt, claimedAt }: Message, now: Date): number {
  if (isOpen(state)) return now.getTime();
  return (endedAt ?? claimedAt ?? now).getTime();
}
