// Promise: nothing is lost.
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { type Filter, type FindOneAndUpdateOptions, ObjectId, type UpdateFilter } from 'mongodb';
import type { EnrollmentJob } from '../../../core/automations/by-hand/model.ts';
import { enrollmentJobQueue } from '../../../core/automations/by-hand/run.ts';
import { type Deps, openCore } from '../../../core/base/deps.ts';
import { signIn } from '../../accounts/signed-in.ts';
import { useEnvironment } from '../../support/environment.ts';
import { expectRecount, newContacts } from '../people.ts';
import { activeAutomation, created, email, filter, makeSending, refusal, simple, wait } from '../support.ts';
import { Crash } from './crashing-deps.ts';

const DAY = 86_400_000;
const RANDOM = '0123456789abcdef01234567';
/** An event that is never sent. */
const entryCriteria = { type: 'event_trigger', eventName: 'never' };
const people = 3_000;

describe('Entering people by hand', function () {
  this.timeout(120_000);
  const env = useEnvironment({ TEMPORAL_ADDRESS: '127.0.0.1:9' });
  before(async () => {
    await makeSending(env.deps, env.own);
    await created(env.own.client, '/events', { eventName: 'never' });
  });

  const automation = (more: object = {}) => activeAutomation(env.own.client, { entryCriteria, ...more });
  const enroll = (id: string, body: object) => env.own.client.post(`/automations/${id}/enrollments`, body);
  const jobOf = async (id: string, jobId: string) =>
    (await env.own.client.get(`/automations/${id}/enrollments/jobs/${jobId}`)).body.data;
  const insideOf = (id: string) => env.deps.db.enrollments.find({ automationId: new ObjectId(id) }).toArray();

  async function work(): Promise<void> {
    for (;;) {
      const { runs } = await enrollmentJobQueue(env.deps).take(env.own.project._id, 4);
      if (runs.length === 0) return;
      await Promise.all(runs.map((run) => run()));
    }
  }

  /** The job when it is over. */
  async function done(id: string, body: object) {
    const reply = await enroll(id, body);
    expect(reply.status, reply.text).to.equal(202);
    const { data } = reply.body;
    expect(data).to.include({ status: 'queued', entered: 0, pending: data.total - data.missing });
    await work();
    const job = await jobOf(id, data.id);
    expect(job).to.include({ status: 'completed', pending: 0 });
    return job;
  }

  it('enters contacts by id once each, counts the others by reason, and names ids of no contact', async () => {
    const { id } = await automation();
    const [first, second, third] = (await newContacts(env, 3)).map(({ _id }) => _id.toHexString());
    await done(id, { contactIds: [first] });
    const contactIds = [first, second, third?.toUpperCase(), third, RANDOM, 'nonsense', 'nonsense'];
    const job = await done(id, { contactIds });
    expect(job).to.deep.include({ total: 5, entered: 2, skipped: { inside: 1 }, missing: 2 });
    expect(job.missingNamed).to.have.members([RANDOM, 'nonsense']);
    const inside = await insideOf(id);
    expect(inside.map(({ contactId }) => String(contactId))).to.have.members([first, second, third]);
    const reasons = inside.map(({ history }) => [history[0]?.type, history[0]?.reason, history[1]?.type]);
    expect(reasons).to.deep.equal(inside.map(() => ['entered', 'key test', 'wait']));
    expect(inside.every(({ dueAt }) => dueAt)).to.equal(true);
    await expectRecount(env, id);
  });

  it('counts a person once whose address moves behind the position in a list', async () => {
    const { id } = await automation();
    const contacts = await newContacts(env, 150);
    const [listId] = contacts[0]?.listIds ?? [];
    const data = (await enroll(id, { listId: listId?.toHexString() })).body.data;
    const first = contacts.toSorted((a, b) => (a.email < b.email ? -1 : 1))[0];
    const moving = afterFirstWrite(env.deps, () =>
      env.own.client.patch(`/contacts/${first?._id}`, { email: `zz${new ObjectId()}@example.com` }),
    );
    const { runs } = await enrollmentJobQueue(moving).take(env.own.project._id, 4);
    await Promise.all(runs.map((run) => run()));
    const job = await jobOf(id, data.id);
    expect(job).to.include({ status: 'completed', total: 150, entered: 150, pending: 0 });
    expect(await insideOf(id)).to.have.length(150);
  });

  it('counts as entered who entered before a kill, though the automation is paused and they have left since', async () => {
    const { id } = await automation();
    const [left, ...contacts] = (await newContacts(env, 3)).map(({ _id }) => _id.toHexString());
    const { id: jobId } = (await enroll(id, { contactIds: [left, ...contacts] })).body.data;
    const { runs } = await enrollmentJobQueue(killedAtProgress(env.deps)).take(env.own.project._id, 4);
    await Promise.all(runs.map((run) => run()));
    expect(await jobOf(id, jobId)).to.include({ status: 'queued', entered: 0, pending: 3 });
    const inside = await insideOf(id);
    expect(inside).to.have.length(3);
    const one = inside.find(({ contactId }) => contactId.equals(left));
    expect((await env.own.client.delete(`/automations/${id}/enrollments/${one?._id}`)).status).to.equal(200);
    await env.own.client.post(`/automations/${id}/pause`);
    await env.deps.db.enrollmentJobs.updateOne({ _id: new ObjectId(String(jobId)) }, { $set: { dueAt: new Date(0) } });
    await work();
    expect(await jobOf(id, jobId)).to.deep.include({ status: 'completed', entered: 3, skipped: {}, pending: 0 });
    expect(await insideOf(id)).to.have.length(3);
  });

  it('enters contacts by address in any spelling, creates none, and forgets unknown addresses after a day', async () => {
    const { id } = await automation();
    const [known] = await newContacts(env, 1);
    const { db } = env.deps;
    const count = () => db.contacts.countDocuments({ projectId: env.own.project._id });
    const before = await count();
    const emails = [String(known?.email).toUpperCase(), String(known?.email), 'nobody@example.com', 'no address'];
    const job = await done(id, { emails });
    expect(job).to.deep.include({ total: 3, entered: 1, skipped: {}, missing: 2 });
    expect(job.missingNamed).to.have.members(['nobody@example.com', 'no address']);
    expect(await count()).to.equal(before);
    const _id = new ObjectId(String(job.id));
    const stored = await db.enrollmentJobs.findOne({ _id });
    expect(stored).to.not.have.property('contactIds');
    expect(stored?.dueAt?.getTime()).to.equal(Date.parse(job.completedAt) + DAY);
    await db.enrollmentJobs.updateOne({ _id }, { $set: { dueAt: new Date(0) } });
    await work();
    expect(await jobOf(id, job.id)).to.deep.include({ missing: 2, missingNamed: [] });
    expect(await db.enrollmentJobs.findOne({ _id })).to.not.have.property('dueAt');
  });

  it(`enters ${people} people of a list, and those of a segment, with counts that add up at every moment`, async () => {
    const { client, project } = env.own;
    const list = await created(client, '/contact-lists', { name: 'Large' });
    const filterCriteria = filter('firstName', 'equals', 'Segmented');
    const segment = await created(client, '/contact-lists', { name: 'Some', type: 'segment', filterCriteria });
    const emails = Array.from({ length: people }, (_, n) => `large${n}@example.com`);
    for (let from = 0; from < people; from += 500) {
      const body = { contactListId: list.id, emails: emails.slice(from, from + 500) };
      expect((await client.post('/contact-lists/contacts/bulk-add', body)).body.data.created).to.equal(500);
    }
    const contacts = emails.slice(0, 3).map((address) => ({ email: address, firstName: 'Segmented' }));
    await client.post('/contacts/bulk-update', { contacts });
    const { id } = await automation();
    const { id: jobId, total } = (await enroll(id, { listId: list.id })).body.data;
    expect(total).to.equal(people);
    const working = work();
    const seen: number[] = [];
    for (let isOver = false; !isOver; ) {
      const { entered, skipped, missing, pending, status } = await jobOf(id, jobId);
      expect(entered + missing + pending).to.equal(people);
      expect(skipped).to.deep.equal({});
      seen.push(entered);
      await pause(20);
      isOver = status === 'completed';
    }
    await working;
    expect(seen).to.deep.equal(seen.toSorted((a, b) => a - b));
    expect(seen.at(-1)).to.equal(people);
    expect(
      await env.deps.db.enrollments.countDocuments({ projectId: project._id, automationId: new ObjectId(id) }),
    ).to.equal(people);
    expect(await done(id, { listId: segment.id })).to.deep.include({ total: 3, entered: 0, skipped: { inside: 3 } });
    await expectRecount(env, id);
  });

  it('asks reentry, not the entry criteria', async () => {
    const short = { steps: [wait(0), email('m')] };
    const [person] = await newContacts(env, 1);
    const contactIds = [String(person?._id)];
    for (const [reentry, second] of [
      ['once', { entered: 0, skipped: { entered_before: 1 } }],
      [{ afterDays: 3 }, { entered: 0, skipped: { too_early: 1 } }],
      ['after_exit', { entered: 1, skipped: {} }],
    ] as const) {
      const { id } = await automation({ ...short, reentry });
      expect(await done(id, { contactIds })).to.deep.include({ entered: 1, skipped: {} });
      expect(await done(id, { contactIds })).to.deep.include(second);
    }
  });

  it('counts who comes after a pause as not_active, and a contact that is deleted by then as missing', async () => {
    const { id } = await automation();
    const [stays, goes] = (await newContacts(env, 2)).map(({ _id }) => String(_id));
    const job = (await enroll(id, { contactIds: [stays, goes] })).body.data;
    await env.own.client.delete(`/contacts/${goes}`);
    await env.own.client.post(`/automations/${id}/pause`);
    await work();
    const expected = { total: 2, entered: 0, skipped: { not_active: 1 }, missing: 1, missingNamed: [goes] };
    expect(await jobOf(id, job.id)).to.deep.include(expected);
    expect(await insideOf(id)).to.deep.equal([]);
  });

  it('says by hand where a member calls, and takes no call of an author', async () => {
    const { id } = await automation();
    const contactIds = (await newContacts(env, 1)).map(({ _id }) => String(_id));
    const as = async (role: 'author' | 'editor') => (await signIn(env, env.own, role)).client;
    const call = async (role: 'author' | 'editor') =>
      (await as(role)).post(`/automations/${id}/enrollments`, { contactIds });
    expect((await call('author')).status).to.equal(403);
    expect((await call('editor')).status).to.equal(202);
    await work();
    expect((await insideOf(id)).map(({ history }) => history[0]?.reason)).to.deep.equal(['by hand']);
  });

  it('does it once for one Idempotency-Key', async () => {
    const { id } = await automation({ reentry: 'after_exit', steps: [wait(0), email('m')] });
    const [person] = await newContacts(env, 1);
    const init = {
      body: JSON.stringify({ contactIds: [String(person?._id)] }),
      headers: { 'Content-Type': 'application/json', 'Idempotency-Key': 'enroll-once' },
    };
    const send = () => env.own.client.send('POST', `/v1/automations/${id}/enrollments`, init);
    const first = await send();
    await work();
    const second = await send();
    await work();
    expect([first.status, second.status]).to.deep.equal([202, 202]);
    expect(second.body.data.id).to.equal(first.body.data.id);
    expect((await insideOf(id)).length).to.equal(1);
  });

  it('is refused with the field, and nothing is written', async () => {
    const { client } = env.own;
    const { id } = await automation();
    const [person] = await newContacts(env, 1);
    const contactIds = [String(person?._id)];
    const count = () => env.deps.db.enrollmentJobs.countDocuments({ projectId: env.own.project._id });
    const before = await count();
    const many = (length: number) => Array.from({ length }, () => RANDOM);
    for (const [body, details] of [
      [{}, 'contactIds: is required, or emails, or listId'],
      [{ contactIds, listId: 'x' }, 'listId: must not be given together with contactIds'],
      [{ contactIds, emails: ['a@in.test'] }, 'emails: must not be given together with contactIds'],
      [{ contactIds: [] }, 'contactIds: must name at least one person'],
      [{ emails: [] }, 'emails: must have at least one address'],
      [{ contactIds: many(10_001) }, 'contactIds: must hold 10000 entries at most'],
      [{ emails: [1] }, 'emails/0: must be a string'],
    ] as const)
      expect(refusal(await enroll(id, body))).to.deep.equal({ status: 400, code: 'VALIDATION_ERROR', details });
    expect((await enroll(id, { contactIds: many(10_000) })).status).to.equal(202);
    const draft = await created(client, '/automations', { ...simple, entryCriteria });
    expect(refusal(await enroll(draft.id, { contactIds }))).to.include({ status: 409, code: 'INVALID_STATE' });
    const theirs = await created(env.other.client, '/contact-lists', { name: 'Theirs' });
    const list = (listId: string) => enroll(id, { listId });
    expect((await list(theirs.id)).text).to.equal((await list(RANDOM)).text);
    expect(refusal(await list(RANDOM))).to.deep.equal({
      ...{ status: 404, code: 'CONTACT_LIST_NOT_FOUND' },
      details: 'listId: names no contact list of this project',
    });
    expect(await count()).to.equal(before + 1);
    const other = await automation();
    const job = (await enroll(id, { contactIds })).body.data;
    const elsewhere = await client.get(`/automations/${other.id}/enrollments/jobs/${job.id}`);
    expect(refusal(elsewhere)).to.include({ status: 404, code: 'ENROLLMENT_JOB_NOT_FOUND' });
  });
});

/** The process dies before it has counted a batch. */
function killedAtProgress(deps: Deps): Deps {
  const enrollmentJobs = new Proxy(deps.db.enrollmentJobs, {
    get(target, name) {
      const method = Reflect.get(target, name);
      if (name === 'findOneAndUpdate') return () => Promise.reject(new Crash());
      return typeof method === 'function' ? method.bind(target) : method;
    },
  });
  const log = { ...deps.log, error() {} };
  return openCore({ ...deps, log, db: { ...deps.db, enrollmentJobs } });
}

/** Another call is made between the first progress that a job writes and its next batch. */
function afterFirstWrite(deps: Deps, call: () => Promise<{ status: number; text: string }>): Deps {
  let isFirst = true;
  const enrollmentJobs = new Proxy(deps.db.enrollmentJobs, {
    get(target, name) {
      const method = Reflect.get(target, name);
      if (name !== 'findOneAndUpdate') return typeof method === 'function' ? method.bind(target) : method;
      return async (...args: [Filter<EnrollmentJob>, UpdateFilter<EnrollmentJob>, FindOneAndUpdateOptions]) => {
        const written = await target.findOneAndUpdate(...args);
        const isProgress = '$inc' in args[1] && isFirst;
        if (isProgress) {
          isFirst = false;
          const { status, text } = await call();
          expect(status, text).to.equal(200);
        }
        return written;
      };
    },
  });
  return openCore({ ...deps, db: { ...deps.db, enrollmentJobs } });
}
