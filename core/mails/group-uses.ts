import type { Deps } from '../base/deps.ts';
import { conflict } from '../base/errors.ts';
import type { Session } from '../base/model.ts';
import { contentsOf } from '../messages/contents.ts';
import type { Message } from '../outbox/model.ts';
import type { SuppressionGroup } from '../suppressions/model.ts';

type Group = Pick<SuppressionGroup, 'projectId' | 'groupId'>;

const ALIVE = ['draft', 'scheduled', 'sending', 'sending_gradual', 'paused'] as const;
const MAILS_AT_ONCE = 1_000;

/** Removing a group removes its entries, so mail that names it would reach people who had unsubscribed. */
export async function refuseUsed(deps: Deps, session: Session, group: Group): Promise<void> {
  const use = await useOfGroup(deps, session, group);
  if (use) throw conflict('INVALID_STATE', `The suppression group is named by ${use}; take it out there first.`);
}

async function useOfGroup(deps: Deps, session: Session, { projectId, groupId }: Group): Promise<string | null> {
  const options = { session, projection: { name: 1, status: 1 } };
  const naming = { projectId, unsubscribeGroupId: groupId };
  const campaign = await deps.db.campaigns.findOne({ ...naming, status: { $in: [...ALIVE] } }, options);
  if (campaign) return `the campaign "${campaign.name}" (${campaign.status})`;
  const alive = { ...naming, status: { $ne: 'archived' as const }, deletedAt: null };
  const automation = await deps.db.automations.findOne(alive, options);
  return automation && `the automation "${automation.name}" (${automation.status})`;
}

/** Mail that names a group is marketing, which the lane `automation` sends. */
export async function refuseQueued(deps: Deps, { projectId, groupId }: Group): Promise<void> {
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
        'Mail that names the suppression group is waiting to be sent; repeat when it is sent.',
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
