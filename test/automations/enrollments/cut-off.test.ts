import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import type { EnrollmentJob } from '../../../core/automations/by-hand/model.ts';
import { enrollmentJobQueue } from '../../../core/automations/by-hand/run.ts';
import { advanceEnrollment } from '../../../core/automations/enrollments/advance.ts';
import { writeMoves } from '../../../core/automations/enrollments/commit.ts';
import { processWriter } from '../../../core/automations/enrollments/counts.ts';
import { eventQueue, triggerQueue } from '../../../core/automations/enrollments/enroll.ts';
import { leave } from '../../../core/automations/enrollments/exit.ts';
import { automationChangeQueue } from '../../../core/automations/enrollments/lifecycle-jobs.ts';
import type { Enrollment, Trigger } from '../../../core/automations/model/enrollment.ts';
import type { EventRecord } from '../../../core/automations/model/event.ts';
import type { Deps } from '../../../core/base/deps.ts';
import { suppress } from '../../../core/consent/suppressions/suppressions.ts';
import type { Contact } from '../../../core/people/model.ts';
import { useEnvironment } from '../../support/environment.ts';
import { silent } from '../../workflows/support.ts';
import { expectRecount, newContacts, peopleInside } from '../people.ts';
import { activeAutomation, created, email, filter, makeSending, wait } from '../support.ts';
import {
  Crash,
  committingDeps,
  crashingDeps,
  interruptedDeps,
  listeningDeps,
  type Say,
  type When,
} from './crashing-deps.ts';

const PEOPLE = 60;
const steps = [
  wait(0, 'days', { stepId: 'w1' }),
  email('m1'),
  {
    type: 'branch',
    stepId: 'choice',
    branches: [
      {
        branchId: 'all',
        filterCriteria: filter('email', 'is_not_empty'),
        nextStepId: 'w2',
        appliesTo: 'all_branch_steps',
      },
    ],
  },
  wait(1, 'days', { stepId: 'w2', parentBranchStepId: 'choice', parentBranchId: 'all' }),
  email('m2', { parentBranchStepId: 'choice', parentBranchId: 'all' }),
];

/** The process ends at every command to the database in turn, before and after it is carried out; then the work is repeated. */
describe('A step that is cut off anywhere is finished by its repeat, with each mail once and right counts', function () {
  this.timeout(180_000);
  const env = useEnvironment({ TEMPORAL_ADDRESS: '127.0.0.1:9' });
  before(async () => {
    await makeSending(env.deps, env.own);
    await created(env.own.client, '/events', { eventName: 'storm' });
  });

  const automation = async () =>
    (await activeAutomation(env.own.client, { entryCriteria: { type: 'event_trigger', eventName: 'storm' }, steps }))
      .id;
  const stored = (_id: ObjectId) => env.deps.db.enrollments.findOne({ _id });
  const mails = (contactId: ObjectId) => env.deps.db.messages.countDocuments({ contactId });
  const step = (deps: Deps, { projectId, _id }: Enrollment) =>
    advanceEnrollment(deps, { projectId, enrollmentId: _id }, Date.now());
  const inWait = { started: true, stepId: 'w2', waitFrom: new Date(0), waitUntil: new Date(86_400_000) };

  async function storms(id: string, count: number): Promise<EventRecord[]> {
    const events = (await newContacts(env, count)).map(
      ({ _id: contactId, projectId }): EventRecord => ({
        ...{ _id: new ObjectId(), projectId, contactId, eventName: 'storm', properties: {} },
        ...{ createdAt: env.clock.now(), automationIds: [new ObjectId(id)] },
      }),
    );
    await env.deps.db.events.insertMany(events);
    return events;
  }

  async function followStorm(deps: Deps, { _id, projectId }: EventRecord) {
    const notFollowed = { _id, projectId, outcomes: { $exists: false } };
    await env.deps.db.events.updateOne(notFollowed, { $set: { dueAt: new Date(0) } });
    for (const run of (await eventQueue(deps).take(projectId, 16)).runs) await run();
  }

  async function cutOffEverywhere<Person>(
    people: Person[],
    work: (deps: Deps, person: Person) => Promise<unknown>,
    check: (person: Person, place: string) => Promise<void>,
  ): Promise<void> {
    let used = 0;
    for (const when of ['before', 'after'] satisfies When[])
      for (let n = 1; ; n += 1) {
        const person = people[used++];
        if (!person) throw new Error('more places than people');
        const crashing = crashingDeps({ ...env.deps, log: silent }, n, when);
        await work(crashing.deps, person).catch((error) => {
          if (!(error instanceof Crash)) throw error;
        });
        await work(env.deps, person);
        await check(person, `${when} ${n}`);
        if (!crashing.crashed()) break;
      }
    expect(used, 'places').to.be.above(8);
  }

  it('entering by an event, with a first mail and a branch', async () => {
    const id = await automation();
    const { db } = env.deps;
    const events = await storms(id, PEOPLE + 20);
    await cutOffEverywhere(events, followStorm, async ({ _id, contactId }, place) => {
      const [person, ...others] = await db.enrollments.find({ contactId }).toArray();
      expect(others, place).to.deep.equal([]);
      expect(person, place).to.deep.include({ status: 'active', stepId: 'w2', started: true });
      expect(await mails(contactId), place).to.equal(1);
      const event = await db.events.findOne({ _id });
      expect(
        event?.outcomes?.map(({ result }) => result),
        place,
      ).to.deep.equal(['entered']);
    });
    await expectRecount(env, id);
  });

  it('entering, when the automation is paused before the repeat and resumed after it', async () => {
    const { db } = env.deps;
    const { id } = await activeAutomation(env.own.client, {
      entryCriteria: { type: 'event_trigger', eventName: 'storm' },
      ...{ reentry: { afterDays: 30 }, steps: [wait(0), email('m1')] },
    });
    const act = async (action: string) =>
      expect((await env.own.client.post(`/automations/${id}/${action}`)).status, action).to.equal(200);
    const [event] = (await storms(id, 1)) as [EventRecord];
    const { _id, projectId, contactId } = event;
    const inside = async () => (await db.enrollments.findOne({ projectId, contactId })) as Enrollment;
    let isDead = false;
    const die = () => {
      isDead = true;
    };
    const dying = committingDeps({ ...env.deps, log: silent }, (commit) => commit().then(die));
    const say: Say = (work) => (isDead ? Promise.reject(new Crash()) : work());
    await followStorm(listeningDeps(dying, say), event).catch((error) => expect(error).to.be.instanceOf(Crash));
    expect(await inside()).to.deep.include({ status: 'active', started: false });
    await act('pause');
    await followStorm(env.deps, event);
    expect((await db.events.findOne({ _id }))?.outcomes?.map(({ result }) => result)).to.deep.equal(['entered']);
    await act('resume');
    for (const run of (await automationChangeQueue(env.deps).take(projectId, 16)).runs) await run();
    const woken = await inside();
    expect(woken).to.deep.include({ asked: true, dueAt: new Date(0) });
    await step(env.deps, woken);
    expect([(await inside()).status, await mails(contactId)]).to.deep.equal(['completed', 1]);
    await expectRecount(env, id);
  });

  it('entering by a change, with a change of the person that lets them into another automation', async () => {
    const { db } = env.deps;
    const [list, other] = await Promise.all(
      ['Changed', 'Never'].map((name) => created(env.own.client, '/contact-lists', { name })),
    );
    const second = await activeAutomation(env.own.client, {
      entryCriteria: { type: 'contact_added_to_list', listId: list.id },
    });
    const changing = { contactProperties: { turn: '{{contactProperties.turn}}x' }, addListIds: [list.id] };
    const { id } = await activeAutomation(env.own.client, {
      entryCriteria: { type: 'contact_added_to_list', listId: other.id },
      steps: [{ type: 'update_contact', update: changing }, wait(1, 'days', { stepId: 'w2' })],
    });
    const triggers = (await newContacts(env, 2 * PEOPLE)).map(
      ({ _id: contactId, projectId }): Trigger => ({
        ...{ _id: new ObjectId(), projectId, contactId, at: env.clock.now() },
        automationIds: [new ObjectId(String(id))],
      }),
    );
    await db.triggers.insertMany(triggers);
    const follow = async (deps: Deps, { _id, projectId }: Trigger) => {
      await db.triggers.updateOne({ _id, outcomes: { $exists: false } }, { $set: { dueAt: new Date(0) } });
      // Triggers of the second automation are not followed.
      await db.triggers.updateMany({ projectId, causedBy: { $exists: true } }, { $unset: { dueAt: '' } });
      const { runs } = await triggerQueue(deps).take(projectId, 16);
      for (const run of runs) await run();
    };
    let used = 0;
    await cutOffEverywhere(triggers, follow, async ({ contactId }, place) => {
      used += 1;
      const [person, ...others] = await db.enrollments.find({ contactId }).toArray();
      expect(others, place).to.deep.equal([]);
      expect(person, place).to.deep.include({ status: 'active', stepId: 'w2' });
      const contact = await db.contacts.findOne({ _id: contactId });
      expect(contact?.contactProperties, place).to.deep.equal({ turn: 'x' });
      const written = { contactId, automationId: new ObjectId(String(id)) };
      expect(await db.contactHistory.countDocuments(written), place).to.equal(1);
      const next = await db.triggers.find({ contactId, automationIds: new ObjectId(String(second.id)) }).toArray();
      expect(
        next.map(({ causedBy }) => causedBy?.map(String)),
        place,
      ).to.deep.equal([[id]]);
    });
    expect((await env.own.client.get(`/contact-lists/${list.id}`)).body.data.contactCount).to.equal(used);
    await expectRecount(env, id);
  });

  it('entering by hand, with a first mail and a branch', async () => {
    const id = await automation();
    const { db } = env.deps;
    const contacts = await newContacts(env, 4 * PEOPLE);
    const jobs = Array.from({ length: 2 * PEOPLE }, (_, n): EnrollmentJob => {
      const pair = contacts.slice(2 * n, 2 * n + 2);
      return {
        ...{ _id: new ObjectId(), projectId: env.own.project._id, automationId: new ObjectId(String(id)) },
        ...{ status: 'queued', enteredBy: 'by hand', contactIds: pair.map(({ _id }) => _id), total: 2, entered: 0 },
        ...{ cursor: { done: 0, email: null }, skipped: {}, missing: 0, missingNamed: [], completedAt: null },
        ...{ createdAt: env.clock.now(), updatedAt: env.clock.now() },
      };
    });
    await db.enrollmentJobs.insertMany(jobs);
    const follow = async (deps: Deps, { _id, projectId }: EnrollmentJob) => {
      await db.enrollmentJobs.updateOne({ _id, completedAt: null }, { $set: { dueAt: new Date(0) } });
      const { runs } = await enrollmentJobQueue(deps).take(projectId, 4);
      for (const run of runs) await run();
    };
    await cutOffEverywhere(jobs, follow, async ({ _id, contactIds = [] }, place) => {
      const job = await db.enrollmentJobs.findOne({ _id });
      expect(job, place).to.deep.include({ status: 'completed', entered: 2, skipped: {}, missing: 0 });
      for (const contactId of contactIds) {
        const [person, ...others] = await db.enrollments.find({ contactId }).toArray();
        expect(others, place).to.deep.equal([]);
        expect(person, place).to.deep.include({ status: 'active', stepId: 'w2', started: true });
        expect(await mails(contactId), place).to.equal(1);
      }
    });
    await expectRecount(env, id);
  });

  it('entering, when the list of its change is deleted between the decision and the commit', async () => {
    const { db } = env.deps;
    const list = await created(env.own.client, '/contact-lists', { name: 'Short' });
    const { id } = await activeAutomation(env.own.client, {
      entryCriteria: { type: 'event_trigger', eventName: 'storm' },
      steps: [{ type: 'update_contact', update: { addListIds: [list.id] } }, wait(1, 'days', { stepId: 'w2' })],
    });
    const [contact] = (await newContacts(env, 1)) as [Contact];
    const automationIds = [new ObjectId(String(id))];
    const { _id: contactId, projectId } = contact;
    await db.events.insertOne({
      ...{ _id: new ObjectId(), projectId, contactId, eventName: 'storm', properties: {} },
      ...{ createdAt: env.clock.now(), automationIds, dueAt: new Date(0) },
    });
    const deps = interruptedDeps(env.deps, () => env.own.client.delete(`/contact-lists/${list.id}`));
    for (const run of (await eventQueue(deps).take(projectId, 16)).runs) await run();
    const [person, ...others] = await db.enrollments.find({ contactId }).toArray();
    expect(others).to.deep.equal([]);
    expect(person).to.deep.include({ status: 'active', stepId: 'w2' });
    expect(person?.history.map(({ type, reason }) => [type, reason])).to.deep.equal([
      ['entered', 'event storm'],
      ['update_contact', 'addListIds: names a list that was deleted'],
      ['wait', undefined],
    ]);
    await expectRecount(env, id);
  });

  it('waking up, with a mail, to the end', async () => {
    const id = await automation();
    await cutOffEverywhere(await peopleInside(env, id, PEOPLE, inWait), step, async ({ _id, contactId }, place) => {
      expect(await stored(_id), place).to.deep.include({ status: 'completed', stepId: null });
      expect(await mails(contactId), place).to.equal(1);
    });
    await expectRecount(env, id);
  });

  it('waking up in a paused automation', async () => {
    const id = await automation();
    const people = await peopleInside(env, id, PEOPLE, inWait);
    await env.own.client.post(`/automations/${id}/pause`);
    await cutOffEverywhere(people, step, async ({ _id, contactId }, place) => {
      expect(await stored(_id), place).to.deep.include({ status: 'active', stepId: 'w2', parked: true });
      expect(await mails(contactId), place).to.equal(0);
    });
    await expectRecount(env, id);
  });

  it('leaving because of an unsubscribe that was not heard of', async () => {
    const id = await automation();
    const people = await peopleInside(env, id, PEOPLE, inWait);
    const contacts = await env.deps.db.contacts
      .find({ _id: { $in: people.map(({ contactId }) => contactId) } })
      .toArray();
    const emails = contacts.map((contact) => contact.email);
    await suppress(env.deps, env.own.project._id, { emails, reason: 'MANUAL' });
    await env.deps.db.suppressions.updateMany({ email: { $in: emails } }, { $set: { reason: 'UNSUBSCRIBE' } });
    await cutOffEverywhere(people, step, async ({ _id, contactId }, place) => {
      expect(await stored(_id), place).to.deep.include({ status: 'exited', exitReason: 'unsubscribed' });
      expect(await mails(contactId), place).to.equal(0);
    });
    await expectRecount(env, id);
  });

  it('being sent away', async () => {
    const id = await automation();
    const away = async (deps: Deps, person: Enrollment) =>
      leave(deps, (await stored(person._id)) ?? person, 'automation_archived');
    const people = await peopleInside(env, id, PEOPLE, inWait);
    const check = async ({ _id }: Enrollment, place: string) => {
      const person = await stored(_id);
      expect(person, place).to.deep.include({ status: 'exited', exitReason: 'automation_archived' });
      expect(person?.history.length, place).to.equal(2);
    };
    await cutOffEverywhere(people, away, check);
    await expectRecount(env, id);
  });

  it('a process that died in the middle of a write holds up one person for a minute, and no other', async () => {
    const id = await automation();
    const people = await peopleInside(env, id, 5, inWait);
    const [held] = people as [Enrollment];
    const session = env.deps.mongo.startSession();
    session.startTransaction();
    const move = { before: held, after: { ...held, revision: 2 } };
    await writeMoves(env.deps, session, held.projectId, [move], processWriter());
    const outcomes = await Promise.allSettled(people.map((person) => step(env.deps, person)));
    expect(outcomes.map(({ status }) => status)).to.deep.equal(['rejected', ...Array(4).fill('fulfilled')]);
    await session.abortTransaction();
    await session.endSession();
    expect((await step(env.deps, held)).kind).to.equal('end');
    await expectRecount(env, id);
  });
});
