import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { type Environment, startEnvironment } from '../../support/environment.ts';
import { until } from '../../support/wait.ts';
import { type AutomationStage, openAutomationStage } from '../stage.ts';
import { activeAutomation, created, email, enrollmentsOf, makeSending, refusal, simple, wait } from '../support.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const waitUntil = (until: object | undefined, more: object = {}) => ({ type: 'wait_until', until, ...more });
const morning = { time: '09:00', timezone: 'contact' };
const due = 'contactProperties.due_on';

describe('A wait until a time or a date', () => {
  let env: Environment;
  let stage: AutomationStage;
  before(async () => {
    env = await startEnvironment({ ENROLL_PER_SECOND: '1000' });
    const { client, adminKey, project } = env.own;
    await makeSending(env.deps, env.own);
    await created(client, '/custom-fields', { fieldName: 'due_on', fieldType: 'date' });
    await created(client, '/custom-fields', { fieldName: 'plan', fieldType: 'string' });
    const zones = { timezone: 'America/New_York', timezoneProperty: 'contactProperties.home' };
    await env.client(adminKey).patch(`/account/projects/${project._id}`, zones);
    stage = await openAutomationStage(env);
  });
  after(async () => {
    await stage.stop();
    await env.stop();
  });
  beforeEach(() => stage.onWait(async () => 'stay'));
  afterEach(async () => {
    const live = await env.deps.db.automations.find({ status: 'active' }).toArray();
    for (const { _id } of live) await env.own.client.post(`/automations/${_id}/archive`);
  });

  const statistics = async (id: string) => (await env.own.client.get(`/automations/${id}`)).body.data.statistics;
  const contact = (contactProperties: object) =>
    created(env.own.client, '/contacts', { email: `${new ObjectId()}@example.com`, contactProperties });
  const ended = (id: string) =>
    until(
      async () => (await enrollmentsOf(env, id))[0],
      (one) => one !== undefined && one.status !== 'active',
    );
  const turn = (ms: number) => {
    if (ms > env.clock.now().getTime()) env.clock.set(new Date(ms));
  };

  it('is kept as it was given, and is a pause before a mail; with it no mail may follow another without one', async () => {
    const steps = [
      waitUntil({ ...morning, weekdays: ['mon', 'fri'], latestAfterDays: 3 }),
      email('first'),
      waitUntil({ property: 'customFields.due_on', offset: { value: 3, unit: 'days', direction: 'before' } }),
      { type: 'split', nextStepId: 'last', shares: [{ share: 50 }, { share: 50 }] },
      email('last'),
    ];
    const automation = await created(env.own.client, '/automations', { ...simple, steps });
    expect(automation.steps[0]).to.deep.include({ type: 'wait_until', until: steps[0]?.until });
    expect(automation.steps[0]).to.not.have.any.keys('delay', 'shares', 'email', 'branches');
    expect(automation.steps[2].until).to.deep.include({ property: due });
    const faults = refusal(
      await env.own.client.post('/automations', { ...simple, steps: [waitUntil(morning), email('a'), email('b')] }),
    );
    expect(faults.code).to.equal('INVALID_STEP_SEQUENCE');
    expect(faults.details).to.include('steps/2: needs a wait step');
  });

  it('that is not valid is refused with the step, and nothing is written', async () => {
    const before = await env.deps.db.automations.countDocuments();
    for (const [given, details] of [
      [undefined, 'steps/0/until: must have either time or property'],
      [{}, 'steps/0/until: must have either time or property'],
      [{ time: '09:00', property: due }, 'steps/0/until: must have either time or property'],
      [{ time: '9:00' }, 'steps/0/until/time: must be a time of day'],
      [{ time: '24:00' }, 'steps/0/until/time: must be a time of day'],
      [{ time: '09:00', weekdays: [] }, 'steps/0/until/weekdays'],
      [{ time: '09:00', weekdays: ['mon', 'mon'] }, 'steps/0/until/weekdays'],
      [{ time: '09:00', weekdays: ['monday'] }, 'steps/0/until/weekdays/0'],
      [{ time: '09:00', timezone: 'Mars/Olympus' }, 'steps/0/until/timezone: must be contact, or an IANA time zone'],
      [{ time: '09:00', timezone: '' }, 'steps/0/until/timezone'],
      [{ time: '09:00', latestAfterDays: 0 }, 'steps/0/until/latestAfterDays'],
      [{ time: '09:00', latestAfterDays: 367 }, 'steps/0/until/latestAfterDays'],
      [{ property: 'contactProperties.plan' }, 'steps/0/until/property: must hold dates'],
      [{ property: due, offset: { value: 1, unit: 'days' } }, 'steps/0/until/offset/direction'],
      [{ property: due, offset: { value: -1, unit: 'days', direction: 'before' } }, 'steps/0/until/offset/value'],
    ] as Array<[object | undefined, string]>) {
      const fault = refusal(
        await env.own.client.post('/automations', { ...simple, steps: [waitUntil(given), email('m')] }),
      );
      expect([fault.status, fault.code], details).to.deep.equal([400, 'VALIDATION_ERROR']);
      expect(fault.details).to.include(details);
    }
    expect(await env.deps.db.automations.countDocuments()).to.equal(before);
  });

  it('ends at nine in the zone of each person, in the simulation as in the run; who has none is counted', async () => {
    const { id } = await activeAutomation(env.own.client, {
      steps: [waitUntil(morning, { stepId: 'morning' }), email('hello')],
    });
    // It is nine in none of the zones.
    turn(Math.ceil(env.clock.now().getTime() / DAY_MS) * DAY_MS + 10.5 * HOUR_MS);
    const homes = [{ home: 'Asia/Tokyo' }, { home: 'America/New_York' }, { home: 'Mars/Olympus' }, {}];
    const people = await Promise.all(homes.map(contact));
    const inside = await until(
      () => enrollmentsOf(env, id),
      (found) => found.length === people.length,
    );
    const ends: string[] = [];
    for (const [index, { id: contactId }] of people.entries()) {
      const person = inside.find((one: { contactId: string }) => one.contactId === contactId);
      const body = { contact: { contactId }, from: person.enteredAt };
      const simulation = (await env.own.client.post(`/automations/${id}/simulate`, body)).body.data;
      const [simulated] = simulation.entries[0].steps;
      const event = person.history.find(({ type }: { type: string }) => type === 'wait');
      expect([event.until, event.reason]).to.deep.equal([simulated.until, simulated.reason]);
      expect(person.wakeAt).to.equal(simulated.until);
      expect(simulation.mails[0].at).to.equal(simulated.until);
      expect(event.reason).to.equal(index < 2 ? undefined : 'zone_missing');
      ends.push(event.until);
    }
    const clockOf = (at: string | undefined, timeZone: string) =>
      new Date(at ?? '').toLocaleTimeString('en-GB', { timeZone, hour: '2-digit', minute: '2-digit' });
    expect(clockOf(ends[0], 'Asia/Tokyo')).to.equal('09:00');
    for (const end of ends.slice(1)) expect(clockOf(end, 'America/New_York')).to.equal('09:00');
    expect(ends[0]).to.not.equal(ends[1]);
    const [step] = (await statistics(id)).steps;
    expect(step).to.include({ stepId: 'morning', type: 'wait_until', entered: 4, active: 4, zoneMissing: 2 });
    const path = `/account/projects/${env.own.project._id}`;
    const { client } = env.own;
    await env.client(env.own.adminKey).patch(path, { timezone: 'Asia/Kathmandu' });
    const { entries } = (await client.post(`/automations/${id}/simulate`, {})).body.data;
    expect(clockOf(entries[0].steps[0].until, 'Asia/Kathmandu'), 'a zone that was just changed').to.equal('09:00');
    await env.client(env.own.adminKey).patch(path, { timezone: 'America/New_York' });
  });

  it('is prolonged by a date that moved later, and the mail leaves at that one', async () => {
    const { id } = await activeAutomation(env.own.client, {
      steps: [
        waitUntil({ property: due, offset: { value: 2, unit: 'days', direction: 'before' } }, { stepId: 'w' }),
        email('renew'),
      ],
    });
    const startMs = env.clock.now().getTime();
    const day = (n: number) => new Date(startMs + n * DAY_MS).toISOString();
    const ends: number[] = [];
    let address = '';
    stage.onWait(async ({ untilMs }) => {
      ends.push(untilMs);
      // The run may know its person before the call that made it has answered.
      await until(async () => address, Boolean, { everyMs: 5 });
      if (ends.length === 1)
        await env.own.client.post('/contacts/email', { email: address, contactProperties: { due_on: day(10) } });
      turn(untilMs);
      return 'skip';
    });
    address = (await contact({ due_on: day(5) })).email;
    const person = await ended(id);
    expect(ends.slice(0, 2)).to.deep.equal([Date.parse(day(3)), Date.parse(day(8))]);
    const passed = person.history.map(({ type }: { type: string }) => type);
    expect(passed).to.deep.equal(['entered', 'wait', 'email', 'completed']);
    expect(Date.parse(person.history[2].at)).to.be.at.least(Date.parse(day(8)));
  });

  it('passes at once after its date; who has no date, or loses it in the wait, leaves without a mail', async () => {
    const { id } = await activeAutomation(env.own.client, {
      steps: [
        wait(0, 'days', { stepId: 'start' }),
        waitUntil({ property: due }, { stepId: 'date' }),
        email('about-the-date'),
      ],
    });
    const startMs = env.clock.now().getTime();
    const date = (days: number) => ({ due_on: new Date(startMs + days * DAY_MS).toISOString() });
    const [over, without, far] = [await contact(date(-1)), await contact({}), await contact({ due_on: '9999-12-31' })];
    const left = async (contactId: string) => {
      const found = async () =>
        (await enrollmentsOf(env, id)).find((one: { contactId: string }) => one.contactId === contactId);
      return until(found, (one) => one !== undefined && one.status !== 'active');
    };
    expect(await left(over.id)).to.include({ status: 'completed' });
    expect(await left(without.id)).to.include({ status: 'exited', exitReason: 'no_date', stepId: 'date' });
    expect(await left(far.id)).to.include({ status: 'exited', exitReason: 'no_date', stepId: 'date' });
    let address = '';
    stage.onWait(async ({ untilMs }) => {
      await until(async () => address, Boolean, { everyMs: 5 });
      await env.own.client.post('/contacts/email', { email: address, contactProperties: { due_on: null } });
      turn(untilMs);
      return 'skip';
    });
    const losing = await contact(date(4));
    address = losing.email;
    expect(await left(losing.id)).to.include({ status: 'exited', exitReason: 'no_date', stepId: 'date' });
    const shown = await statistics(id);
    expect(shown).to.include({ entered: 4, completed: 1, emails: 1 });
    expect(shown.exitedBy).to.deep.equal({ no_date: 3 });
    expect(shown.steps[1].exitedBy).to.deep.equal({ no_date: 3 });
  });
});
