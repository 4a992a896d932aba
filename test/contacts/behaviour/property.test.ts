import { expect } from 'chai';
import fc from 'fast-check';
import { ObjectId } from 'mongodb';
import { writeSignals } from '../../../core/mail/feedback/engagements.ts';
import type { Message } from '../../../core/mail/ledger/model.ts';
import { announceDeliveries } from '../../../core/mail/messages/deliveries.ts';
import { countFacts } from '../../../core/people/behaviour/count.ts';
import { passWindows } from '../../../core/people/behaviour/passing.ts';
import { type Tenant, useEnvironment } from '../../support/environment.ts';
import { someOf } from '../../support/random.ts';
import { expectCountsRight } from '../support.ts';

const DAY_MS = 86_400_000;
const RETENTION_DAYS = 20;
const PERSON = 'Mozilla/5.0 (X11; Linux x86_64) Firefox/130.0';
const CAMPAIGN = '66f1c0a2e4b0a1b2c3d4e504';
const URLS = ['https://example.com/a', 'https://example.com/b?x=1'];
const PEOPLE = 5;

/** A plain record of what happened, which knows nothing of how the product keeps it. */
interface Happened {
  kind: string;
  key: string;
  at: number;
  campaign: boolean;
  url?: string;
  amount?: number;
}
interface Person {
  id: string;
  firstName: string;
  happened: Happened[];
}
interface Asked {
  behaviour: string;
  operator: 'at_least' | 'never';
  count?: number;
  withinDays?: number;
  campaignId?: string;
  url?: string;
  eventName?: string;
  properties?: { amount: { operator: string; value: number } };
}

/** Filters, and whether a person belongs to them, in as plain words as possible. */
const asks: Asked[] = [
  { behaviour: 'opened', operator: 'at_least', count: 1, withinDays: 3 },
  { behaviour: 'humanOpened', operator: 'at_least', count: 2, withinDays: 10 },
  { behaviour: 'opened', operator: 'never', withinDays: 5, campaignId: CAMPAIGN },
  { behaviour: 'clicked', operator: 'never' },
  { behaviour: 'clicked', operator: 'at_least', count: 2, url: URLS[0]! },
  { behaviour: 'received', operator: 'at_least', count: 2, withinDays: 7 },
  { behaviour: 'event', operator: 'at_least', eventName: 'order', properties: atLeast(50), withinDays: 4 },
  { behaviour: 'event', operator: 'never', eventName: 'order' },
];

function atLeast(amount: number) {
  return { amount: { operator: 'greater_than', value: amount } };
}

function holds(ask: Asked, { happened }: Person, nowMs: number): boolean {
  const windowMs = (ask.withinDays ?? RETENTION_DAYS) * DAY_MS;
  const first = new Map<string, Happened>();
  for (const one of happened) {
    const known = first.get(one.key);
    if (!known || one.at < known.at) first.set(one.key, one);
  }
  const count = [...first.values()].filter(
    ({ kind, at, campaign, url, amount = 0 }) =>
      kind === ask.behaviour &&
      at > nowMs - windowMs &&
      (!ask.campaignId || campaign) &&
      (!ask.url || url === ask.url) &&
      (!ask.properties || amount > ask.properties.amount.value),
  ).length;
  return ask.operator === 'never' ? count === 0 : count >= (ask.count ?? 1);
}

const acts = fc.record({
  kind: fc.constantFrom('open', 'machine', 'click', 'received', 'event'),
  who: fc.nat(PEOPLE - 1),
  mail: fc.nat(3),
  url: fc.nat(URLS.length - 1),
  agoMinutes: fc.nat(3 * 1_440),
  amount: fc.constantFrom(10, 60),
  times: fc.integer({ min: 1, max: 3 }),
});
const steps = fc.oneof(
  { weight: 8, arbitrary: acts.map((act) => ({ do: 'act' as const, act })) },
  { weight: 3, arbitrary: fc.nat(6 * 1_440).map((minutes) => ({ do: 'wait' as const, minutes })) },
  { weight: 2, arbitrary: fc.nat(PEOPLE - 1).map((who) => ({ do: 'import' as const, who })) },
  { weight: 1, arbitrary: fc.nat(PEOPLE - 1).map((who) => ({ do: 'delete' as const, who })) },
  { weight: 1, arbitrary: fc.nat(asks.length - 1).map((ask) => ({ do: 'segment' as const, ask })) },
);

describe('Behaviour, by chance', () => {
  const environment = useEnvironment({ RETENTION_DAYS: String(RETENTION_DAYS) });

  it('membership equals a plain recount, and counts are exact, whatever happens in whatever order', async function () {
    this.timeout(180_000);
    await fc.assert(
      fc.asyncProperty(fc.array(steps, { minLength: 5, maxLength: 25 }), (given) => live(given)),
      { numRuns: someOf(14), interruptAfterTimeLimit: 150_000, markInterruptAsFailure: false },
    );
  });

  async function live(given: Array<typeof steps extends fc.Arbitrary<infer S> ? S : never>): Promise<void> {
    const { deps, clock } = environment;
    // Half a minute after every boundary of a window, because facts happen on whole minutes.
    const settle = () => clock.set(new Date(Math.floor(clock.now().getTime() / 60_000) * 60_000 + 90_000));
    settle();
    const tenant = await environment.newTenant('Chance');
    const { client } = tenant;
    await client.post('/events', { eventName: 'order', properties: [{ propertyName: 'amount', type: 'number' }] });
    const people = await Promise.all(Array.from({ length: PEOPLE }, (_, index) => makePerson(tenant, index)));
    const segments = new Map<string, (person: Person, nowMs: number) => boolean>();
    await makeSegments(tenant, segments);
    const messageIds = people.map(() => Array.from({ length: 4 }, () => new ObjectId()));
    for (const step of given) {
      settle();
      if (step.do === 'wait') clock.advance(step.minutes * 60_000);
      if (step.do === 'import') await change(tenant, people, step.who);
      if (step.do === 'delete') {
        await client.delete(`/contacts/${people[step.who]!.id}`);
        people[step.who] = await makePerson(tenant, step.who);
        messageIds[step.who] = Array.from({ length: 4 }, () => new ObjectId());
      }
      if (step.do === 'segment') await makeSegment(tenant, segments, [asks[step.ask]!], 'AND');
      if (step.do === 'act') await act(tenant, people[step.act.who]!, messageIds[step.act.who]!, step.act);
      await catchUp(tenant);
    }
    settle();
    await catchUp(tenant);
    await compare(tenant, people, segments);
    expect(
      await deps.db.notedFacts.countDocuments({ projectId: tenant.project._id, facts: { $exists: true } }),
    ).to.equal(0);
  }

  async function makePerson({ client }: Tenant, index: number): Promise<Person> {
    const firstName = index % 2 === 0 ? 'Ada' : 'Bob';
    const { data } = (await client.post('/contacts', { email: `p${index}@example.com`, firstName })).body;
    return { id: data.id, firstName, happened: [] };
  }

  async function makeSegments(tenant: Tenant, segments: Parameters<typeof makeSegment>[1]): Promise<void> {
    for (const ask of asks.slice(0, 6)) await makeSegment(tenant, segments, [ask], 'AND');
    await makeSegment(tenant, segments, [asks[0]!, asks[6]!], 'OR');
    await makeSegment(tenant, segments, [asks[3]!], 'AND', 'Ada');
  }

  async function makeSegment(
    { client }: Tenant,
    segments: Map<string, (person: Person, nowMs: number) => boolean>,
    asked: Asked[],
    logicalOperator: 'AND' | 'OR',
    firstName?: string,
  ): Promise<void> {
    const inner = { logicalOperator, groups: asked };
    const named = firstName === undefined ? [] : [{ field: 'firstName', operator: 'equals', value: firstName }];
    const reply = await client.post('/contact-lists', { name: 'S', filterCriteria: { groups: [inner, ...named] } });
    expect(reply.status, reply.text).to.equal(201);
    segments.set(reply.body.data.id, (person, nowMs) => {
      const all = asked.map((ask) => holds(ask, person, nowMs));
      const isIn = logicalOperator === 'AND' ? all.every(Boolean) : all.some(Boolean);
      return isIn && (firstName === undefined || person.firstName === firstName);
    });
  }

  async function change({ client }: Tenant, people: Person[], who: number): Promise<void> {
    const person = people[who]!;
    person.firstName = person.firstName === 'Ada' ? 'Bob' : 'Ada';
    const contacts = [{ email: `p${who}@example.com`, firstName: person.firstName }];
    await client.post('/contacts/bulk-update', { contacts });
  }

  async function act(
    { project, client }: Tenant,
    person: Person,
    messageIds: ObjectId[],
    { kind, mail, url, agoMinutes, amount, times }: typeof acts extends fc.Arbitrary<infer A> ? A : never,
  ): Promise<void> {
    const { deps, clock } = environment;
    const nowMs = Math.floor(clock.now().getTime() / 60_000) * 60_000;
    const at = new Date(nowMs - agoMinutes * 60_000);
    const campaign = mail % 2 === 0;
    const key = `mail ${mail}`;
    if (kind === 'event') {
      const eventProperties = { amount };
      const sent = await client.post('/events/send', { eventName: 'order', contactId: person.id, eventProperties });
      expect(sent.status, sent.text).to.equal(201);
      const { createdAt } = (await deps.db.events.find({ projectId: project._id }).sort({ _id: -1 }).limit(1).next())!;
      // On a whole minute, as the other facts.
      const { _id } = (await deps.db.notedFacts.findOne({ projectId: project._id, facts: { $exists: true } }))!;
      await deps.db.notedFacts.updateOne({ _id }, { $set: { 'facts.0.at': at } });
      person.happened.push({
        kind: 'event',
        key: `event ${createdAt.getTime()} ${Math.random()}`,
        at: at.getTime(),
        campaign: false,
        amount,
      });
      return;
    }
    const messageId = messageIds[mail]!;
    const row: Partial<Message> = {
      lane: 'campaign',
      state: 'sent',
      email: 'x@example.com',
      sentAt: new Date(at.getTime() - 10 * DAY_MS),
    };
    const about = {
      projectId: project._id,
      contactId: new ObjectId(person.id),
      ...(campaign ? { campaignId: new ObjectId(CAMPAIGN) } : {}),
    };
    const before = await deps.db.messages.findOne({ _id: messageId, projectId: project._id });
    if (kind === 'received') {
      if (before) return;
      await deps.db.messages.insertOne({ _id: messageId, ...row, ...about, sentAt: at } as Message);
      await announceDeliveries(deps, project._id, [messageId]);
      person.happened.push({ kind: 'received', key: `received ${key}`, at: at.getTime(), campaign });
      return;
    }
    if (!before) {
      await deps.db.messages.insertOne({ _id: messageId, ...row, ...about } as Message);
      person.happened.push({ kind: 'received', key: `received ${key}`, at: row.sentAt!.getTime(), campaign });
    }
    const ref = { projectId: project._id, messageId, at };
    const agent = kind === 'machine' ? 'curl/8' : PERSON;
    for (let time = 0; time < times; time += 1)
      await writeSignals(deps, [
        kind === 'click'
          ? { kind: 'click', ...ref, url: `${URLS[url]}`, agent }
          : { kind: 'open', ...ref, agent, purpose: '', method: 'GET' },
      ]);
    if (kind === 'click') {
      person.happened.push({
        kind: 'clicked',
        key: `clicked ${key} ${url}`,
        at: at.getTime(),
        campaign,
        url: URLS[url]!,
      });
      return;
    }
    person.happened.push({ kind: 'opened', key: `opened ${key}`, at: at.getTime(), campaign });
    const isHuman =
      kind === 'open' &&
      at.getTime() - (before?.sentAt ?? row.sentAt!).getTime() >= deps.config.automatedOpenSeconds * 1_000;
    if (isHuman) person.happened.push({ kind: 'humanOpened', key: `human ${key}`, at: at.getTime(), campaign });
  }

  /** As the queues do, but by the clock of the test. Everything noted is counted twice. */
  async function catchUp({ project }: Tenant): Promise<void> {
    const { deps, clock } = environment;
    const noted = await deps.db.notedFacts.find({ projectId: project._id, dueAt: { $lte: clock.now() } }).toArray();
    for (const one of noted) {
      await countFacts(deps, one);
      await countFacts(deps, one);
    }
    await passWindows(deps, project._id, 10_000);
  }

  async function compare(
    tenant: Tenant,
    people: Person[],
    segments: Map<string, (person: Person, nowMs: number) => boolean>,
  ): Promise<void> {
    const nowMs = environment.clock.now().getTime();
    for (const person of people) {
      const { segmentIds } = (await tenant.client.get(`/contacts/${person.id}`)).body.data;
      const expected = [...segments].filter(([, isIn]) => isIn(person, nowMs)).map(([id]) => id);
      expect(segmentIds.toSorted(), JSON.stringify(person)).to.deep.equal(expected.toSorted());
    }
    await expectCountsRight(environment, tenant);
  }
});
