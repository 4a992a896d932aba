import { batchesById } from '../../base/database/batches.ts';
import type { Project } from '../../base/model.ts';
import type { MailAct } from '../../people/behaviour/note.ts';
import type { MailDeps } from '../deps.ts';
import type { Message } from '../ledger/model.ts';
import type { Engagement } from '../messages/model.ts';
import { announceActs, type Mail } from './acts.ts';

const AT_ONCE = 1_000;

/**
 * Announces the acts again that the engagements of a project still have: for what follows them since an upgrade. An act that is known
 * already is the same act. Returns how many there are.
 */
export async function announceKeptActs(deps: MailDeps, { _id: projectId }: Pick<Project, '_id'>): Promise<number> {
  let count = 0;
  const projection = { contactId: 1, campaignId: 1, automationId: 1 };
  const all = batchesById<Message, Mail>(
    deps.db.messages,
    { projectId },
    { size: AT_ONCE, projection, hint: 'newest' },
  );
  for await (const messages of all) {
    const byId = new Map(messages.map((message) => [message._id.toHexString(), message]));
    const ids = messages.flatMap(({ _id, contactId }) => (contactId ? [_id] : []));
    const engagements = await deps.db.engagements.find({ _id: { $in: ids }, projectId }).toArray();
    const acts = engagements.flatMap((engagement) => keptActs(byId.get(engagement._id.toHexString())!, engagement));
    await announceActs(deps, [{ acts, message: { projectId } }]);
    count += acts.length;
  }
  return count;
}

function keptActs(message: Mail, { openedAt, humanOpenedAt, clicks = [] }: Engagement): MailAct[] {
  const { _id: messageId, contactId, campaignId, automationId } = message;
  if (!contactId) return [];
  const of = { messageId, contactId, campaignId, automationId };
  return [
    ...(openedAt ? [{ ...of, kind: 'opened' as const, at: openedAt }] : []),
    ...(humanOpenedAt ? [{ ...of, kind: 'humanOpened' as const, at: humanOpenedAt }] : []),
    ...clicks.map(({ at, url }) => ({ ...of, kind: 'clicked' as const, at, url })),
  ];
}
