import type { ObjectId } from 'mongodb';
import { goneGroups } from '../../consent/suppressions/find-groups.ts';
import type { SuppressionFact } from '../../consent/suppressions/rules.ts';
import { wakeQueue } from '../../jobs/queue.ts';
import { groupReader } from '../definitions.ts';
import type { AutomationsDeps } from '../deps.ts';
import type { Enrollment } from '../model/enrollment.ts';
import { ENROLLMENTS } from '../record-triggers.ts';
import { isUnsubscribed } from '../rules/exits.ts';
import { leave } from './exit.ts';

const CONTACTS_AT_ONCE = 1_000;

/**
 * Ends the enrollments of contacts that unsubscribed from what the automation sends. Correctness does not depend on it: every step checks
 * suppressions again before it is taken.
 */
export async function endUnsubscribed(
  deps: AutomationsDeps,
  projectId: ObjectId,
  emails: string[],
  entry: SuppressionFact,
): Promise<void> {
  for (let from = 0; from < emails.length; from += CONTACTS_AT_ONCE) {
    const inside = await insideOf(deps, projectId, emails.slice(from, from + CONTACTS_AT_ONCE));
    if (inside.length === 0) continue;
    const leaving = await stoppedBy(deps, projectId, inside, entry);
    await Promise.all(leaving.map((before) => leave(deps, before, 'unsubscribed')));
    if (leaving.length > 0) wakeQueue(deps, ENROLLMENTS, projectId);
  }
}

async function insideOf(deps: AutomationsDeps, projectId: ObjectId, emails: string[]): Promise<Enrollment[]> {
  const contacts = await deps.db.contacts
    .find({ projectId, email: { $in: emails } }, { projection: { _id: 1 }, hint: 'email' })
    .toArray();
  const contactId = { $in: contacts.map(({ _id }) => _id) };
  return deps.db.enrollments.find({ projectId, contactId, live: true }, { hint: 'contact' }).toArray();
}

/** Each is judged by its own version: a later one may send mail of another group. */
async function stoppedBy(deps: AutomationsDeps, projectId: ObjectId, inside: Enrollment[], entry: SuppressionFact) {
  const groupOf = await groupReader(deps, projectId, inside);
  const gone = await goneGroups(deps, projectId, inside.map(groupOf));
  return inside.filter((enrollment) => {
    const groupId = groupOf(enrollment);
    return isUnsubscribed([entry], { groupId, isGroupGone: gone.has(groupId ?? '') });
  });
}
