import type { ObjectId } from 'mongodb';
import type { MailDeps } from '../../deps.ts';
import type { Message } from '../../ledger/model.ts';

declare module '../../../base/deps.ts' {
  interface Subscribers {
    /** Called for mail that has waited with its enrollment: returns the enrollments that ended early, or whose automation is archived, as hexadecimal ids. */
    endedEarly: (deps: CallerDeps, projectId: ObjectId, enrollmentIds: ObjectId[]) => Promise<Set<string>>;
  }
}

export const LEFT =
  'The person left the automation, or it was archived, while the mail waited for room under the frequency cap.';

/** Only mail that has waited is asked about: other mail leaves as soon as its step is taken. */
export async function leftWhileWaiting(
  deps: MailDeps,
  projectId: ObjectId,
  messages: readonly Message[],
): Promise<Set<string>> {
  const waited = messages.filter(({ waitsWith, timeline = [] }) => waitsWith && timeline.some(isWait));
  if (waited.length === 0) return new Set();
  const ids = waited.map(({ waitsWith }) => waitsWith!);
  const ended = await deps.subscribers.endedEarly(deps, projectId, ids);
  const left = waited.filter(({ waitsWith }) => ended.has(waitsWith!.toHexString()));
  return new Set(left.map(({ _id }) => _id.toHexString()));
}

function isWait({ type }: { type: string }): boolean {
  return type === 'capped';
}
