import { conflict } from '../../base/errors.ts';
import { batched } from '../../base/work/batched.ts';
import type { SuppressionGroup } from '../../consent/suppressions/model.ts';
import type { MailDeps } from '../deps.ts';
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
  for await (const batch of batched(cursor, MAILS_AT_ONCE)) {
    const contents = await contentsOf(deps, projectId, batch, { groupId: 1 });
    if ([...contents.values()].some((content) => content.groupId === groupId))
      throw conflict(
        'INVALID_STATE',
        'Mail that names the suppression group is waiting to be sent; repeat when it is sent or cancelled.',
      );
  }
}
