import { DAY_MS } from '../../base/time/durations.ts';
import { suppressReported } from '../../consent/suppressions/suppressions.ts';
import type { MailDeps } from '../deps.ts';
import type { Message } from '../ledger/model.ts';
import type { Bounce } from '../ledger/outcomes.ts';
import type { Effects } from '../ledger/record-outcomes.ts';
import { formatReply } from '../ledger/rules/relay-replies.ts';
import { states } from '../ledger/states.ts';
import { announceEnded } from './deliveries.ts';
import { publishOutcomes } from './events.ts';

type Bounced = Pick<Message, '_id' | 'projectId'>;

/** The effects of outcomes: suppressions, events, erasures. Each may be repeated. */
export function outcomeEffects(deps: MailDeps): Effects {
  return {
    suppress: async (ended) => {
      const bounced = ended.flatMap(({ held, bounces = [] }) => bounces.map((bounce) => ({ held, bounce })));
      await Promise.all(bounced.map(({ held, bounce }) => followBounce(deps, held, bounce)));
    },
    publish: async (ended) => {
      await publishOutcomes(deps, ended);
      await announceEnded(deps, ended);
    },
  };
}

/** A permanent refusal suppresses the address at once; one that may be an accident does when it was not the first. */
export async function followBounce(deps: MailDeps, message: Bounced, bounce: Bounce): Promise<void> {
  const { email, reply, classification } = bounce;
  if (classification.suppress || (await isRepeated(deps, message, bounce)))
    await suppressReported(deps, message.projectId, { email, reason: 'BOUNCE', evidence: formatReply(reply) });
}

/** Without the message itself: its row may be there already when this is repeated. */
async function isRepeated(
  deps: MailDeps,
  { _id, projectId }: Bounced,
  { email, classification: { suppressAfter, reason } }: Bounce,
): Promise<boolean> {
  if (!suppressAfter) return false;
  const since = new Date(deps.clock.now().getTime() - suppressAfter.days * DAY_MS);
  const ended = { _id: { $ne: _id }, projectId, endedAt: { $gte: since } };
  const bounced = { email, state: states.bounced, reason };
  const asCopy = { 'recipients.email': email, recipients: { $exists: true, $elemMatch: bounced } };
  const others = await Promise.all([
    deps.db.messages.countDocuments({ ...ended, ...bounced }, { limit: suppressAfter.bounces, hint: 'email' }),
    deps.db.messages.countDocuments({ ...ended, ...asCopy }, { limit: suppressAfter.bounces, hint: 'copies' }),
  ]);
  return others[0] + others[1] + 1 >= suppressAfter.bounces;
}
