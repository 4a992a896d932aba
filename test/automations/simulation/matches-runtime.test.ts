import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import fc from 'fast-check';
import { ObjectId } from 'mongodb';
import type { SimulatedStep } from '../../../client/index.ts';
import { hearAnswer } from '../../../core/automations/enrollments/answers.ts';
import type { Enrollment, TriggerOutcome } from '../../../core/automations/model/enrollment.ts';
import { suppress } from '../../../core/consent/suppressions/suppressions.ts';
import { formSubmissions } from '../../../core/forms/handle-submissions.ts';
import { LEASE_MS } from '../../../core/jobs/document-queue.ts';
import { messageIdOf } from '../../../core/mail/compose/links.ts';
import { type Signal, writeSignals } from '../../../core/mail/feedback/engagements.ts';
import type { Post } from '../../delivery/support.ts';
import { BROWSER, receivingDomain } from '../../feedback/support.ts';
import { Desk, type MadeForm } from '../../forms/support.ts';
import type { Reply } from '../../support/client.ts';
import { type Environment, startEnvironment } from '../../support/environment.ts';
import { type Door, openDoor } from '../../support/mail/inbound-door.ts';
import { someOf } from '../../support/random.ts';
import { until } from '../../support/wait.ts';
import { expectRecount } from '../people.ts';
import { type AutomationStage, openAutomationStage } from '../stage.ts';
import { created, makeSending, simple } from '../support.ts';
import { type Case, cases, type Item } from './cases.ts';
import { answerOf, definition, firstContact, type Names, propertiesOf, scenario, urlOf } from './steps.ts';

const RUNS = someOf(60);
const MINUTE = 60_000;
/** Real time passes while the clock of the test is stopped between two turns. */
const DRIFT_MS = 45_000;
const SIDES_TRIED_MAX = 60;

describe('A simulation', function () {
  this.timeout(300_000);
  let env: Environment;
  let stage: AutomationStage;
  let door: Door;
  let desk: Desk;
  let form: MadeForm;
  let names: Names;
  /** Where answers go: no entry is by it. */
  let news: string;
  before(async () => {
    env = await startEnvironment({
      ENROLL_PER_SECOND: '1000',
      MAIL_HOST: 'mail.example.com',
      DNS_SERVERS: '127.0.0.1:9',
      TRUSTED_PROXIES: '1',
    });
    await makeSending(env.deps, env.own);
    await created(env.own.client, '/events', {
      eventName: 'bought',
      properties: [{ propertyName: 'amount', type: 'number' }],
    });
    await created(env.own.client, '/custom-fields', { fieldName: 'due_on', fieldType: 'date' });
    const { adminKey, project } = env.own;
    const zones = { timezone: 'Europe/Berlin', timezoneProperty: 'home' };
    await env.client(adminKey).patch(`/account/projects/${project._id}`, zones);
    const { id: listId } = await created(env.own.client, '/contact-lists', { name: 'News' });
    const domainName = await receivingDomain(env, env.own);
    news = `news@${domainName}`;
    desk = new Desk({ environment: env, own: env.own } as Post);
    // The worker of the stage has them.
    await desk.stopJobs();
    form = await desk.form({ doubleOptIn: false });
    names = { listId, formId: form.id, address: `support@${domainName}` };
    door = await openDoor(env);
    stage = await openAutomationStage(env, (deps) => [formSubmissions(deps)]);
  });
  after(async () => {
    await stage.stop();
    await door.server.close();
    await env.stop();
  });

  it('and the real run agree: the same steps at the same times, the same end, and each effect once, however often workers die', async () => {
    let entries = 0;
    await fc.assert(
      fc.asyncProperty(cases, async (one) => {
        entries += await compare(one);
      }),
      { numRuns: RUNS, endOnFailure: true },
    );
    expect(entries, 'people who entered in all runs').to.be.above(0);
    expect(stage.ended(), 'workers that were killed or replaced').to.be.above(0);
  });

  async function compare(one: Case): Promise<number> {
    const { client } = env.own;
    const whole = definition(one, names);
    const automation = await created(client, '/automations', { ...(one.isDrafted ? simple : whole), active: true });
    const path = `/automations/${automation.id}`;
    if (one.isDrafted) await client.patch(path, { ...whole, draft: true });
    const fromMs = Math.ceil(env.clock.now().getTime() / MINUTE) * MINUTE + MINUTE;
    const simulations = await simulateSides(path, { ...scenario(one, fromMs, names), version: 'draft' });
    if (one.isDrafted) expect((await client.post(`${path}/publish`)).body.data?.version).to.equal(2);
    stage.live(one.lives);
    const real = await run(one, automation.id, fromMs);
    await client.post(`${path}/archive`);
    const simulated = simulations.get(sideOf(real)) ?? simulations.values().next().value;
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
    await expectOnce(automation.id);
    return real.entries.length;
  }

  /** By the share of the person, which follows from an id that is not known beforehand. */
  async function simulateSides(path: string, body: object): Promise<Map<string, Reply['body']>> {
    const found = new Map<string, Reply['body']>();
    for (let tries = 0; tries < SIDES_TRIED_MAX && !found.has('') && found.size < 2; tries += 1) {
      const { status, text, body: answer } = await env.own.client.post(`${path}/simulate`, body);
      expect(status, text).to.equal(200);
      found.set(sideOf(answer.data), answer.data);
    }
    return found;
  }

  /** However often workers were killed: a mail and a call for each line of a history that says so, no others, and right counts. */
  async function expectOnce(id: string): Promise<void> {
    const { db } = env.deps;
    const own = { automationId: new ObjectId(id) };
    const people = await db.enrollments.find(own).toArray();
    const history = people.flatMap((person) => person.history);
    const mails = await db.messages.find(own).toArray();
    const sorted = (ids: Array<ObjectId | undefined>) => ids.flatMap((one) => one?.toHexString() ?? []).toSorted();
    expect(sorted(mails.map(({ _id }) => _id))).to.deep.equal(sorted(history.map(({ emailId }) => emailId)));
    const calls = await db.projectEvents.find({ type: 'automation.step_webhook', 'data.automationId': id }).toArray();
    expect(sorted(calls.map(({ _id }) => _id))).to.deep.equal(sorted(history.map(({ eventId }) => eventId)));
    await expectRecount(env, id);
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
      ...firstContact(one, fromMs, names.listId),
    });
    await stage.settled();
    const isInside = (filterBy: object) =>
      db.enrollments.findOne({ automationId: new ObjectId(id), live: true, ...filterBy });

    /** The first date after all items is the last one that a simulation looks at. */
    let lastDateMs = Number.POSITIVE_INFINITY;
    const dates = { automationId: new ObjectId(id), contactId: new ObjectId(contactId), dueAt: { $exists: true } };
    /** For the clock of the database. The search that is repeated after a death may write the same time once more. */
    const makeDue = () =>
      db.awaitedDates.updateMany(
        { ...dates, dueAt: { $gt: new Date(Date.now() + LEASE_MS), $lte: clock.now() } },
        { $set: { dueAt: new Date(0) } },
      );
    async function reachDate(beforeMs: number): Promise<boolean> {
      const date = await db.awaitedDates.findOne(dates);
      const atMs = date?.dueAt?.getTime() ?? Number.POSITIVE_INFINITY;
      if (items.length === 0 && lastDateMs === Number.POSITIVE_INFINITY) lastDateMs = atMs;
      if (!date || atMs > beforeMs || atMs > lastDateMs) return false;
      turnTo(atMs);
      await until(
        async () => {
          await makeDue();
          return db.awaitedDates.countDocuments({ ...dates, dueAt: { $lte: clock.now() } });
        },
        (count) => count === 0,
        { everyMs: 10 },
      );
      const after = await db.awaitedDates.findOne({ _id: date._id });
      // Another zone had moved it: that was only a look.
      if (after?.from.getTime() === date.from.getTime()) lastDateMs = Number.POSITIVE_INFINITY;
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
      await formsSettled();
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
        // The entry and the run ask for the first wait: the person may be past it when the second one asks.
        const isThere = person?.waitUntil?.getTime() === untilMs;
        if (!isThere || looks(person)) return 'skip';
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
    if (one.kind === 'join') await client.post('/contacts/email', { email: address, listIds: [names.listId] });
    if (one.kind === 'leave')
      await client.post(`/contact-lists/${names.listId}/contacts/remove`, { contactIds: [contactId] });
    if (one.kind === 'event')
      await created(client, '/events/send', {
        eventName: 'bought',
        contactId,
        eventProperties: { amount: one.amount },
      });
    if (one.kind === 'unsubscribe') await suppress(env.deps, project._id, { emails: [address], reason: 'UNSUBSCRIBE' });
    if (one.kind === 'delete') await client.delete(`/contacts/${contactId}`);
    if (one.kind === 'act') await act(one, contactId);
    if (one.kind === 'submit') expect((await desk.send(form, { email: address })).status).to.equal(200);
    if (one.kind === 'write') await write(address, names.address);
  }

  /** On the last mail, which a relay has taken. */
  async function act(one: Item & { kind: 'act' }, contactId: string): Promise<void> {
    const { db, clock } = env.deps;
    const own = { projectId: env.own.project._id, contactId: new ObjectId(contactId), automationId: { $exists: true } };
    const [last] = await db.messages.find(own).sort({ createdAt: -1, _id: -1 }).limit(1).toArray();
    if (!last) return;
    const { _id: messageId, projectId } = last;
    const at = clock.now();
    const sent = { state: 'sent' as const, sentAt: new Date(at.getTime() - MINUTE) };
    await db.messages.updateOne({ _id: messageId, projectId, state: 'queued' }, { $set: sent, $unset: { dueAt: '' } });
    if (one.act === 'replies') return write('ada@example.net', news, messageId);
    const any = { projectId, messageId, at, agent: BROWSER };
    const signal: Signal =
      one.act === 'opens'
        ? { ...any, kind: 'open', purpose: '', method: 'GET' }
        : { ...any, kind: 'click', url: urlOf(one) };
    await writeSignals(env.deps, [signal]);
  }

  async function write(from: string, to: string, answered?: ObjectId): Promise<void> {
    const head = [`From: ${from}`, `To: ${to}`, 'Subject: A letter', `Message-ID: <${new ObjectId()}@example.net>`];
    if (answered) head.push(`In-Reply-To: <${messageIdOf({ messageId: answered }, 'example.com')}>`);
    expect((await door.send({ from, to, raw: [...head, '', 'Yes', ''].join('\r\n') })).data).to.match(/^250/);
  }

  /** Times of submissions are those of the clock of the test. */
  async function formsSettled(): Promise<void> {
    const { formSubmissions: sent } = env.deps.db;
    const later = { dueAt: { $gt: new Date(Date.now() + MINUTE) } };
    await sent.updateMany(later, { $set: { dueAt: new Date(0) } });
    await until(
      () => sent.countDocuments({}),
      (count) => count === 0,
      { everyMs: 10 },
    );
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

/** The share of the person; empty: the split was not reached. */
function sideOf({ entries }: { entries: Entry[] }): string {
  const taken = entries.flatMap(({ steps }) => steps).find(({ stepId }) => stepId === 'shares');
  return taken?.branchId ?? '';
}

/** The run is asked to look: what was heard is not for a later step alone. */
function looks({ stepId, heard = [] }: Enrollment): boolean {
  return heard.some((one) => one.stepId === stepId || one.stepId.includes('goal'));
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
