import { createHash } from 'node:crypto';
import type { ObjectId } from 'mongodb';
import { parseId } from '../base/ids.ts';
import { conversationOf, emailIdIn } from '../base/text/message-ids.ts';
import { contentsOf } from '../mail/messages/contents.ts';
import type { InboundDeps } from './deps.ts';
import type { ParsedMail } from './mail.ts';
import type { InboundMessage } from './model.ts';

type Thread = Pick<InboundMessage, 'threadId' | 'inReplyTo' | 'inReplyToEmailActivityId' | 'inReplyToInboundEmailId'>;

const ANCESTORS_MAX = 20;

/**
 * The mail that this one answers, by its headers: one that we sent, or one that came in. It must belong to this project, whatever the
 * headers say.
 */
export async function threadOf(deps: InboundDeps, projectId: ObjectId, mail: ParsedMail): Promise<Thread> {
  const { inReplyTo, references, messageId } = mail;
  // The nearest first.
  const ancestors = [...new Set([...(inReplyTo ? [inReplyTo] : []), ...references.toReversed()])].slice(
    0,
    ANCESTORS_MAX,
  );
  const [inbound, sent] = await Promise.all([
    ancestors.length === 0
      ? []
      : deps.db.inboundMessages
          .find({ projectId, messageId: { $in: ancestors } }, { projection: { messageId: 1, threadId: 1 } })
          .toArray(),
    ownMails(deps, projectId, ancestors),
  ]);
  const nearest = ancestors.find((id) => sent.has(id) || inbound.some((one) => one.messageId === id));
  const answered = inbound.find((one) => one.messageId === nearest) ?? null;
  const root = (nearest && sent.get(nearest)?.root) || references[0] || inReplyTo || messageId;
  return {
    threadId: inbound.find((one) => ancestors.includes(one.messageId))?.threadId ?? threadIdOf(projectId, root),
    inReplyTo,
    inReplyToEmailActivityId: (nearest && sent.get(nearest)?.id) || null,
    inReplyToInboundEmailId: answered?._id ?? null,
  };
}

/** Our own mails among them. A reply of ours belongs to the conversation that it answered. */
async function ownMails(deps: InboundDeps, projectId: ObjectId, messageIds: string[]) {
  const ids = messageIds.flatMap((messageId) => {
    const _id = parseId(emailIdIn(messageId));
    return _id ? [{ _id, messageId }] : [];
  });
  const found = new Map<string, { id: ObjectId; root: string }>();
  if (ids.length === 0) return found;
  const own = { contentId: 1, 'content.references': 1, 'content.inReplyTo': 1 };
  const messages = await deps.db.messages
    .find({ _id: { $in: ids.map(({ _id }) => _id) }, projectId }, { projection: own })
    .toArray();
  const contents = await contentsOf(deps, projectId, messages, { references: 1, inReplyTo: 1 });
  for (const { _id, messageId } of ids) {
    const message = messages.find((one) => one._id.equals(_id));
    if (!message) continue;
    const content = contents.get(String(message.contentId));
    const before = /<([^<>]+)>/.exec(content?.references ?? content?.inReplyTo ?? '')?.[1];
    found.set(messageId, { id: _id, root: before ?? conversationOf(messageId) });
  }
  return found;
}

function threadIdOf(projectId: ObjectId, root: string): string {
  const key = root === '' ? Math.random().toString() : root;
  return createHash('sha256').update(`${projectId.toHexString()} ${key}`).digest('hex').slice(0, 24);
}
