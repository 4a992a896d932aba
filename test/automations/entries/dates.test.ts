import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { dateQueue } from '../../../core/automations/dates/enter.ts';
import { triggerQueue } from '../../../core/automations/enrollments/enroll.ts';
import { automationChangeQueue } from '../../../core/automations/enrollments/lifecycle-jobs.ts';
import { type RunningQueues, startQueues, wakeQueue } from '../../../core/jobs/queue.ts';
import { SETTLE_MS } from '../../../core/people/lists/recompute.ts';
import { type Environment, startEnvironment } from '../../support/environment.ts';
import { until } from '../../support/wait.ts';
import { activeAutomation, created, filter, makeSending, refusal, simple } from '../support.ts';

const HOUR_MS = 3_600_000;
/** Berlin has 09:00 at 08:00 UTC then. So far ahead that the clock of the database finds nothing due by itself. */
const BEGIN = Date.parse('2055-01-10T12:00:00Z');
const RENEWAL = { type: 'date_reached', property: 'contactProperties.renewsAt', time: '09:00' };
const BIRTHDAY = { type: 'date_reached', property: 'customFields.born', time: '09:00', yearly: true };

describe('The entry date_reached', function () {
  this.timeout(120_000);
  let env: Environment;
  let loop: RunningQueues;
  before(async () => {
    env = await startEnvironment({ TEMPORAL_ADDRESS: '127.0.0.1:9' });
    await makeSending(env.deps, env.own);
    const { adminKey, project } = env.own;
    const zones = { timezone: 'Europe/Berlin', timezoneProperty: 'home' };
    await env.client(adminKey).patch(`/account/projects/${project._id}`, zones);
    await begin();
  });
  after(async () => {
    await loop.stop();
    await env.stop();
  });
  async function begin(): Promise<void> {
    loop = startQueues(env.deps, [triggerQueue(env.deps), dateQueue(env.deps), automationChangeQueue(env.deps)]);
    await loop.ready;
  }
  beforeEach(() => env.clock.set(new Date(BEGIN)));
  afterEach(async () => {
    const live = await env.deps.db.automations.find({ status: 'active' }).toArray();
    for (const { _id } of live) await env.own.client.post(`/automations/${_id}/archive`);
    // Each test has people of its own.
    await env.deps.db.contacts.deleteMany({ projectId: env.own.project._id });
  });

  let people = 0;
  async function person(contactProperties: object, more: object = {}): Promise<string> {
    people += 1;
    const email = `dated${people}@example.com`;
    await created(env.own.client, '/contacts', { email, contactProperties, ...more });
    return email;
  }
  const change = async (email: string, contactProperties: object) => {
    const reply = await env.own.client.post('/contacts/email', { email, contactProperties });
    expect(reply.status, reply.text).to.equal(200);
  };
  async function waiting(entryCriteria: object, fields: object = {}) {
    const one = await activeAutomation(env.own.client, { entryCriteria, ...fields });
    await searched(one);
    return one;
  }
  /** Its job waits for the second look: with a clock that is set forward in between, it would look at once. */
  const searched = ({ id }: { id: string }) =>
    until(
      () => env.deps.db.automations.findOne({ _id: new ObjectId(id) }),
      (found) => found?.dates?.status === 'settling' && Number(found.dueAt) === settledAt(found.dates),
      { everyMs: 10 },
    );
  const settledAt = ({ begunAt }: { begunAt: Date }) => begunAt.getTime() + SETTLE_MS;
  /** All that is due by then is done, whatever the clock of the database says. */
  async function at(when: number | string): Promise<void> {
    const now = new Date(when);
    env.clock.set(now);
    const { awaitedDates, triggers } = env.deps.db;
    const due = { dueAt: { $lte: now } };
    await awaitedDates.updateMany(due, { $set: { dueAt: new Date(0) } });
    wakeQueue(env.deps, 'dates', env.own.project._id);
    const open = { dueAt: { $exists: true }, 'automationIds.0': { $exists: true } };
    await until(
      async () => (await awaitedDates.countDocuments(due)) + (await triggers.countDocuments(open)),
      (count) => count === 0,
      { everyMs: 10 },
    );
  }
  async function entered({ id }: { id: string }): Promise<Record<string, string[]>> {
    const found = await env.deps.db.enrollments.find({ automationId: new ObjectId(id) }).toArray();
    const contacts = await env.deps.db.contacts
      .find({ _id: { $in: found.map(({ contactId }) => contactId) } })
      .toArray();
    const pairs = contacts.map(({ _id, email }) => [
      email,
      found
        .filter(({ contactId }) => contactId.equals(_id))
        .map(({ enteredAt }) => enteredAt.toISOString().slice(0, 13))
        .sort(),
    ]);
    return Object.fromEntries(pairs);
  }
  const leave = async ({ id }: { id: string }) => {
    const inside = await env.deps.db.enrollments.find({ automationId: new ObjectId(id), live: true }).toArray();
    for (const { _id } of inside) await env.own.client.delete(`/automations/${id}/enrollments/${_id}`);
  };

  it('enters each person at that time of their own day: those who were there, and those who come later', async () => {
    const there = await person({ renewsAt: '2055-01-12' });
    const [tokyo, noZone] = [await person({ renewsAt: '2055-01-12', home: 'Asia/Tokyo' }), await person({})];
    const one = await waiting(RENEWAL);
    const { dates } = (await env.own.client.get(`/automations/${one.id}`)).body.data;
    expect(dates).to.deep.equal({ status: 'completed', looked: 3, total: 3 });
    const later = await person({ renewsAt: '2055-01-12' });
    await change(noZone, { home: 'Mars/Olympus', renewsAt: '2055-01-12T15:00:00+01:00' });
    const passed = await person({ renewsAt: '2055-01-09' });
    await at('2055-01-11T23:59:59Z');
    expect(await entered(one)).to.deep.equal({});
    await at('2055-01-12T00:00:00Z');
    expect(await entered(one)).to.deep.equal({ [tokyo]: ['2055-01-12T00'] });
    await at('2055-01-12T07:59:59.999Z');
    expect(Object.keys(await entered(one))).to.deep.equal([tokyo]);
    await at('2055-01-12T08:00:00Z');
    await at('2055-06-01T08:00:00Z');
    const hour = ['2055-01-12T08'];
    expect(await entered(one)).to.deep.equal({
      ...{ [tokyo]: ['2055-01-12T00'], [there]: hour, [later]: hour, [noZone]: hour },
    });
    expect(await entered(one)).to.not.have.property(passed);
    const [enrollment] = await env.deps.db.enrollments.find({ automationId: new ObjectId(one.id) }).toArray();
    expect(enrollment?.history[0]).to.include({ type: 'entered', reason: 'date_reached' });
  });

  it('each date once: a date that moves before it is reached is awaited then, and one that comes again is not', async () => {
    const [moved, again, gone] = [await person({}), await person({}), await person({})];
    const one = await waiting(RENEWAL);
    for (const email of [moved, again, gone]) await change(email, { renewsAt: '2055-01-12' });
    await change(moved, { renewsAt: '2055-01-20' });
    await change(gone, { renewsAt: null });
    await at('2055-01-12T08:00:00Z');
    expect(await entered(one)).to.deep.equal({ [again]: ['2055-01-12T08'] });
    await leave(one);
    await change(again, { renewsAt: '2055-01-13' });
    await change(again, { renewsAt: '2055-01-12T00:00:00.000Z' });
    // It is 09:00 there in six hours.
    await change(again, { home: 'America/New_York' });
    await at('2055-01-12T14:00:00Z');
    await at('2055-01-13T14:00:00Z');
    expect(await entered(one)).to.deep.equal({ [again]: ['2055-01-12T08'] });
    await change(again, { renewsAt: '2055-02-01' });
    await at('2055-01-20T08:00:00Z');
    await at('2055-02-01T14:00:00Z');
    expect(await entered(one)).to.deep.equal({
      ...{ [again]: ['2055-01-12T08', '2055-02-01T14'], [moved]: ['2055-01-20T08'] },
    });
  });

  it('each year once, with 29 February on 28 February, also when the date is corrected in between', async () => {
    const leap = await person({ born: '1992-02-29' });
    const child = await person({ born: '2056-03-01' });
    const one = await waiting(BIRTHDAY);
    expect(one.entryCriteria).to.deep.equal({ ...BIRTHDAY, property: 'contactProperties.born' });
    for (const day of ['2055-02-28', '2056-02-28', '2056-02-29', '2056-03-01', '2057-02-28', '2057-03-01']) {
      await at(`${day}T08:00:00Z`);
      await leave(one);
      if (day === '2055-02-28') await change(leap, { born: '1992-03-02' });
      if (day === '2055-02-28') await at('2055-03-02T08:00:00Z');
      if (day === '2055-02-28') await change(leap, { born: '1992-02-29' });
    }
    expect(await entered(one)).to.deep.equal({
      [leap]: ['2055-02-28T08', '2056-02-29T08', '2057-02-28T08'],
      [child]: ['2056-03-01T08', '2057-03-01T08'],
    });
  });

  it('who is inside is skipped in that year; reentry once lets in once ever', async () => {
    const email = await person({ born: '1990-02-01' });
    const one = await waiting(BIRTHDAY);
    const once = await waiting(BIRTHDAY, { reentry: 'once' });
    await at('2055-02-01T08:00:00Z');
    await leave(once);
    await at('2056-02-01T08:00:00Z');
    await leave(one);
    await at('2057-02-01T08:00:00Z');
    expect([await entered(one), await entered(once)]).to.deep.equal([
      { [email]: ['2055-02-01T08', '2057-02-01T08'] },
      { [email]: ['2055-02-01T08'] },
    ]);
  });

  it('an offset of days, and a filter about the person as they are then', async () => {
    const [pro, turned] = [
      await person({ renewsAt: '2055-02-10', plan: 'pro' }),
      await person({ renewsAt: '2055-02-10', plan: 'pro' }),
    ];
    const offset = { value: 7, unit: 'days', direction: 'before' };
    const filterCriteria = filter('contactProperties.plan', 'equals', 'pro');
    const one = await waiting({ ...RENEWAL, offset, filterCriteria });
    await change(turned, { plan: 'free' });
    await at('2055-02-03T07:59:00Z');
    expect(await entered(one)).to.deep.equal({});
    await at('2055-02-03T08:00:00Z');
    expect(await entered(one)).to.deep.equal({ [pro]: ['2055-02-03T08'] });
  });

  it('catches up a day after a standstill, and counts what was missed before that', async () => {
    const old = await Promise.all(Array.from({ length: 20 }, () => person({ renewsAt: '2055-01-12' })));
    const [recent, birthday] = [await person({ renewsAt: '2055-01-13' }), await person({ born: '1990-01-12' })];
    const one = await waiting(RENEWAL);
    const two = await waiting(BIRTHDAY);
    await at('2055-01-14T07:00:00Z');
    expect(await entered(one)).to.deep.equal({ [recent]: ['2055-01-14T07'] });
    expect(await entered(two)).to.deep.equal({});
    const missed = async ({ id }: { id: string }) =>
      (await env.own.client.get(`/automations/${id}`)).body.data.statistics.missed;
    expect([await missed(one), await missed(two)]).to.deep.equal([old.length, 1]);
    await at('2056-01-12T08:00:00Z');
    expect(await entered(two)).to.deep.equal({ [birthday]: ['2056-01-12T08'] });
    expect(await entered(one)).to.deep.equal({ [recent]: ['2055-01-14T07'] });
  });

  it('a pause lets no one in, and dates that came during it are not made up for', async () => {
    const [during, after] = [await person({ renewsAt: '2055-01-12' }), await person({ renewsAt: '2055-01-20' })];
    const one = await waiting(RENEWAL);
    await env.own.client.post(`/automations/${one.id}/pause`);
    await at('2055-01-12T08:00:00Z');
    await change(after, { renewsAt: '2055-01-18' });
    const made = await person({ renewsAt: '2055-01-19' });
    await env.own.client.post(`/automations/${one.id}/resume`);
    await searched(one);
    await at('2055-01-12T09:00:00Z');
    expect(await entered(one)).to.deep.equal({});
    await at('2055-01-18T08:00:00Z');
    await at('2055-01-19T08:00:00Z');
    await at('2055-01-20T08:00:00Z');
    expect(await entered(one)).to.deep.equal({ [after]: ['2055-01-18T08'], [made]: ['2055-01-19T08'] });
    expect(await entered(one)).to.not.have.property(during);
  });

  it('another zone of the person or the project moves what is to come', async () => {
    const [own, general] = [await person({ renewsAt: '2055-01-12' }), await person({ renewsAt: '2055-01-12' })];
    const one = await waiting(RENEWAL);
    await change(own, { home: 'Asia/Tokyo' });
    await at('2055-01-12T00:00:00Z');
    expect(await entered(one)).to.deep.equal({ [own]: ['2055-01-12T00'] });
    const { adminKey, project } = env.own;
    const path = `/account/projects/${project._id}`;
    await env.client(adminKey).patch(path, { timezone: 'Asia/Kolkata' });
    await searched(one);
    await at('2055-01-12T03:30:00Z');
    await env.client(adminKey).patch(path, { timezone: 'Europe/Berlin' });
    await searched(one);
    await at('2055-01-12T08:00:00Z');
    expect(await entered(one)).to.deep.equal({ [own]: ['2055-01-12T00'], [general]: ['2055-01-12T03'] });
  });

  it('a published draft with another offset counts from its publication, and enters each person once for a date', async () => {
    const [first, second] = [await person({ renewsAt: '2055-01-12' }), await person({ renewsAt: '2055-01-14' })];
    const one = await waiting(RENEWAL);
    await at('2055-01-12T08:00:00Z');
    await leave(one);
    const path = `/automations/${one.id}`;
    await env.own.client.patch(path, { draft: true, entryCriteria: { ...RENEWAL, time: '18:00' } });
    expect((await env.own.client.post(`${path}/publish`)).status).to.equal(200);
    await searched(one);
    await at('2055-01-12T17:00:00Z');
    await at('2055-01-14T08:00:00Z');
    expect(await entered(one)).to.deep.equal({ [first]: ['2055-01-12T08'] });
    await at('2055-01-14T17:00:00Z');
    expect(await entered(one)).to.deep.equal({ [first]: ['2055-01-12T08'], [second]: ['2055-01-14T17'] });
  });

  it('a contact that was made without automations enters none that ran then', async () => {
    const email = `quiet${people}@example.com`;
    const contacts = [{ email, contactProperties: { renewsAt: '2055-01-12' } }];
    const before = await waiting(RENEWAL);
    env.clock.advance(HOUR_MS);
    expect((await env.own.client.post('/contacts/bulk-update', { contacts, runWorkflow: false })).status).to.equal(200);
    env.clock.advance(HOUR_MS);
    const after = await waiting(RENEWAL);
    await at('2055-01-12T08:00:00Z');
    expect([await entered(before), await entered(after)]).to.deep.equal([{}, { [email]: ['2055-01-12T08'] }]);
  });

  it('two processes, and a process that dies, enter each person once', async () => {
    const emails = await Promise.all(Array.from({ length: 30 }, () => person({ renewsAt: '2055-01-12' })));
    const one = await waiting(RENEWAL);
    const { awaitedDates, triggers } = env.deps.db;
    const automationId = new ObjectId(one.id);
    env.clock.set(new Date('2055-01-12T08:00:00Z'));
    const dates = await awaitedDates.find({ automationId }).toArray();
    expect(dates).to.have.length(emails.length);
    const dying = { ...env.deps, db: { ...env.deps.db, triggers: failingOnce(triggers) } };
    for (const deps of [dying as typeof env.deps, env.deps, env.deps]) {
      await awaitedDates.updateMany({ automationId, dueAt: { $exists: true } }, { $set: { dueAt: new Date(0) } });
      const { runs } = await dateQueue(deps).take(env.own.project._id, 40);
      await Promise.all(runs.map((run) => run()));
    }
    await at('2055-01-12T08:00:01Z');
    expect(Object.keys(await entered(one))).to.have.members(emails);
    expect(await triggers.countDocuments({ automationIds: automationId })).to.equal(emails.length);
  });

  it('a date that moves while it is looked at is awaited then', async () => {
    const email = await person({ renewsAt: '2055-01-12' });
    const one = await waiting(RENEWAL);
    const { awaitedDates, contacts } = env.deps.db;
    // The queue of the tests before would take the date first.
    await loop.stop();
    env.clock.set(new Date('2055-01-12T08:00:00Z'));
    await awaitedDates.updateMany({ automationId: new ObjectId(one.id) }, { $set: { dueAt: new Date(0) } });
    const slow = new Proxy(contacts, {
      get: (target, name) => async (query: object) => {
        const found = await target.findOne(query);
        if (name === 'findOne') await change(email, { renewsAt: '2055-01-15' });
        return found;
      },
    });
    const queue = dateQueue({ ...env.deps, db: { ...env.deps.db, contacts: slow } });
    const { runs } = await queue.take(env.own.project._id, 40);
    await Promise.all(runs.map((run) => run()));
    await begin();
    expect(runs).to.have.length(1);
    expect(await env.deps.db.triggers.countDocuments({ automationIds: new ObjectId(one.id) })).to.equal(0);
    await at('2055-01-15T08:00:00Z');
    expect(await entered(one)).to.deep.equal({ [email]: ['2055-01-15T08'] });
  });

  it('deleted contacts and archived automations leave nothing behind', async () => {
    const email = await person({ renewsAt: '2055-01-12' });
    await person({ renewsAt: '2055-01-12' });
    const [one, paused] = [await waiting(RENEWAL), await waiting(RENEWAL)];
    await env.own.client.post(`/automations/${paused.id}/pause`);
    const { contacts, awaitedDates } = env.deps.db;
    const contact = await contacts.findOne({ email });
    const ofContact = { contactId: contact?._id as ObjectId };
    expect(await awaitedDates.countDocuments(ofContact)).to.equal(2);
    expect((await env.own.client.delete(`/contacts/${contact?._id}`)).status).to.equal(200);
    expect(await awaitedDates.countDocuments(ofContact)).to.equal(0);
    for (const { id } of [one, paused]) {
      expect(await awaitedDates.countDocuments({ automationId: new ObjectId(id) })).to.be.above(0);
      await env.own.client.post(`/automations/${id}/archive`);
      await until(
        () => awaitedDates.countDocuments({ automationId: new ObjectId(id) }),
        (count) => count === 0,
        { everyMs: 10 },
      );
    }
  });

  it('projects without such automations write nothing, and ask nothing more', async () => {
    await activeAutomation(env.own.client, { entryCriteria: { type: 'contact_created' } });
    await person({ renewsAt: '2055-01-12' });
    const { automations, awaitedDates } = env.deps.db;
    const dated = await automations.find({ status: { $in: ['active', 'paused'] }, dates: { $exists: true } }).toArray();
    for (const { _id } of dated) await env.own.client.post(`/automations/${_id}/archive`);
    await awaitedDates.deleteMany({});
    const email = await person({ renewsAt: '2055-01-12' });
    await change(email, { renewsAt: '2055-01-13' });
    expect(await awaitedDates.countDocuments({})).to.equal(0);
  });

  it('says what is wrong with it, naming the field', async () => {
    const { client } = env.own;
    await client.post('/custom-fields', { fieldName: 'dated_size', fieldType: 'number' });
    for (const [given, words] of [
      [{ property: 'contactProperties.dated_size' }, 'entryCriteria/property: must hold dates, and holds a number'],
      [{ property: 'firstName' }, 'entryCriteria/property: must hold dates, and holds a string'],
      [{ property: 'nothing' }, 'entryCriteria/property: must be contactProperties.<name>, createdAt or updatedAt'],
      [{ time: '9:00' }, 'entryCriteria/time'],
      [{ yearly: 'no' }, 'entryCriteria/yearly'],
      [
        { offset: { value: 4_000, unit: 'days', direction: 'before' } },
        'entryCriteria/offset: must be 3650 days at most',
      ],
    ] as const) {
      const refused = refusal(
        await client.post('/automations', { ...simple, entryCriteria: { ...RENEWAL, ...given } }),
      );
      expect(refused.status, words).to.equal(400);
      expect(refused.details).to.include(words);
    }
    const draft = await created(client, '/automations', { ...simple, entryCriteria: { type: 'date_reached' } });
    const without = refusal(await client.post(`/automations/${draft.id}/activate`));
    expect(without.details).to.include('entryCriteria/property: is required for date_reached');
    expect(without.details).to.include('entryCriteria/time: is required for date_reached');
  });

  it('a simulation enters by itself: each date, or each year up to the first one after all that happens', async () => {
    const simulate = async (entryCriteria: object, scenario: object) => {
      const draft = await created(env.own.client, '/automations', { ...simple, entryCriteria });
      const path = `/automations/${draft.id}/simulate`;
      const answer = await env.own.client.post(path, { from: '2055-01-10T12:00:00Z', ...scenario });
      expect(answer.status, answer.text).to.equal(200);
      const { entries, skipped } = answer.body.data;
      return [entries.map(({ enteredAt }: { enteredAt: string }) => enteredAt), skipped];
    };
    const contact = { contactProperties: { renewsAt: '2055-01-12', born: '1992-02-29' } };
    const moves = { at: '2055-01-11T00:00:00Z', contactProperties: { renewsAt: '2055-01-15', home: 'Asia/Tokyo' } };
    expect(await simulate(RENEWAL, { contact })).to.deep.equal([['2055-01-12T08:00:00.000Z'], []]);
    expect(await simulate(RENEWAL, { contact, changes: [moves] })).to.deep.equal([['2055-01-15T00:00:00.000Z'], []]);
    expect(await simulate(BIRTHDAY, { contact })).to.deep.equal([['2055-02-28T08:00:00.000Z'], []]);
    const changes = [{ at: '2056-06-01T00:00:00Z', firstName: 'Ada' }];
    expect(await simulate(BIRTHDAY, { contact, changes })).to.deep.equal([
      ['2055-02-28T08:00:00.000Z', '2056-02-29T08:00:00.000Z', '2057-02-28T08:00:00.000Z'],
      [],
    ]);
    expect(await simulate(RENEWAL, {})).to.deep.equal([[], []]);
    const offset = { value: 1, unit: 'days', direction: 'before' };
    const inside = { at: '2055-01-11T12:00:00Z', contactProperties: { renewsAt: '2055-01-13' } };
    expect(await simulate({ ...RENEWAL, offset }, { contact, changes: [inside] })).to.deep.equal([
      ['2055-01-11T08:00:00.000Z'],
      [{ at: '2055-01-12T08:00:00.000Z', trigger: 'date_reached', reason: 'inside' }],
    ]);
  });
});

/** The tenth insert fails, as of a process that dies within its transaction. */
function failingOnce<Kind extends { insertOne(...given: never[]): unknown }>(collection: Kind): Kind {
  let count = 0;
  return new Proxy(collection, {
    get(target, name) {
      const value = Reflect.get(target, name);
      if (name !== 'insertOne') return typeof value === 'function' ? value.bind(target) : value;
      return (...given: never[]) => {
        count += 1;
        if (count === 10) throw new Error('killed');
        return target.insertOne(...given);
      };
    },
  });
}
