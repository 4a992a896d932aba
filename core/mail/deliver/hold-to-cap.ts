import type { ObjectId } from 'mongodb';
import type { MailDeps } from '../deps.ts';
import { frequencyCapOf, isExcepted } from '../frequency/cap.ts';
import { reservePlaces } from '../frequency/reserve.ts';
import type { Claimed, Verdict } from '../ledger/ledger.ts';
import { FREQUENCY_CAP } from '../ledger/rules/reasons.ts';

/** A claimed marketing mail to one address that nothing else stops. */
interface Capped {
  held: Claimed;
  email: string;
  /** The suppression group that it names. */
  groupId: string | null;
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
  const held = counted.filter(({ held: { _id } }) => refused.has(_id.toHexString()));
  return new Map(held.map((one) => [one.held, HELD_BACK]));
}

const HELD_BACK: Verdict = { kind: 'suppressed', by: { groupId: null, reason: FREQUENCY_CAP } };
