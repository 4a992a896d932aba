import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import fc from 'fast-check';
import { ObjectId } from 'mongodb';
import type { SimulatedStep } from '../../../client/index.ts';
import { hearAnswer } from '../../../core/automations/enrollments/answers.ts';
import type { Enrollment, TriggerOutcome } from '../../../core/automations/model.ts';
import { suppress } from '../../../core/consent/suppressions/suppressions.ts';
import { type Environment, startEnvironment } from '../../support/environment.ts';
import { someOf } from '../../support/random.ts';
import { until } from '../../support/wait.ts';
import { type AutomationStage, openAutomationStage } from '../stage.ts';
import { created, email, filter, makeSending, simple, wait } from '../support.ts';

const RUNS = someOf(20);
const MINUTE = 60_000;
/** Real time passes while the clock of the test is stopped between two turns. */
const DRIFT_MS = 45_000;

type Item = { minute: number } & (
  | { kind: 'plan'; plan: string }
  | { kind: 'join' | 'leave' | 'unsubscribe' | 'delete' }
  | { kind: 'event'; amount: number }
  | { kind: 'home'; home: string | null }
  | { kind: 'due'; due: number | null }
);
interface Case {
  entry: string;
  reentry: object | string | undefined;
  exits: boolean;
  pairs: Pair[];
  /** Before the branches, so that they see it. */
  update: { plan: string; list: 'join' | 'leave' | null } | null;
  /** A webhook that is waited for, after it. */
  ask: { answers: 'plan' | 'nothing' | 'nonsense' | 'never'; plan: string; hours: number; skipsOver: boolean } | null;
  branches: Array<{ plan: string; event: boolean; all: boolean; merges: boolean; leaves: boolean; pairs: Pair[] }>;
  elseGoesOn: boolean;
  /** After the pairs, and at the end. */
  goals: Array<{ plan: string; isEvent: boolean } | null>;
  contact: { plan: string; joined: boolean; home: string | null; due: number | null };
  items: Item[];
  /** Whether it is simulated as the draft of an active automation, and published then. */
  isDrafted: boolean;
}
interface Pair {
  value: number;
  unit: string;
  checks: [boolean, boolean];
  /** A wait until then, in place of the delay. */
  until: object | null;
  /** Or for an event, for the delay at most; a time-out passes over the mail, where there is a pair after it. */
  event: { since: string; filters: boolean; skips: boolean } | null;
}

const plans = fc.constantFrom('pro', 'pro', 'free', 'team', '');
const homes = fc.constantFrom('Asia/Tokyo', 'America/New_York', 'Australia/Lord_Howe', 'Mars/Olympus', null);
/** A date, in minutes after the beginning. */
const dues = fc.option(fc.integer({ min: -1_440, max: 6 * 1_440 }), { freq: 8 });
const direction = fc.constantFrom('before', 'after');
const untils = fc.oneof(
  fc.record(
    {
      time: fc.constantFrom('00:00', '09:00', '13:37', '23:45'),
      weekdays: fc.subarray(['mon', 'wed', 'fri', 'sun'], { minLength: 1 }),
      timezone: fc.constantFrom('contact', 'contact', 'Asia/Kathmandu'),
      latestAfterDays: fc.integer({ min: 1, max: 3 }),
    },
    { requiredKeys: ['time'] },
  ),
  fc.record(
    {
      property: fc.constant('contactProperties.due_on'),
      offset: fc.record({ value: fc.integer({ min: 0, max: 30 }), unit: fc.constant('hours'), direction }),
    },
    { requiredKeys: ['property'] },
  ),
);
const pair: fc.Arbitrary<Pair> = fc.record({
  value: fc.integer({ min: 0, max: 3 }),
  unit: fc.constantFrom('minutes', 'hours', 'hours', 'days', 'days'),
  checks: fc.tuple(fc.boolean(), fc.boolean()),
  until: fc.option(untils, { freq: 2 }),
  event: fc.option(fc.record({ since: fc.constantFrom('step', 'entry'), filters: fc.boolean(), skips: fc.boolean() }), {
    freq: 3,
  }),
});
const goal = fc.option(fc.record({ plan: plans, isEvent: fc.boolean() }), { freq: 2 });
const minute = fc.integer({ min: 1, max: 5 * 1_440 });
const item: fc.Arbitrary<Item> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ minute, kind: fc.constant('plan' as const), plan: plans }) },
  { weight: 4, arbitrary: fc.record({ minute, kind: fc.constantFrom('join' as const, 'leave' as const) }) },
  {
    weight: 7,
    arbitrary: fc.record({ minute, kind: fc.constant('event' as const), amount: fc.integer({ min: 0, max: 9 }) }),
  },
  { weight: 2, arbitrary: fc.record({ minute, kind: fc.constant('home' as const), home: homes }) },
  { weight: 2, arbitrary: fc.record({ minute, kind: fc.constant('due' as const), due: dues }) },
  { weight: 1, arbitrary: fc.record({ minute, kind: fc.constantFrom('unsubscribe' as const, 'delete' as const) }) },
);
const cases: fc.Arbitrary<Case> = fc.record({
  entry: fc.constantFrom('created', 'list', 'matches', 'changes', 'event', 'left', 'date', 'date'),
  reentry: fc.constantFrom(undefined, 'once', 'after_exit', { afterDays: 1 }),
  exits: fc.boolean(),
  pairs: fc.array(pair, { minLength: 1, maxLength: 2 }),
  update: fc.option(fc.record({ plan: plans, list: fc.constantFrom('join' as const, 'leave' as const, null) }), {
    freq: 3,
  }),
  ask: fc.option(
    fc.record({
      answers: fc.constantFrom(
        'plan' as const,
        'plan' as const,
        'nothing' as const,
        'nonsense' as const,
        'never' as const,
      ),
      plan: plans,
      hours: fc.integer({ min: 1, max: 24 }),
      skipsOver: fc.boolean(),
    }),
    { freq: 2 },
  ),
  branches: fc.array(
    fc.record({
      plan: plans,
      event: fc.boolean(),
      all: fc.boolean(),
      merges: fc.boolean(),
      /** By an exit step, where it does not merge. */
      leaves: fc.boolean(),
      pairs: fc.array(pair, { minLength: 1, maxLength: 2 }),
    }),
    { maxLength: 2 },
  ),
  elseGoesOn: fc.boolean(),
  goals: fc.tuple(goal, goal),
  contact: fc.record({ plan: plans, joined: fc.boolean(), home: homes, due: dues }),
  /** In one minute two things have an order in the run, and none in the simulation. */
  items: fc.uniqueArray(item, { minLength: 3, maxLength: 10, selector: ({ minute: n }) => n }),
  isDrafted: fc.boolean(),
});

describe('A simulation', function () {
  this.timeout(120_000);
  let env: Environment;
  let stage: AutomationStage;
  let listId: string;
  before(async () => {
    env = await startEnvironment({ ENROLL_PER_SECOND: '1000' });
    await makeSending(env.deps, env.own);
    await created(env.own.client, '/events', {
      eventName: 'bought',
      properties: [{ propertyName: 'amount', type: 'number' }],
    });
    await created(env.own.client, '/custom-fields', { fieldName: 'due_on', fieldType: 'date' });
    const { adminKey, project } = env.own;
    const zones = { timezone: 'Europe/Berlin', timezoneProperty: 'home' };
    await env.client(adminKey).patch(`/account/projects/${project._id}`, zones);
    listId = (await created(env.own.client, '/contact-lists', { name: 'News' })).id;
    stage = await openAutomationStage(env);
  });
  after(async () => {
    await stage.stop();
    await env.stop();
  });

  it('and the real run agree: the same steps at the same times, the same branches and rules, the same end', async () => {
    let entries = 0;
    await fc.assert(
      fc.asyncProperty(cases, async (one) => {
        entries += await compare(one);
      }),
      { numRuns: RUNS, endOnFailure: true },
    );
    expect(entries, 'people who entered in all runs').to.be.above(0);
  });

  async function compare(one: Case): Promise<number> {
    const { client } = env.own;
    const whole = definition(one, listId);
    const automation = await created(client, '/automations', { ...(one.isDrafted ? simple : whole), active: true });
    const path = `/automations/${automation.id}`;
    if (one.isDrafted) await client.patch(path, { ...whole, draft: true });
    const fromMs = Math.ceil(env.clock.now().getTime() / MINUTE) * MINUTE + MINUTE;
    const simulation = await client.post(`${path}/simulate`, { ...scenario(one, fromMs, listId), version: 'draft' });
    expect(simulation.status, simulation.text).to.equal(200);
    if (one.isDrafted) expect((await client.post(`${path}/publish`)).body.data?.version).to.equal(2);
    const real = await run(one, automation.id, fromMs);
    await client.post(`${path}/archive`);
    const simulated = simulation.body.data;
    expect(real.entries.map(withoutTimes)).to.deep.equal(
      simulated.entries.map(({ steps, exit }: Entry) => withoutTimes({ steps, exit })),
    );
    const times = ({ steps, exit }: Entry) =>
      [...steps.flatMap(({ at, until }) => [at, until ?? at]), ...(exit ? [exit.at] : [])].map((at) =>
        Date.parse(String(at)),
      );
    for (const [index, entry] of real.entries.entries()) {
      const expected = times(simulated.entries[index]);
      for (const [place, ms] of times(entry).entries()) expect(ms - Number(expected[place])).to.be.within(0, DRIFT_MS);
    }
    const updates = simulated.entries.flatMap(({ steps }: { steps: SimulatedStep[] }) =>
      steps.flatMap(({ update }) => update?.contactProperties?.last ?? []),
    );
    if (real.contact) expect(real.contact.contactProperties.last).to.equal(updates.at(-1));
    expect(real.skipped).to.deep.equal(simulated.skipped.map(({ reason }: { reason: string }) => reason));
    return real.entries.length;
  }

  /** Everything is done through the real interface at its time: between two runs by the test, during a wait by the wait. */
  async function run(one: Case, id: string, fromMs: number) {
    const { client } = env.own;
    const { db, clock } = env.deps;
    const address = `${new ObjectId()}@example.com`;
    // At the same moment a simulation takes changes before events.
    const isEvent = ({ kind }: Item) => Number(kind === 'event');
    const items = one.items.toSorted((a, b) => a.minute - b.minute || isEvent(a) - isEvent(b));
    const turnTo = (ms: number) => {
      if (ms > clock.now().getTime()) env.clock.set(new Date(ms));
    };
    turnTo(fromMs);
    const { id: contactId } = await created(client, '/contacts', {
      email: address,
      ...firstContact(one, fromMs, listId),
    });
    await stage.settled();
    const isInside = (filterBy: object) =>
      db.enrollments.findOne({ automationId: new ObjectId(id), live: true, ...filterBy });

    /** The first date after all items is the last one that a simulation looks at. */
    let lastDateMs = Number.POSITIVE_INFINITY;
    const dates = { automationId: new ObjectId(id), contactId: new ObjectId(contactId), dueAt: { $exists: true } };
    async function reachDate(beforeMs: number): Promise<boolean> {
      const date = await db.awaitedDates.findOne(dates);
      const atMs = date?.dueAt?.getTime() ?? Number.POSITIVE_INFINITY;
      if (items.length === 0 && lastDateMs === Number.POSITIVE_INFINITY) lastDateMs = atMs;
      if (!date || atMs > beforeMs || atMs > lastDateMs) return false;
      turnTo(atMs);
      await db.awaitedDates.updateOne({ _id: date._id, dueAt: new Date(atMs) }, { $set: { dueAt: new Date(0) } });
      await until(
        () => db.awaitedDates.countDocuments({ ...dates, dueAt: { $lte: clock.now() } }),
        (count) => count === 0,
        { everyMs: 10 },
      );
      await stage.settled();
      return true;
    }

    async function next(beforeMs: number): Promise<boolean> {
      const [first] = items;
      const atMs = fromMs + (first?.minute ?? 0) * MINUTE;
      if (await reachDate(first ? Math.min(beforeMs, atMs - 1) : beforeMs)) return true;
      if (!first || atMs > beforeMs) return false;
      items.shift();
      turnTo(atMs);
      await happen(first, { contactId, address, fromMs });
      await stage.settled();
      return true;
    }
    stage.onWait(async ({ untilMs }, enrollmentId) => {
      const asking = await isInside({ _id: new ObjectId(enrollmentId), stepId: 'ask' });
      const answer = asking && answerOf(one);
      if (answer) {
        const _id = asking.history.findLast(({ eventId }) => eventId)?.eventId;
        const event = await db.projectEvents.findOne({ _id: _id as ObjectId });
        if (!event) throw new Error('a person waits for the answer to no event');
        await hearAnswer(env.deps, { ...event, at: clock.now(), answered: { json: answer } });
      }
      for (;;) {
        const person = await isInside({ _id: new ObjectId(enrollmentId) });
        if (!person || person.heard) return 'skip';
        if (await next(untilMs)) continue;
        turnTo(untilMs);
        return 'skip';
      }
    });
    for (;;) {
      if (await isInside({})) await sleep(10);
      else if (!(await next(Number.POSITIVE_INFINITY))) break;
    }
    const people = await db.enrollments
      .find({ automationId: new ObjectId(id) })
      .sort({ enteredAt: 1 })
      .toArray();
    const contact = await db.contacts.findOne({ _id: new ObjectId(contactId) });
    return { entries: people.map(entryOf), skipped: await skipped(id), contact };
  }

  async function happen(
    one: Item,
    { contactId, address, fromMs }: { contactId: string; address: string; fromMs: number },
  ): Promise<void> {
    const { client, project } = env.own;
    const known = await env.deps.db.contacts.findOne({ _id: new ObjectId(contactId) });
    if (!known) return;
    const contactProperties = propertiesOf(one, fromMs);
    if (contactProperties) await client.post('/contacts/email', { email: address, contactProperties });
    if (one.kind === 'join') await client.post('/contacts/email', { email: address, listIds: [listId] });
    if (one.kind === 'leave')
      await client.post(`/contact-lists/${listId}/contacts/remove`, { contactIds: [contactId] });
    if (one.kind === 'event')
      await created(client, '/events/send', {
        eventName: 'bought',
        contactId,
        eventProperties: { amount: one.amount },
      });
    if (one.kind === 'unsubscribe') await suppress(env.deps, project._id, { emails: [address], reason: 'UNSUBSCRIBE' });
    if (one.kind === 'delete') await client.delete(`/contacts/${contactId}`);
  }

  async function skipped(id: string): Promise<Array<string | undefined>> {
    const automationIds = new ObjectId(id);
    const notes: Array<{ at: Date; outcomes?: TriggerOutcome[] }> = [
      ...(await env.deps.db.triggers.find({ automationIds }).toArray()),
      ...(await env.deps.db.events.find({ automationIds }).toArray()).map(({ createdAt, outcomes = [] }) => ({
        at: createdAt,
        outcomes,
      })),
    ];
    return notes
      .toSorted((a, b) => a.at.getTime() - b.at.getTime())
      .flatMap(({ outcomes = [] }) => outcomes)
      .filter(({ automationId, result }) => automationId.equals(id) && result === 'skipped')
      .map(({ reason }) => reason);
  }
});

interface Entry {
  steps: Array<{
    type: string;
    at: Date | string;
    until?: Date | string;
    stepId?: string;
    branchId?: string | null;
    rule?: string;
    reason?: string;
  }>;
  exit: { at: Date | string; status: string; reason: string | null } | null;
}

function entryOf({ history, status, exitReason, endedAt }: Enrollment): Entry {
  const types = [
    'wait',
    'heard',
    'timed_out',
    'goal',
    'goal_passed',
    'email',
    'branch',
    'branch_left',
    'update_contact',
    'webhook',
    'webhook_answered',
    'webhook_failed',
  ];
  return {
    steps: history.filter(({ type }) => types.includes(type)),
    exit: endedAt && { at: endedAt, status, reason: exitReason },
  };
}

function withoutTimes({ steps, exit }: Entry) {
  return {
    steps: steps.map(({ type, stepId, branchId, rule, reason }) => {
      return { type, stepId, branchId, rule, zone: type === 'wait' || type === 'webhook_failed' ? reason : undefined };
    }),
    exit: exit && { status: exit.status, reason: exit.reason },
  };
}

function definition(one: Case, listId: string) {
  const entries: Record<string, object> = {
    created: { type: 'contact_created' },
    list: { type: 'contact_added_to_list', listId },
    left: { type: 'list_left', listId },
    matches: {
      type: 'contact_property_matches_with',
      filterCriteria: filter('contactProperties.plan', 'equals', 'pro'),
    },
    changes: { type: 'contact_property_changes_from_to', property: 'plan', toValue: 'pro' },
    date: { type: 'date_reached', property: 'contactProperties.due_on', time: '10:00', yearly: one.isDrafted },
    event: {
      type: 'event_trigger',
      eventName: 'bought',
      filterCriteria: filter('event.properties.amount', 'greater_than', 3),
    },
  };
  return {
    name: 'Random',
    entryCriteria: entries[one.entry],
    reentry: one.reentry,
    exitCriteria: { type: one.exits ? 'entry_criteria_no_longer_met' : 'workflow_complete' },
    steps: stepsOf(one, listId),
  };
}

function stepsOf({ pairs, update, ask, branches, elseGoesOn, goals: [first, last], entry }: Case, listId: string) {
  const steps: object[] = pairsOf(pairs, 'main');
  if (first) steps.push(goalOf(first, 'goal'));
  if (update) steps.push({ type: 'update_contact', stepId: 'update', update: changesOf(update, listId) });
  const hasTail = branches.length > 0 && (elseGoesOn || branches.some(({ merges }) => merges));
  if (ask) steps.push(askingOf(ask, hasTail && ask.skipsOver ? 'tail-wait' : null));
  if (branches.length === 0) return steps;
  const choice = {
    type: 'branch',
    stepId: 'choice',
    nextStepId: elseGoesOn ? 'tail-wait' : null,
    branches: branches.map(({ plan, event, all, merges }, n) => ({
      branchId: `b${n}`,
      triggerType: event && entry === 'event' ? 'event_property' : 'contact_property_matches_with',
      filterCriteria:
        event && entry === 'event'
          ? filter('event.properties.amount', 'greater_than', 6)
          : plan === ''
            ? filter('contactProperties.plan', 'is_empty')
            : filter('contactProperties.plan', 'equals', plan),
      appliesTo: all ? 'all_branch_steps' : 'branch_entry',
      nextStepId: `b${n}p0-wait`,
      mergeStepId: merges ? 'tail-wait' : null,
    })),
  };
  const within = branches.flatMap((branch, n) => {
    const steps: object[] = pairsOf(branch.pairs, `b${n}p`);
    if (branch.leaves && !branch.merges) steps.push({ type: 'exit', stepId: `b${n}-exit` });
    return steps.map((step) => ({ ...step, parentBranchStepId: 'choice', parentBranchId: `b${n}` }));
  });
  const tail: object[] = hasTail ? pairOf({ ...TAIL, checks: [true, true] }, 'tail', null) : [];
  if (hasTail && last) tail.push(goalOf(last, 'last-goal'));
  return [...steps, choice, ...within, ...tail];
}

const TAIL = { value: 1, unit: 'hours', until: null, event: null };

function pairsOf(pairs: Pair[], name: string): object[] {
  return pairs.flatMap((one, n) => pairOf(one, `${name}${n}`, n + 1 < pairs.length ? `${name}${n + 1}-wait` : null));
}

function pairOf(pair: Pair, name: string, following: string | null): object[] {
  const stepId = `${name}-wait`;
  const own = { stepId, checkExitCriteria: pair.checks[0] };
  return [{ ...waitOf(pair, following), ...own }, email(`${name}-mail`, { checkExitCriteria: pair.checks[1] })];
}

function waitOf({ value, unit, until, event }: Pair, following: string | null): object {
  if (event) {
    const filterCriteria = event.filters ? moreThan(4) : {};
    const waitEvent = { eventName: 'bought', filterCriteria, timeout: { value, unit }, since: event.since };
    return { type: 'wait_event', waitEvent, timeoutStepId: event.skips ? following : null };
  }
  return until ? { type: 'wait_until', until } : wait(value, unit);
}

function goalOf({ plan, isEvent }: { plan: string; isEvent: boolean }, stepId: string): object {
  if (isEvent) return { type: 'goal', stepId, eventName: 'bought', filterCriteria: moreThan(7) };
  return { type: 'goal', stepId, filterCriteria: filter('contactProperties.plan', 'equals', plan || 'team') };
}

function moreThan(amount: number): object {
  return filter('event.properties.amount', 'greater_than', amount);
}

function askingOf({ hours }: NonNullable<Case['ask']>, failureStepId: string | null) {
  const webhook = { url: 'https://hooks.example.com/', wait: true, timeout: { value: hours, unit: 'hours' } };
  return { type: 'webhook', stepId: 'ask', webhook, failureStepId };
}

/** The JSON of the webhook; null: it never takes the event. */
function answerOf({ ask }: Case): { contactProperties?: object } | null {
  if (!ask || ask.answers === 'never') return null;
  if (ask.answers === 'nothing') return {};
  return {
    contactProperties: ask.answers === 'plan' ? { plan: ask.plan || null } : { plan: 'pro', due_on: 'nonsense' },
  };
}

function firstContact({ contact: { plan, joined, home, due } }: Case, fromMs: number, listId: string) {
  const contactProperties = {
    ...(plan && { plan }),
    ...(home && { home }),
    ...(due !== null && { due_on: dateAt(due, fromMs) }),
  };
  return { contactProperties, listIds: joined ? [listId] : [] };
}

/** The properties that the item changes; null: it changes something else. */
function propertiesOf(item: Item, fromMs: number): object | null {
  if (item.kind === 'plan') return { plan: item.plan || null };
  if (item.kind === 'home') return { home: item.home };
  return item.kind === 'due' ? { due_on: item.due === null ? null : dateAt(item.due, fromMs) } : null;
}

function dateAt(minutes: number, fromMs: number): string {
  return new Date(fromMs + minutes * MINUTE).toISOString();
}

/** The plan by way of a placeholder. */
function changesOf({ plan, list }: NonNullable<Case['update']>, listId: string) {
  return {
    contactProperties: {
      wish: plan,
      plan: plan === '' ? null : `{{default "" "${plan}"}}`,
      last: '{{contactProperties.plan}}',
    },
    ...(list === 'join' ? { addListIds: [listId] } : {}),
    ...(list === 'leave' ? { removeListIds: [listId] } : {}),
  };
}

function scenario(one: Case, fromMs: number, listId: string) {
  const at = ({ minute: n }: Item) => new Date(fromMs + n * MINUTE).toISOString();
  const changes = one.items.flatMap((item): object[] => {
    const contactProperties = propertiesOf(item, fromMs);
    if (contactProperties) return [{ at: at(item), contactProperties }];
    if (item.kind === 'join') return [{ at: at(item), listIds: [listId] }];
    if (item.kind === 'leave') return [{ at: at(item), removeListIds: [listId] }];
    if (item.kind === 'unsubscribe') return [{ at: at(item), unsubscribed: true }];
    return item.kind === 'delete' ? [{ at: at(item), deleted: true }] : [];
  });
  const events = one.items.flatMap((item) =>
    item.kind === 'event' ? [{ at: at(item), eventName: 'bought', properties: { amount: item.amount } }] : [],
  );
  const answers = one.ask ? { ask: answerOf(one) ?? { status: 500 } } : {};
  return { from: new Date(fromMs).toISOString(), contact: firstContact(one, fromMs, listId), changes, events, answers };
}
