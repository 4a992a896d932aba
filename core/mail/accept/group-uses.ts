import { conflict } from '../../base/errors.ts';
import type { SuppressionGroup } from '../../consent/suppressions/model.ts';
import type { MailDeps } from '../deps.ts';
import type { Message } from '../ledger/model.ts';
import { contentsOf } from '../messages/contents.ts';

const MAILS_AT_ONCE = 1_000;

/** Mail that names a group is marketing, which the lane `automation` sends. */
export async function refuseQueued(
  deps: MailDeps,
  { projectId, groupId }: Pick<SuppressionGroup, 'projectId' | 'groupId'>,
): Promise<void> {
  const waiting = { lane: 'automation' as const, projectId, dueAt: { $exists: true } };
  const cursor = deps.db.messages.find(waiting, {
    projection: { contentId: 1, content: 1 },
    hint: 'due',
    batchSize: MAILS_AT_ONCE,
  });
  for await (const batch of inBatches(cursor)) {
    const contents = await contentsOf(deps, projectId, batch, { groupId: 1 });
    if ([...contents.values()].some((content) => content.groupId === groupId))
      throw conflict(
        'INVALID_STATE',
        'Mail that names the suppression group is waiting to be sent; repeat when it is sent or cancelled.',
      );
  }
}

async function* inBatches(messages: AsyncIterable<Message>): AsyncGenerator<Message[]> {
  let batch: Message[] = [];
  for await (const message of messages) {
    batch.push(message);
    if (batch.length < MAILS_AT_ONCE) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
