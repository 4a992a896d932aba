import type { ObjectId } from 'mongodb';
import { derivedId } from '../../base/ids.ts';
import type { MailDeps } from '../deps.ts';
import type { Message, MessageRecipient } from '../ledger/model.ts';

/** A mail as callers see it: the message to `to`, and with marketing mail those to cc and bcc. */
export interface Email {
  message: Message;
  copies: Message[];
}

/**
 * Marketing mail with cc and bcc is a message for each address: its own claim and outcome, return path and links. So a report, an
 * unsubscribe or a click belongs to the recipient who got it, and a process that dies between two messages leaves only one
 * unknown.
 */
export function copiesOf<T extends Pick<Message, '_id'>>(
  first: T,
  recipients: readonly MessageRecipient[],
): Array<{ _id: ObjectId; copy: NonNullable<Message['copy']>; recipient: MessageRecipient }> {
  const of = first._id;
  const cc = recipients.filter(({ kind }) => kind === 'cc').map(({ email, name }) => ({ email, name }));
  return recipients.map((recipient, index) => ({
    _id: index === 0 ? of : derivedId(of.getTimestamp(), 'copy', of.toHexString(), index),
    copy: { of, index, kind: recipient.kind, ...(index === 0 ? { cc } : {}) },
    recipient,
  }));
}

/** The message to `to` of each of these: it has To, Cc and the recipient's data. */
export async function firstOnes({ db }: Pick<MailDeps, 'db'>, projectId: ObjectId, messages: readonly Message[]) {
  const ids = messages.flatMap(({ copy }) => (copy && copy.index > 0 ? [copy.of] : []));
  const found = ids.length === 0 ? [] : await db.messages.find({ _id: { $in: ids }, projectId }).toArray();
  const byId = new Map(found.map((message) => [message._id.toHexString(), message]));
  return (message: Message): Message | null =>
    message.copy && message.copy.index > 0 ? (byId.get(message.copy.of.toHexString()) ?? null) : message;
}

/** Each mail with all messages sent under its id; a copy yields the mail that it belongs to. */
export async function wholeEmails(
  { db }: Pick<MailDeps, 'db'>,
  projectId: ObjectId,
  messages: readonly Message[],
): Promise<Email[]> {
  const ids = messages.flatMap(({ copy }) => (copy ? [copy.of] : []));
  if (ids.length === 0) return messages.map((message) => ({ message, copies: [] }));
  const found = await db.messages
    .find({ projectId, 'copy.of': { $in: ids }, copy: { $exists: true } }, { projection: { content: 0 } })
    .sort({ 'copy.index': 1 })
    .toArray();
  const byMail = Map.groupBy(found, ({ copy }) => String(copy?.of));
  return messages.map((message) => {
    const [first = message, ...copies] = byMail.get(String(message.copy?.of)) ?? [];
    return { message: first, copies };
  });
}
