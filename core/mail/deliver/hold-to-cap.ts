import type { ObjectId } from 'mongodb';
import type { MailDeps } from '../deps.ts';
import { frequencyCapOf, isExcepted } from '../frequency/cap.ts';
import { reservePlaces } from '../frequency/reserve.ts';
import type { Claimed, Verdict } from '../ledger/ledger.ts';
import { FREQUENCY_CAP } from '../ledger/rules/reasons.ts';

/** Other mail may take the room first, and clocks differ: the next look is never at once. */
const MARGIN_MS = 1_000;

/** A claimed marketing mail to one address that nothing else stops. */
interface Capped {
  held: Claimed;
  email: string;
  /** The suppression group that it names. */
  groupId: string | null;
  /** It waits until then at most; null: it does not wait. */
  waitsUntil: Date | null;
}

/**
 * The frequency cap of the project, judged last: each of these mails has a place afterwards, or a verdict. Not repeated with renewals,
 * since a mail keeps its place until it has an outcome.
 */
export async function holdToCap(
  deps: MailDeps,
  projectId: ObjectId,
  mails: readonly Capped[],
): Promise<Map<Claimed, Verdict>> {
  const cap = mails.length > 0 ? await frequencyCapOf(deps, projectId) : null;
  if (!cap) return new Map();
  const counted = mails.filter(({ groupId }) => !isExcepted(cap, projectId, groupId));
  const wishes = counted.map(({ held, email }) => ({ mailId: held._id, email }));
  const refused = await reservePlaces(deps, projectId, cap, wishes);
  const now = deps.clock.now();
  return new Map(
    counted.flatMap(({ held, waitsUntil }): Array<[Claimed, Verdict]> => {
      const free = refused.get(held._id.toHexString());
      return free ? [[held, verdictOn(free, waitsUntil, now)]] : [];
    }),
  );
}

/** `free`: when there is room. Mail that would wait too long is not sent at all. */
function verdictOn(free: Date, waitsUntil: Date | null, now: Date): Verdict {
  if (waitsUntil === null || free > waitsUntil)
    return { kind: 'suppressed', by: { groupId: null, reason: FREQUENCY_CAP } };
  const delayMs = Math.max(0, free.getTime() - now.getTime()) + MARGIN_MS;
  return {
    kind: 'back',
    delayMs,
    reason: `Waits for room under the frequency cap of the project until ${free.toISOString()}.`,
  };
}
