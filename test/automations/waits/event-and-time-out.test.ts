import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { advanceEnrollment } from '../../../core/automations/enrollments/advance.ts';
import { hearEvent } from '../../../core/automations/enrollments/hearing.ts';
import type { Enrollment } from '../../../core/automations/model/enrollment.ts';
import type { EventRecord } from '../../../core/automations/model/event.ts';
import { mapSomeAtOnce } from '../../../core/base/work/some-at-once.ts';
import { type Environment, startEnvironment } from '../../support/environment.ts';
import { someOf } from '../../support/random.ts';
import { expectRecount, peopleInside } from '../people.ts';
import { activeAutomation, created, email, makeSending } from '../support.ts';

const PEOPLE = someOf(10_000, 50);
const AT_ONCE = 16;
const DAY_MS = 86_400_000;
const steps = [
  {
    ...{ type: 'wait_event', stepId: 'w', nextStepId: 'thanks', timeoutStepId: 'remind' },
    waitEvent: { eventName: 'bought', timeout: { value: 1, unit: 'days' } },
  },
  email('thanks', { nextStepId: 'done' }),
  email('remind'),
  { type: 'exit', stepId: 'done' },
];

/** Without queues and workers: the calls of the event's job, and of the run. */
describe('An event and a time-out', function () {
  this.timeout(600_000);
  let env: Environment;
  let id: string;
  before(async () => {
    env = await startEnvironment();
    await makeSending(env.deps, env.own);
    await created(env.own.client, '/events', { eventName: 'bought' });
    id = (
      await activeAutomation(env.own.client, { steps, entryCriteria: { type: 'event_trigger', eventName: 'bought' } })
    ).id;
  });
  after(() => env.stop());

  const waiting = (count: number, waitUntil: Date) => {
    const waitFrom = new Date(waitUntil.getTime() - DAY_MS);
    const place = { stepId: 'w', waitFrom, waitUntil, started: true, awaits: ['event:bought'], enteredAt: waitFrom };
    return peopleInside(env, id, count, place);
  };
  const eventOf = ({ projectId, contactId }: Enrollment, createdAt: Date): EventRecord => {
    return { _id: new ObjectId(), projectId, contactId, eventName: 'bought', properties: {}, createdAt };
  };
  const look = ({ projectId, _id: enrollmentId }: Enrollment, at: Date) =>
    advanceEnrollment(env.deps, { projectId, enrollmentId }, at.getTime());
  const stored = async ({ _id }: Enrollment) => (await env.deps.db.enrollments.findOne({ _id })) as Enrollment;
  const wayOf = ({ history }: Enrollment) =>
    history.flatMap(({ type, stepId }) => (type === 'entered' ? [] : [`${type} ${stepId}`]));
  const HEARD = ['heard w', 'email thanks', 'exited done'];
  const LATE = ['timed_out w', 'email remind', 'exited done'];
  const later = (date: Date, ms: number) => new Date(date.getTime() + ms);

  it('within a millisecond have one winner, the same in the history, the mail and the figures', async () => {
    // So far off that the clock does not get there by itself.
    const end = later(env.clock.now(), DAY_MS / 2);
    const people = await waiting(PEOPLE, end);
    const moments = people.map((_, n) => ({
      event: later(end, (n % 3) - 1),
      look: later(end, (Math.trunc(n / 3) % 3) - 1),
    }));
    await mapSomeAtOnce(people, AT_ONCE, (person, n) => {
      const { event, look: at } = moments[n]!;
      const both = [() => hearEvent(env.deps, eventOf(person, event)), () => look(person, at)];
      return Promise.all((n % 2 === 0 ? both : both.reverse()).map((one) => one()));
    });
    // The run looks again, because it was asked to, or because the time has come.
    await mapSomeAtOnce(people, AT_ONCE, (person) => look(person, later(end, 2)));
    let heard = 0;
    const automationId = new ObjectId(id);
    const ended = await env.deps.db.enrollments.find({ automationId }).toArray();
    const after = new Map(ended.map((one) => [String(one._id), one]));
    const mails = await env.deps.db.messages.find({ automationId }).toArray();
    const subjects = Map.groupBy(mails, ({ contactId }) => String(contactId));
    for (const [n, person] of people.entries()) {
      const way = wayOf(after.get(String(person._id)) as Enrollment);
      const isHeard = way[0] === 'heard w';
      expect(way, String(n)).to.deep.equal(isHeard ? HEARD : LATE);
      const { event, look: at } = moments[n]!;
      if (event > end) expect(isHeard, `${n}: the event was too late`).to.equal(false);
      if (event <= end && at < end) expect(isHeard, `${n}: the event was in time`).to.equal(true);
      const sent = subjects.get(String(person.contactId))?.map(({ subject }) => subject);
      expect(sent).to.deep.equal([isHeard ? 'thanks' : 'remind']);
      heard += Number(isHeard);
    }
    const { statistics } = (await env.own.client.get(`/automations/${id}`)).body.data;
    expect(statistics.steps[0]).to.deep.include({ heard, timedOut: PEOPLE - heard });
    await expectRecount(env, id);
  });

  it('recorded before the end wins, though its job runs later than the run; recorded after it loses', async () => {
    const end = later(env.clock.now(), DAY_MS);
    const [early, late] = (await waiting(2, end)) as [Enrollment, Enrollment];
    await env.deps.db.events.insertMany([eventOf(early, end), eventOf(late, later(end, 1))]);
    for (const person of [early, late]) await look(person, later(end, 5));
    expect(wayOf(await stored(early))).to.deep.equal(HEARD);
    expect(wayOf(await stored(late))).to.deep.equal(LATE);
  });

  it('recorded while the person comes to the wait is found by a second look', async () => {
    const [person] = (await peopleInside(env, id, 1, { enteredAt: new Date(env.clock.now().getTime() - 1_000) })) as [
      Enrollment,
    ];
    const { events } = env.deps.db;
    let reads = 0;
    const aggregate = (...given: Parameters<typeof events.aggregate>) => ({
      async *[Symbol.asyncIterator]() {
        yield* events.aggregate(...given);
        if (reads++ === 0) await events.insertOne(eventOf(person, later(env.clock.now(), 5_000)));
      },
    });
    const slow = { ...env.deps, db: { ...env.deps.db, events: { aggregate } } } as unknown as typeof env.deps;
    await advanceEnrollment(slow, { projectId: person.projectId, enrollmentId: person._id }, 0);
    expect(reads).to.equal(2);
    expect(wayOf(await stored(person))).to.deep.equal(['wait w', ...HEARD]);
  });

  it('that is recorded twice, or while another job records it, is one', async () => {
    const end = later(env.clock.now(), DAY_MS);
    const [person] = (await waiting(1, end)) as [Enrollment];
    const event = eventOf(person, later(end, -5));
    await Promise.all([hearEvent(env.deps, event), hearEvent(env.deps, event), hearEvent(env.deps, event)]);
    const after = await stored(person);
    expect(after.heard).to.deep.equal([{ stepId: 'w', at: event.createdAt }]);
    expect(after).to.deep.include({ revision: 2, asked: true });
    await look(person, later(end, -4));
    await hearEvent(env.deps, event);
    expect(wayOf(await stored(person))).to.deep.equal(HEARD);
  });

  it('finds the person by one read of an index', async () => {
    const [person] = (await waiting(1, later(env.clock.now(), DAY_MS))) as [Enrollment];
    const { projectId, contactId } = person;
    const plan = await env.deps.db.enrollments
      .find({ projectId, contactId, awaits: 'event:bought' })
      .hint('awaiting')
      .explain('executionStats');
    expect(plan.executionStats).to.include({ totalDocsExamined: 1, totalKeysExamined: 1 });
  });
});
