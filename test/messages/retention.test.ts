import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import type { EventRecord } from '../../core/automations/model/event.ts';
import type { CampaignStatus } from '../../core/campaigns/model.ts';
import type { Message } from '../../core/mail/ledger/model.ts';
import type { MessageState } from '../../core/mail/ledger/states.ts';
import { removeOld, takeRetentionTurn } from '../../core/retention.ts';
import { retentionService } from '../../workers/retention.ts';
import { type Environment, startEnvironment } from '../support/environment.ts';

const DAY_MS = 24 * 3_600_000;

describe('Messages and events', () => {
  let environment: Environment;
  beforeEach(async () => {
    environment = await startEnvironment({ RETENTION_DAYS: '30' });
  });
  afterEach(() => environment.stop());

  const db = () => environment.deps.db;
  const projectId = () => environment.own.project._id;
  let counter = 0;
  const idOf = (days: number) => {
    counter += 1;
    const seconds = Math.floor((environment.clock.now().getTime() - days * DAY_MS) / 1_000);
    return new ObjectId(seconds.toString(16).padStart(8, '0') + counter.toString(16).padStart(16, '0'));
  };
  async function message(days: number, state: MessageState, fields: Partial<Message> = {}): Promise<ObjectId> {
    const _id = idOf(days);
    const row: Message = { _id, projectId: projectId(), lane: 'transactional', state, email: `m${counter}@in.test` };
    await db().messages.insertOne({ ...row, ...fields });
    return _id;
  }
  const left = async (ids: ObjectId[]) => {
    const found = await db()
      .messages.find({ _id: { $in: ids }, projectId: projectId() })
      .toArray();
    return ids.map((id) => found.some(({ _id }) => _id.equals(id)));
  };

  it('go after RETENTION_DAYS, with what people did with them; younger ones and those that may still be sent stay', async () => {
    const old = await Promise.all(
      (['sent', 'bounced', 'failed', 'unknown', 'suppressed', 'cancelled'] as const).map((s) => message(31, s)),
    );
    const kept = [
      ...(await Promise.all((['queued', 'deferred', 'committing', 'scheduled'] as const).map((s) => message(31, s)))),
      await message(29, 'sent'),
      await message(31, 'sent', { scheduledAt: new Date(environment.clock.now().getTime() - 29 * DAY_MS) }),
    ];
    await db().engagements.insertMany([old[0]!, kept[4]!].map((_id) => ({ _id, projectId: projectId() })));
    const event = (days: number, fields: Partial<EventRecord> = {}) => {
      const _id = idOf(days);
      const row = { _id, projectId: projectId(), eventName: 'seen', contactId: new ObjectId(), properties: {} };
      return { ...row, createdAt: _id.getTimestamp(), ...fields };
    };
    const events = [event(31), event(29), event(31, { dueAt: new Date(0) })];
    await db().events.insertMany(events);

    expect(await removeOld(environment.deps)).to.deep.equal({ messages: 6, events: 1 });
    expect(await left(old)).to.deep.equal(old.map(() => false));
    expect(await left(kept)).to.deep.equal(kept.map(() => true));
    expect((await db().engagements.find({ projectId: projectId() }).toArray()).map(({ _id }) => _id)).to.deep.equal([
      kept[4],
    ]);
    expect((await db().events.find({ projectId: projectId() }).toArray()).map(({ _id }) => `${_id}`)).to.have.members(
      [events[1]!, events[2]!].map(({ _id }) => `${_id}`),
    );
    expect(await removeOld(environment.deps)).to.deep.equal({ messages: 0, events: 0 });
  });

  it('of a campaign stay until it is over, and its numbers stay when they go', async () => {
    const { client } = environment.own;
    const fields = { subject: 'x', htmlTemplate: '<p>x</p>', from: { email: 'news@mail.example.com' } };
    const campaigns = await Promise.all(
      (['sent', 'paused'] as const).map(async (status: CampaignStatus) => {
        const { body } = await client.post('/campaigns', { ...fields, name: status, publish: false });
        const _id = new ObjectId(body.data.id as string);
        await db().campaigns.updateOne(
          { _id, projectId: projectId() },
          {
            $set: {
              status,
              freeze: { at: idOf(31).getTimestamp(), written: 1, isDone: true, frozen: null },
              'counts.totalContacts': 1,
              'counts.sent': 1,
              refreshedAt: new Date(),
            },
          },
        );
        return _id;
      }),
    );
    const ids = await Promise.all(
      campaigns.map((campaignId) => message(31, 'sent', { lane: 'campaign', campaignId, seq: 1 })),
    );
    expect(await removeOld(environment.deps)).to.deep.equal({ messages: 1, events: 0 });
    expect(await left(ids)).to.deep.equal([false, true]);
    const { body } = await client.get(`/campaigns/${campaigns[0]}`);
    expect(body.data.metrics).to.deep.include({ totalContacts: 1, sent: 1 });
  });

  it('that wait for a campaign go when it is over or deleted, and its numbers stay; one that is claimed stays', async () => {
    const { client } = environment.own;
    const fields = { subject: 'x', htmlTemplate: '<p>x</p>', from: { email: 'news@mail.example.com' } };
    const freeze = { at: idOf(31).getTimestamp(), written: 3, isDone: true, frozen: null };
    const campaign = async (status: CampaignStatus) => {
      const { body } = await client.post('/campaigns', { ...fields, name: status, publish: false });
      const own = { _id: new ObjectId(body.data.id as string), projectId: projectId() };
      const counts = { 'counts.totalContacts': 3, 'counts.pending': 3 };
      await db().campaigns.updateOne(own, { $set: { status, freeze, ...counts } });
      return own._id;
    };
    const waiting = (campaignId: ObjectId) =>
      Promise.all(
        (['queued', 'deferred', 'committing'] as const).map((state, index) =>
          message(31, state, { lane: 'campaign', campaignId, seq: index + 1 }),
        ),
      );
    const aborted = await campaign('aborted');
    const over = [await waiting(aborted), await waiting(await campaign('sent')), await waiting(new ObjectId())];
    const open = [await waiting(await campaign('paused')), await waiting(await campaign('sending'))];
    expect(await removeOld(environment.deps)).to.deep.equal({ messages: 6, events: 0 });
    for (const ids of over) expect(await left(ids)).to.deep.equal([false, false, true]);
    for (const ids of open) expect(await left(ids)).to.deep.equal([true, true, true]);
    await client.get(`/campaigns/${aborted}/progress`);
    const { metrics } = (await client.get(`/campaigns/${aborted}`)).body.data;
    expect(metrics).to.deep.include({ totalContacts: 3, pending: 3 });
  });

  it('of a campaign that is retried less than an hour before they may be removed, or later: 409, and its numbers stay', async () => {
    const { client } = environment.own;
    const fields = { subject: 'x', htmlTemplate: '<p>x</p>', from: { email: 'news@mail.example.com' } };
    const created = await client.post('/campaigns', { ...fields, name: 'Retried', publish: false });
    const _id = new ObjectId(created.body.data.id as string);
    const frozenHoursAgo = async (hours: number) => {
      const at = new Date(environment.clock.now().getTime() - hours * 3_600_000);
      const freeze = { at, written: 2, isDone: true, frozen: null };
      const counts = { 'counts.totalContacts': 2, 'counts.sent': 1, 'counts.failed': 1, 'counts.opened': 1 };
      await db().campaigns.updateOne({ _id, projectId: projectId() }, { $set: { status: 'sent', freeze, ...counts } });
    };
    const retry = () => client.post(`/campaigns/${_id}/retry`, { states: ['failed'] });
    for (const hours of [31 * 24, 30 * 24 - 0.9]) {
      await frozenHoursAgo(hours);
      await removeOld(environment.deps);
      const { status, body } = await retry();
      expect([status, body.error?.code]).to.deep.equal([409, 'INVALID_STATE']);
      expect(body.error.message).to.contain('kept until');
      const { data } = (await client.get(`/campaigns/${_id}`)).body;
      expect(data.status).to.equal('sent');
      expect(data.metrics).to.deep.include({ totalContacts: 2, sent: 1, opened: 1 });
    }
    await frozenHoursAgo(30 * 24 - 1.1);
    expect((await retry()).body.data.status).to.equal('sending');
  });

  it('are removed by one process a night, and by the next one when it was stopped before its end', async () => {
    const { deps, clock } = environment;
    const ids = await Promise.all(Array.from({ length: 3 }, () => message(31, 'sent')));
    expect(await takeRetentionTurn(deps, () => true), 'not before the night').to.equal(null);
    clock.advance(DAY_MS);
    expect(await takeRetentionTurn(deps, () => false)).to.deep.equal({ messages: 0, events: 0 });
    expect(await left(ids)).to.deep.equal([true, true, true]);
    const turns = await Promise.all([1, 2].map(() => takeRetentionTurn(deps, () => true)));
    expect(turns.filter((turn) => turn !== null)).to.deep.equal([{ messages: 3, events: 0 }]);
    expect(await takeRetentionTurn(deps, () => true)).to.equal(null);
  });

  it('may be kept for less than 60 days, with a warning in the log when the process starts', async () => {
    const { deps } = environment;
    const warned = async (retentionDays: number) => {
      const warnings: string[] = [];
      const log = { ...deps.log, warn: (_fields: object, message: string) => void warnings.push(message) };
      await retentionService({ ...deps, log, config: { ...deps.config, retentionDays } }).stop();
      return warnings;
    };
    expect(await warned(60)).to.deep.equal([]);
    const [warning, ...more] = await warned(59);
    expect(warning).to.contain('RETENTION_DAYS is less than 60');
    expect(more).to.deep.equal([]);
  });
});
