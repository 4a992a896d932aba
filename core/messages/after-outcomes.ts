import type { ObjectId } from 'mongodb';
import type { Deps } from '../base/deps.ts';
import type { Bounce, Ended } from '../outbox/record-outcomes.ts';
import { formatReply } from '../outbox/rules/relay-replies.ts';
import { states } from '../outbox/states.ts';
import { suppress } from '../suppressions/suppressions.ts';
import { publishOutcomes } from './events.ts';

const DAY_MS = 24 * 3_600_000;

/** Follows the outcomes of attempts. Runs before an outcome is stored and is repeated with it, so all of it may happen twice. */
export async function followOutcomes(deps: Deps, ended: Ended[]): Promise<void> {
  await Promise.all([
    ...ended.flatMap(({ held, bounces = [] }) => bounces.map((bounce) => followBounce(deps, held.projectId, bounce))),
    publishOutcomes(deps, ended),
  ]);
}

/** A permanent refusal suppresses the address at once; one that may be an accident does when it was not the first. */
export async function followBounce(deps: Deps, projectId: ObjectId, bounce: Bounce): Promise<void> {
  const { email, reply, classification } = bounce;
  if (classification.suppress || (await isRepeated(deps, projectId, bounce)))
    await suppress(deps, projectId, {
      emails: [email],
      isGlobal: true,
      reason: 'BOUNCE',
      evidence: formatReply(reply),
    });
}

async function isRepeated(
  deps: Deps,
  projectId: ObjectId,
  { email, classification: { suppressAfter, reason } }: Bounce,
): Promise<boolean> {
  if (!suppressAfter) return false;
  const since = new Date(deps.clock.now().getTime() - suppressAfter.days * DAY_MS);
  const ended = { projectId, endedAt: { $gte: since } };
  const bounced = { email, state: states.bounced, reason };
  const asCopy = { 'recipients.email': email, recipients: { $exists: true, $elemMatch: bounced } };
  const others = await Promise.all([
    deps.db.messages.countDocuments({ ...ended, ...bounced }, { limit: suppressAfter.bounces, hint: 'email' }),
    deps.db.messages.countDocuments({ ...ended, ...asCopy }, { limit: suppressAfter.bounces, hint: 'copies' }),
  ]);
  return others[0] + others[1] + 1 >= suppressAfter.bounces;
}
