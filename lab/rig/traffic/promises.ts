import type { DrillContext } from '../context.ts';
import { type Allowed, broken, check, type Findings } from '../facts/check.ts';
import { readFacts } from '../facts/facts.ts';
import { brokenCalls, type Calls } from './calls.ts';
import { type Acknowledged, BULK_SIZE } from './requests.ts';

/** The promises that callers got with a 2xx, and the counts of those that were not kept. */
export interface Promises {
  found: Findings;
  contactsLost: number;
  eventsLost: number;
  /** Events that let their person in more than once, or sent more than one mail. */
  eventsDoubled: number;
  contacts: number;
  events: number;
}

/** Holds everything that was promised against what there is. `foreign`: Message-IDs of other projects. */
export async function readPromises(
  context: DrillContext,
  acked: Acknowledged,
  foreign: readonly string[],
): Promise<Promises> {
  const { deps, project } = context;
  const batches = await deps.db.messages
    .aggregate<{ _id: string; count: number }>([
      { $match: { projectId: project._id, batchId: { $exists: true } } },
      { $group: { _id: '$batchId', count: { $sum: 1 } } },
    ])
    .toArray();
  const sizes = new Map(batches.map(({ _id, count }) => [_id, count]));
  const forgotten = acked.bulks.filter((batchId) => sizes.get(batchId) !== BULK_SIZE);
  const facts = await readFacts(context, { acknowledged: [...acked.mails, ...forgotten], foreign });
  return {
    found: check(facts),
    contactsLost: await contactsLost(context, acked.contacts),
    ...(await eventsKept(context, acked.events)),
    contacts: acked.contacts.size,
    events: acked.events.length,
  };
}

/** Each rule that does not hold, for requests, mails, contacts and events. */
export function brokenPromises(promises: Promises, calls: Calls, allowed: Allowed = {}): string[] {
  const { found, contactsLost: contacts, eventsLost, eventsDoubled } = promises;
  const others = Object.entries({ contacts, eventsLost, eventsDoubled })
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${name === 'contacts' ? 'contacts lost' : name} ${count}`);
  return [...broken(found, allowed), ...others, ...brokenCalls(calls)];
}

async function contactsLost({ deps, project }: DrillContext, acked: Acknowledged['contacts']): Promise<number> {
  const stored = await deps.db.contacts
    .find({ projectId: project._id }, { projection: { email: 1, firstName: 1 } })
    .toArray();
  const names = new Map(stored.map(({ email, firstName }) => [email, firstName]));
  return [...acked].filter(([email, name]) => names.get(email) !== name).length;
}

/** Each event let its person in once, and one mail was made of it. */
async function eventsKept({ deps, project }: DrillContext, acked: readonly string[]) {
  const projectId = project._id;
  const people = await deps.db.contacts.find({ projectId }, { projection: { email: 1 } }).toArray();
  const emailOf = new Map(people.map(({ _id, email }) => [_id.toHexString(), email]));
  const enrollments = await deps.db.enrollments.find({ projectId }, { projection: { contactId: 1 } }).toArray();
  const entered = countBy(enrollments.map(({ contactId }) => emailOf.get(contactId.toHexString()) ?? ''));
  const mails = await deps.db.messages
    .find({ projectId, automationId: { $exists: true } }, { projection: { email: 1 } })
    .toArray();
  const sent = countBy(mails.map(({ email }) => email));
  const timesOf = (email: string) => [entered.get(email) ?? 0, sent.get(email) ?? 0];
  return {
    eventsLost: acked.filter((email) => Math.min(...timesOf(email)) === 0).length,
    eventsDoubled: acked.filter((email) => Math.max(...timesOf(email)) > 1).length,
  };
}

function countBy(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}
