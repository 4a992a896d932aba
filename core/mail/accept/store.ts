import type { ObjectId } from 'mongodb';
import { linkSetOf } from '../compose/link-sets.ts';
import type { MailDeps } from '../deps.ts';
import type { Message } from '../ledger/model.ts';
import { states } from '../ledger/states.ts';
import { storeFile } from '../messages/contents.ts';
import { publishScheduled, publishSuppressed } from '../messages/events.ts';
import { type Mailing, queueMailing, refuseFullBacklog } from '../messages/messages.ts';
import { fetchAttachments } from './fetch-attachments.ts';
import type { MailDraft } from './inputs.ts';

export async function store(deps: MailDeps, draft: MailDraft, messages: Message[]): Promise<void> {
  if (messages.length === 0) return;
  const { projectId, lane } = messages[0]!;
  await refuseFullBacklog(deps, projectId, lane, messages.length);
  await fetchFiles(deps, draft);
  await queueMailing(deps, await mailingOf(deps, draft, messages));
  await publishStored(deps, projectId, messages, draft.content.createdAt);
}

/** Of mail that waits for a time: as they are at the call. */
export async function fetchFiles(deps: MailDeps, { content, sendAt }: MailDraft): Promise<void> {
  if (sendAt) content.attachments = await fetchAttachments(deps, content);
}

/** The events of messages that are stored. */
export async function publishStored(deps: MailDeps, projectId: ObjectId, messages: Message[], at: Date): Promise<void> {
  await publishSuppressed(deps, projectId, messages);
  await publishScheduled(deps, projectId, messages.filter(isScheduled), at);
}

export function isScheduled({ state }: Message): boolean {
  return state === states.scheduled;
}

/** The files of a mail and its set of links are written before it. */
export async function mailingOf(
  deps: MailDeps,
  { content, files, templates }: MailDraft,
  messages: Message[],
): Promise<Mailing> {
  const { projectId, templateId } = content;
  await Promise.all(files.map((file) => storeFile(deps, projectId, file)));
  const linkSetId = templateId === null ? null : await linkSetOf(deps, { projectId, templateId }, templates.html);
  if (linkSetId) for (const message of messages) message.linkSetId = linkSetId;
  return { content: { ...content, messageIds: messages.map(({ _id }) => _id) }, messages };
}
