import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { enterTogether, eventQueue } from '../../../core/automations/enrollments/enroll.ts';
import type { Reentry } from '../../../core/automations/model/definition.ts';
import { reentryOf, reentryRefusal } from '../../../core/automations/rules/entering/reentry.ts';
import { openCore } from '../../../core/base/deps.ts';
import { useEnvironment } from '../../support/environment.ts';
import { newContacts } from '../people.ts';
import { activeAutomation, created, email, makeSending, refusal, simple, wait } from '../support.ts';

const DAY = 86_400_000;
const bought = { entryCriteria: { type: 'event_trigger', eventName: 'bought' } };
/** Ends with the entry. */
const short = { ...bought, steps: [wait(0), email('m')] };

describe('The rule of entering again', () => {
  it('refuses who entered before, and who comes before the days are over', () => {
    const left = 5 * DAY;
    const cases: Array<[Reentry, number | null, number, string | null]> = [
      ['once', null, left, null],
      ['once', left, 9_000 * DAY, 'entered_before'],
      ['after_exit', left, left, null],
      [{ afterDays: 2 }, null, left, null],
      [{ afterDays: 2 }, left, left, 'too_early'],
      [{ afterDays: 2 }, left, left + 2 * DAY - 1, 'too_early'],
      [{ afterDays: 2 }, left, left + 2 * DAY, null],
    ];
    for (const [reentry, leftMs, nowMs, refused] of cases)
      expect(reentryRefusal(reentry, leftMs, nowMs), JSON.stringify([reentry, leftMs, nowMs])).to.equal(refused);
  });

  it('is once for contact_created and after_exit for all others, unless the automation says it', () => {
    expect(reentryOf({ entryCriteria: { type: 'contact_created' } })).to.equal('once');
    expect(reentryOf({ entryCriteria: { type: 'event_trigger' } })).to.equal('after_exit');
    expect(reentryOf({ entryCriteria: { type: 'contact_created' }, reentry: { afterDays: 3 } })).to.deep.equal({
      afterDays: 3,
    });
  });
});

describe('An automation with reentry', () => {
  const env = useEnvironment({ TEMPORAL_ADDRESS: '127.0.0.1:9' });
  before(async () => {
    await makeSending(env.deps, env.own);
    await created(env.own.client, '/events', { eventName: 'bought' });
  });
  afterEach(async () => {
    const live = await env.deps.db.automations.find({ status: 'active' }).toArray();
    for (const { _id } of live) await env.own.client.post(`/automations/${_id}/archive`);
  });

  async function follow(): Promise<void> {
    for (;;) {
      const { runs } = await eventQueue(env.deps).take(env.own.project._id, 16);
      if (runs.length === 0) return;
      await Promise.all(runs.map((run) => run()));
    }
  }
  const outcomesOf = async (automationId: string) => {
    const records = await env.deps.db.events.find({ automationIds: new ObjectId(automationId) }).toArray();
    return records
      .toSorted((a, b) => a.createdAt.getTime() - b.createdAt.getTime())
      .map(({ outcomes = [] }) => outcomes.find((one) => one.automationId.equals(automationId)))
      .map((one) => one?.reason ?? one?.result);
  };

  it('keeps it, changes it by PATCH, and names what is wrong with another value', async () => {
    const { client } = env.own;
    const { id, reentry } = await created(client, '/automations', simple);
    expect(reentry).to.equal('once');
    const given = { afterDays: 30, more: 1 };
    expect((await client.patch(`/automations/${id}`, { reentry: given })).body.data.reentry).to.deep.equal({
      afterDays: 30,
    });
    expect((await client.patch(`/automations/${id}`, { name: 'Other' })).body.data.reentry).to.deep.equal({
      afterDays: 30,
    });
    const whole = 'reentry: must be once, after_exit, or an object with afterDays from 1 to 3,650';
    for (const [value, details] of [
      ['always', whole],
      [{}, whole],
      [null, whole],
      [[1], whole],
      [{ afterDays: 0 }, 'reentry/afterDays: must be from 1 to 3650'],
      [{ afterDays: 3_651 }, 'reentry/afterDays: must be from 1 to 3650'],
      [{ afterDays: '3' }, 'reentry/afterDays: must be a whole number'],
    ] as const)
      expect(refusal(await client.patch(`/automations/${id}`, { reentry: value })).details).to.equal(details);
    expect((await client.get(`/automations/${id}`)).body.data.reentry).to.deep.equal({ afterDays: 30 });
  });

  it('lets people in again as it says, in the run as in the simulation', async () => {
    const { client } = env.own;
    const kinds = { once: 'once', again: 'after_exit', later: { afterDays: 2 }, omitted: undefined };
    const ids: Record<string, string> = {};
    for (const [name, reentry] of Object.entries(kinds))
      ids[name] = (await activeAutomation(client, { ...short, reentry })).id;
    const body = { eventName: 'bought', email: 'again@example.com' };
    const from = env.clock.now();
    const events: object[] = [];
    for (const days of [0, 1, 3]) {
      env.clock.set(new Date(from.getTime() + days * DAY + 60_000));
      events.push({ at: env.clock.now().toISOString(), eventName: 'bought' });
      await created(client, '/events/send', body);
      await follow();
    }
    const expected = {
      once: ['entered', 'entered_before', 'entered_before'],
      again: ['entered', 'entered', 'entered'],
      later: ['entered', 'too_early', 'entered'],
      omitted: ['entered', 'entered', 'entered'],
    };
    for (const [name, outcomes] of Object.entries(expected)) {
      const id = ids[name] as string;
      expect(await outcomesOf(id), name).to.deep.equal(outcomes);
      const { data } = (await client.post(`/automations/${id}/simulate`, { from: from.toISOString(), events })).body;
      const refused = outcomes.filter((one) => one !== 'entered');
      expect(data.entries.length, name).to.equal(3 - refused.length);
      expect(data.skipped.map(({ reason }: { reason: string }) => reason)).to.deep.equal(refused);
    }
  });

  it('once counts entries from before it was set', async () => {
    const { client } = env.own;
    const { id } = await activeAutomation(client, short);
    const body = { eventName: 'bought', email: 'before@example.com' };
    await created(client, '/events/send', body);
    await follow();
    await client.post(`/automations/${id}/pause`);
    expect((await client.patch(`/automations/${id}`, { reentry: 'once' })).status).to.equal(200);
    await client.post(`/automations/${id}/resume`);
    await created(client, '/events/send', body);
    await follow();
    expect(await outcomesOf(id)).to.deep.equal(['entered', 'entered_before']);
  });

  it('lets in once who comes by two triggers at the same moment in two processes, though the first steps end it', async () => {
    const people = await newContacts(env, 30);
    const cores = [openCore(env.deps), openCore(env.deps)];
    for (const reentry of [{ afterDays: 1 }, 'once'] as const) {
      const { id } = await activeAutomation(env.own.client, { ...short, reentry });
      const automationId = new ObjectId(String(id));
      const automation = (await env.deps.db.automations.findOne({ _id: automationId }))!;
      const entries = () =>
        people.map((contact) => ({ _id: new ObjectId(), contact, event: null, reason: 'event bought' }));
      const both = await Promise.all(cores.map((deps) => enterTogether(deps, automation, entries())));
      const outcomes = people.map((_, index) => both.filter((one) => one[index] === 'entered').length);
      expect(outcomes).to.deep.equal(people.map(() => 1));
      expect(await env.deps.db.enrollments.countDocuments({ automationId, status: 'completed' })).to.equal(30);
      expect(await env.deps.db.messages.countDocuments({ automationId })).to.equal(30);
    }
  });
});
