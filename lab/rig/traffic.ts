import { ObjectId } from 'mongodb';
import { createGroup } from '../../core/suppressions/groups.ts';
import { ask, brokenCalls, type Calls, type Line, noCalls } from './calls.ts';
import { type Allowed, broken, check, type Findings } from './check.ts';
import { type DrillContext, SENDER } from './context.ts';
import { readFacts } from './facts.ts';

/** Requests a second of each sort. */
export interface Mix {
  mails?: number;
  /** Calls, each for ten marketing mails. */
  bulks?: number;
  contacts?: number;
  /** Of people of their own, into an automation of one mail. */
  events?: number;
}

interface TrafficOptions {
  /** The recipient of the n-th mail: the address says what the relay does with it. */
  mailTo?: (n: number) => string;
  /** The automation waits so long before its mail. */
  waitMinutes?: number;
}

export interface Traffic {
  calls: Calls;
  /** Asks nothing new, and resolves when everything asked is answered or `withinMs` is over. */
  stop(withinMs?: number): Promise<void>;
  /** Holds everything that was promised against what there is. */
  verify(): Promise<Promises>;
}

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

const TICK_MS = 50;
/** The most requests that wait for an answer; no further one is sent before one of them is answered. */
const WAITING_MAX = 150;
const BULK_SIZE = 10;
const EVENT = 'drill_event';

type Sort = keyof Required<Mix>;

/** Callers at so many requests a second, however slowly they are answered. */
export async function startTraffic(
  context: DrillContext,
  urls: Line['urls'],
  mix: Mix,
  { mailTo = (n) => `m${n}@in.test`, waitMinutes = 0 }: TrafficOptions = {},
): Promise<Traffic> {
  const { deps, project } = context;
  const line = { key: context.key, urls };
  const calls = noCalls();
  const acked = {
    mails: [] as string[],
    bulks: [] as string[],
    contacts: new Map<string, string>(),
    events: [] as string[],
  };
  const group = await createGroup(deps, project, { name: 'Traffic' }, { at: new Date(), seed: new ObjectId() });
  if (mix.events) await makeAutomation(line, calls, waitMinutes);
  const under = new Set<Promise<void>>();
  const run = new ObjectId().toHexString().slice(-6);
  let giveUpAt = Number.POSITIVE_INFINITY;
  let number = 0;

  const requestOf: Record<
    Sort,
    (n: number) => { path: string; body: object; note: (data: Record<string, unknown>) => void }
  > = {
    mails: (n) => ({
      path: '/mails/send',
      body: { to: { email: mailTo(n) }, from: { email: SENDER }, subject: `Mail ${n}`, text: 'Once.' },
      note: ({ emailId }) => acked.mails.push(String(emailId)),
    }),
    bulks: (n) => ({
      path: '/mails/bulk',
      body: {
        ...{ from: { email: SENDER }, subject: 'News', html: '<p>Once.</p>', unsubscribeGroupId: group.groupId },
        recipients: Array.from({ length: BULK_SIZE }, (_, index) => ({ email: `b${n}x${index}@in.test` })),
      },
      note: ({ batchId }) => acked.bulks.push(String(batchId)),
    }),
    contacts: (n) => ({
      path: '/contacts/email',
      body: { email: `c${n}@in.test`, firstName: `C${n}` },
      note: () => acked.contacts.set(`c${n}@in.test`, `C${n}`),
    }),
    events: (n) => ({
      path: '/events/send',
      body: { eventName: EVENT, email: `e${n}@in.test` },
      note: () => acked.events.push(`e${n}@in.test`),
    }),
  };

  const send = (sort: Sort) => {
    number += 1;
    const { path, body, note } = requestOf[sort](number);
    const request = { path, body, idempotencyKey: `${run}-${number}` };
    const asking = ask(line, request, calls, () => performance.now() < giveUpAt).then(
      (data) => void (data && note(data)),
    );
    under.add(asking);
    void asking.finally(() => under.delete(asking));
  };
  const owed: Record<Sort, number> = { mails: 0, bulks: 0, contacts: 0, events: 0 };
  let before = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    for (const sort of Object.keys(owed) as Sort[]) {
      owed[sort] += ((mix[sort] ?? 0) * (now - before)) / 1_000;
      for (; owed[sort] >= 1; owed[sort] -= 1) if (under.size < WAITING_MAX) send(sort);
    }
    before = now;
  }, TICK_MS);

  return {
    calls,
    async stop(withinMs = 60_000) {
      clearInterval(timer);
      giveUpAt = performance.now() + withinMs;
      await Promise.all(under);
    },
    async verify() {
      const { messages } = deps.db;
      const batches = await messages
        .aggregate<{ _id: string; count: number }>([
          { $match: { projectId: project._id, batchId: { $exists: true } } },
          { $group: { _id: '$batchId', count: { $sum: 1 } } },
        ])
        .toArray();
      const sizes = new Map(batches.map(({ _id, count }) => [_id, count]));
      const forgotten = acked.bulks.filter((batchId) => sizes.get(batchId) !== BULK_SIZE);
      const facts = await readFacts(context, { acknowledged: [...acked.mails, ...forgotten] });
      return {
        found: check(facts),
        contactsLost: await contactsLost(context, acked.contacts),
        ...(await eventsKept(context, acked.events)),
        contacts: acked.contacts.size,
        events: acked.events.length,
      };
    },
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

async function makeAutomation(line: Line, calls: Calls, waitMinutes: number): Promise<void> {
  const mayGoOn = () => true;
  const email = { htmlTemplate: '<p>Welcome</p>', subject: 'Welcome', senderEmail: SENDER };
  const automation = {
    name: 'Welcome',
    active: true,
    entryCriteria: { type: 'event_trigger', eventName: EVENT },
    steps: [
      { type: 'wait', delay: { value: waitMinutes, unit: 'minutes' } },
      { type: 'email', email },
    ],
  };
  const idempotencyKey = new ObjectId().toHexString();
  await ask(line, { path: '/events', body: { eventName: EVENT }, idempotencyKey }, calls, mayGoOn);
  await ask(line, { path: '/automations', body: automation, idempotencyKey: `${idempotencyKey}2` }, calls, mayGoOn);
  if (calls.wrong.size > 0) throw new Error(`no automation: ${[...calls.wrong.keys()]}`);
}

async function contactsLost({ deps, project }: DrillContext, acked: Map<string, string>): Promise<number> {
  const stored = await deps.db.contacts
    .find({ projectId: project._id }, { projection: { email: 1, firstName: 1 } })
    .toArray();
  const names = new Map(stored.map(({ email, firstName }) => [email, firstName]));
  return [...acked].filter(([email, name]) => names.get(email) !== name).length;
}

/** Each event let its person in once, and one mail was made of it. */
async function eventsKept(
  { deps, project }: DrillContext,
  acked: readonly string[],
): Promise<Pick<Promises, 'eventsLost' | 'eventsDoubled'>> {
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
