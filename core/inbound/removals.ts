import type { ObjectId } from 'mongodb';
import type { Session } from '../base/model.ts';
import { hashOfErased } from '../base/secrets.ts';
import { DAY_MS } from '../base/time/durations.ts';
import { again, type DueOutcome, documentQueue, settled } from '../jobs/document-queue.ts';
import { type JobQueue, wakeQueue } from '../jobs/queue.ts';
import { deleteFile } from '../mail/messages/contents.ts';
import { namingOf } from '../people/addresses.ts';
import type { Deletion, PublishedChange } from '../people/subscribers.ts';
import type { InboundDeps } from './deps.ts';
import type { InboundMessage } from './model.ts';

const INBOUND_REMOVALS = 'inbound-removals';
const LOOK_EVERY_MS = 60_000;
const AT_ONCE_MAX = 4;

export function inboundRemovalAt({ config }: Pick<InboundDeps, 'config'>, receivedAt: Date): Date {
  return new Date(receivedAt.getTime() + config.retentionDays * DAY_MS);
}

/** In the transaction that deletes contacts. Later mail from the address is a new message without a contact. */
export async function recordInboundOfDeleted(
  { db }: InboundDeps,
  session: Session,
  projectId: ObjectId,
  { addresses }: Deletion,
): Promise<void> {
  for (const which of namingOf(addresses, 'from.email', 'receivedAt'))
    await db.inboundMessages.updateMany(
      { projectId, ...which },
      [{ $set: { isOfDeleted: true, removeDueAt: '$$NOW' } }],
      { session },
    );
}

export function announceInboundOfDeleted(deps: InboundDeps, projectId: ObjectId, changes: PublishedChange[]): void {
  if (changes.some(({ after }) => after === null)) wakeQueue(deps, INBOUND_REMOVALS, projectId);
}

/**
 * Inbound messages are removed after RETENTION_DAYS, with their attachments. A message of a deleted contact is erased before that, down to
 * the fact that it came.
 */
export function inboundRemovals(deps: InboundDeps): JobQueue {
  return documentQueue<InboundMessage>(deps, {
    name: INBOUND_REMOVALS,
    collection: deps.db.inboundMessages,
    field: 'removeDueAt',
    concurrencyMax: AT_ONCE_MAX,
    lookEveryMs: LOOK_EVERY_MS,
    run: (message) => removeOrErase(deps, message),
  });
}

/** Files first: a repeat still finds the message, and its remaining files. */
async function removeOrErase(deps: InboundDeps, message: InboundMessage): Promise<DueOutcome> {
  const { _id, projectId, receivedAt, attachments, isOfDeleted } = message;
  const removeAt = inboundRemovalAt(deps, receivedAt);
  const isOver = removeAt <= deps.clock.now();
  // RETENTION_DAYS was raised in between.
  if (!isOver && !isOfDeleted) return again(removeAt);
  for (const { fileId } of attachments) await deleteFile(deps, fileId);
  if (isOver) {
    await deps.db.inboundMessages.deleteOne({ _id, projectId });
    return settled;
  }
  await deps.db.inboundMessages.updateOne({ _id, projectId }, { $set: erased(deps, message) });
  return again(removeAt);
}

/** Keeps that it came, its date, its conversation and its outcome. The second time there is no address left to hash. */
function erased(deps: InboundDeps, { projectId, from, fromHash }: InboundMessage): Partial<InboundMessage> {
  return {
    from: { email: '', name: null },
    fromHash: fromHash ?? hashOfErased(deps, projectId, from.email),
    ...{ to: [], cc: [], bcc: [], replyTo: [] },
    ...{ subject: '', text: null, html: null, headers: [], attachments: [] },
    ...{ messageId: '', inReplyTo: null, references: [] },
  };
}
