import type { MailDeps } from '../../deps.ts';
import { LEASE_MS, type Outcome } from '../../ledger/ledger.ts';
import type { Message } from '../../ledger/model.ts';
import { appendTimeline } from '../../messages/messages.ts';

const ATTEMPTS_MAX = 3;
const AGAIN_MS = 60_000;
const TYPE = 'not_composed';
const SLOW = `Composing the mail took longer than ${LEASE_MS / 1_000} seconds.`;
const FAULTY = 'The mail could not be composed.';

type Attempted = Pick<Message, '_id' | 'projectId' | 'timeline'>;

/**
 * Composes a mail within the time of its claim. An attempt that takes longer, or throws, is counted, and the third one fails the
 * mail.
 */
export async function countedAttempt<T extends object>(
  deps: MailDeps,
  message: Attempted,
  compose: () => Promise<T>,
): Promise<T | Outcome> {
  // These were counted by a process whose claim was over, so that it could not fail the mail itself.
  if (attemptsOf(message) >= ATTEMPTS_MAX) return { kind: 'failed', reason: SLOW };
  const began = deps.clock.now().getTime();
  try {
    const composed = await compose();
    if (deps.clock.now().getTime() - began < LEASE_MS) return composed;
  } catch (error) {
    deps.log.error({ err: error, message: message._id }, 'composing a mail failed');
    return endAttempt(deps, message, FAULTY);
  }
  return endAttempt(deps, message, SLOW);
}

/** Counted regardless of which process has the claim by now: a count that needs the claim would stay zero. */
async function endAttempt(deps: MailDeps, message: Attempted, reason: string): Promise<Outcome> {
  const { projectId, _id } = message;
  await appendTimeline(deps, { projectId, messageId: _id }, { type: TYPE, at: deps.clock.now(), reason });
  if (attemptsOf(message) + 1 < ATTEMPTS_MAX) return { kind: 'back', delayMs: AGAIN_MS };
  return { kind: 'failed', reason: `${reason} It was tried ${ATTEMPTS_MAX} times.` };
}

function attemptsOf({ timeline = [] }: Attempted): number {
  return timeline.filter(({ type }) => type === TYPE).length;
}
