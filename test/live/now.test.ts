import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { PAUSED_BY_CALL } from '../../core/campaigns/control.ts';
import type { ProcessReport } from '../../core/figures/live/model.ts';
import { connectionsOf, relayOutage, relaysOf } from '../../core/figures/live/relay.ts';
import { countProject } from '../../core/figures/reports/counting/count.ts';
import { writeSignals } from '../../core/mail/feedback/engagements.ts';
import type { Message } from '../../core/mail/ledger/model.ts';
import { noteEngaged, noteOutcomes } from '../../core/mail/ledger/rates/note.ts';
import { BROWSER, bareCampaign, sentMessage } from '../feedback/support.ts';
import { claimedBlock } from '../outbox/blocks.ts';
import { type Tenant, useEnvironment } from '../support/environment.ts';
import { profiled } from '../support/profile.ts';
import { until } from '../support/wait.ts';

describe('GET /reports/now', () => {
  const environment = useEnvironment();
  let tenant: Tenant;
  let projectId: ObjectId;

  beforeEach(async () => {
    tenant = await environment.newTenant('Now');
    projectId = tenant.project._id;
    await until(async () => environment.deps.signals.isUp(), Boolean);
  });

  const now = async (query = '', who = tenant) => {
    const { status, body, text } = await who.client.get(`/reports/now${query}`);
    expect(status, text).to.equal(200);
    return body.data;
  };
  const queued = (count: number, fields: Partial<Message>) =>
    environment.deps.db.messages.insertMany(
      Array.from({ length: count }, (): Message => {
        const base = { _id: new ObjectId(), projectId, state: 'queued' as const, email: 'a@example.org' };
        const at = new Date(Date.now() - 30_000);
        return { ...base, lane: 'transactional', createdAt: at, dueAt: new Date(at.getTime() - 60_000), ...fields };
      }),
    );

  it('has nothing of a new project, with every hour of its day', async () => {
    const data = await now('?timezone=America/New_York');
    expect(data.attention).to.deep.equal([]);
    expect(data.campaigns).to.deep.equal([]);
    expect(data.today.timezone).to.equal('America/New_York');
    expect(data.today.hours.length).to.be.within(23, 25);
    expect(data.today.hours[0].from).to.equal(data.today.from);
    expect(data.today.hours.at(-1).to).to.equal(data.today.to);
    expect(data.rates.points).to.have.length.within(179, 181);
    expect(data.lanes).to.deep.equal(
      ['transactional', 'automation', 'campaign'].map((lane) => ({
        ...{ lane, waiting: 0, isExact: true, inFlight: 0, oldestSeconds: null },
        ...{ ratePerSecond: 0, acceptedToRelayP95Ms: null },
      })),
    );
    expect(data.relay).to.include({ state: 'unknown', host: null, connections: null, sentLastHour: 0 });
    expect((await tenant.client.get('/reports/now?timezone=Mars/Base')).status).to.equal(400);
  });

  it('counts the outcomes of today in the hours of the zone, and those of no other day', async () => {
    const { deps } = environment;
    const data = await now('?timezone=Asia/Kathmandu');
    const midnight = new Date(data.today.from);
    const first = new Date(midnight.getTime() + 60_000);
    const before = new Date(midnight.getTime() - 60_000);
    const mail = {
      lane: 'automation' as const,
      counted: { isNew: true as const, deferred: 0 },
      countDueAt: new Date(0),
    };
    for (const at of [first, before])
      await sentMessage(environment, tenant, { ...mail, createdAt: at, sentAt: at, endedAt: at });
    const opened = await sentMessage(environment, tenant, { ...mail, createdAt: first, sentAt: first, endedAt: first });
    const seen = { projectId, messageId: opened._id, agent: BROWSER, purpose: '', method: 'GET' };
    await writeSignals(deps, [{ ...seen, kind: 'open', at: first }]);
    await countProject(deps, projectId);
    const counts = { accepted: 2, sent: 2, delivered: 2, opened: 1, bounced: 0, complained: 0, clicked: 0 };
    // Kept for a moment, so that watchers cost little.
    const { today } = await until(
      () => now('?timezone=Asia/Kathmandu'),
      (answer) => answer.today.accepted > 0,
    );
    expect(today).to.include(counts);
    expect(today.hours[0]).to.include({ from: midnight.toISOString(), ...counts });
    expect(today.hours[1]).to.include({ accepted: 0, sent: 0 });
  });

  it('has the mail that waits in each lane, what is in flight, and for how long the first has waited', async () => {
    const later = new Date(Date.now() + 3_600_000);
    await queued(3, {});
    await queued(2, { lane: 'automation', dueAt: later, state: 'deferred' });
    await queued(4, { lane: 'automation', state: 'committing', dueAt: new Date(Date.now() + 20_000) });
    const block = await claimedBlock({ ...environment, own: tenant }, { to: 5 });
    await environment.deps.db.messages.insertMany([block.row(0), block.row(1)]);
    const { lanes, campaigns } = await now();
    const [transactional, automation, campaign] = lanes;
    expect(transactional).to.include({ waiting: 3, inFlight: 0, isExact: true });
    expect(transactional.oldestSeconds).to.be.within(29, 60);
    expect(automation).to.include({ waiting: 2, inFlight: 4, oldestSeconds: null });
    expect(campaign).to.include({ waiting: 3, inFlight: 3 });
    expect(campaign.oldestSeconds).to.be.within(59, 90);
    expect(campaigns).to.have.length(1);
    expect(campaigns[0]).to.include({
      id: block.campaign._id.toHexString(),
      total: 8,
      sent: 2,
      pending: 6,
      percent: 25,
    });
  });

  it('has the rates of each lane and the times of the relay, of every process that sends', async () => {
    const { deps } = environment;
    const campaignId = new ObjectId();
    const createdAt = new Date(Date.now() - 2_000);
    const ended = (lane: 'transactional' | 'campaign', kind: string, count: number, answeredMs: number) =>
      Array.from({ length: count }, () => ({
        held: {
          projectId,
          answeredMs,
          about: { lane, email: '', createdAt, ...(lane === 'campaign' ? { campaignId } : {}) },
        },
        outcome: { kind },
      }));
    noteOutcomes(deps, [
      ...ended('transactional', 'sent', 18, 40),
      ...ended('transactional', 'sent', 2, 900),
      ...ended('transactional', 'deferred', 7, 5),
      ...ended('campaign', 'bounced', 3, 40),
    ] as never);
    noteEngaged(deps, { projectId, campaignId }, 'opened');
    const data = await until(
      () => now(),
      ({ lanes }) => lanes[0].ratePerSecond > 0,
    );
    expect(data.lanes[0].ratePerSecond).to.be.within(2, 4);
    expect(data.lanes[0].acceptedToRelayP95Ms).to.be.within(2_000, 2_400);
    expect(data.relay.answerP95Ms).to.be.within(850, 960);
    const sum = async () => {
      const { points } = (await now()).rates;
      return points.reduce(
        (all: number, point: Record<string, number>) => all + point.transactional! + point.campaign!,
        0,
      );
    };
    await until(sum, (all) => all === 23, { ms: 20_000 });
    await bareCampaign(environment, tenant, { _id: campaignId } as never);
    const { body } = await tenant.client.get(`/campaigns/${campaignId}/rates`);
    const total = (name: string) =>
      body.data.points.reduce((all: number, point: Record<string, number>) => all + point[name]!, 0);
    expect([total('sent'), total('opened'), total('clicked')]).to.deep.equal([3, 1, 0]);
    expect((await now('', environment.other)).lanes[0].ratePerSecond).to.equal(0);
  });

  it('names each thing that needs attention, with its sentence, since when, and how many people wait', async () => {
    const { deps, clock } = environment;
    const at = new Date(clock.now().getTime() - 600_000);
    const breach = '60 of 1000 sent were bounced (6 %), above the 5 % of the balanced preset';
    const frozen = { freeze: { at, isDone: true, written: 0, frozen: null } };
    const paused = await bareCampaign(environment, tenant, {
      ...{ name: 'Spain', status: 'paused', pausedReason: breach, pausedAt: at, ...frozen },
    } as never);
    await bareCampaign(environment, tenant, {
      ...{ name: 'By hand', status: 'paused', pausedReason: PAUSED_BY_CALL, pausedAt: at, ...frozen },
    } as never);
    await queued(7, { lane: 'campaign', campaignId: paused._id, seq: 1 });
    const hook = (
      await tenant.client.post('/webhooks', { url: 'https://hooks.example.com/x?key=1', events: ['email.sent'] })
    ).body.data;
    const webhookId = new ObjectId(hook.id as string);
    await deps.db.webhooks.updateOne({ _id: webhookId, projectId }, { $set: { failingSince: at } });
    const tries = [{ at, status: 503, error: null, tookMs: 3 }];
    const next = new Date(clock.now().getTime() + 60_000);
    const delivery = {
      projectId,
      webhookId,
      eventId: new ObjectId(),
      type: 'email.sent',
      attempts: 1,
      isReplay: false,
    };
    const times = { firstTryAt: at, createdAt: at, endedAt: null };
    await deps.db.webhookDeliveries.insertMany([
      { _id: new ObjectId(), ...delivery, ...times, status: 'pending', tries, dueAt: next },
      { _id: new ObjectId(), ...delivery, ...times, status: 'delivered', tries },
    ]);
    const phases = [{ name: 'contacts', total: 500, succeeded: 100, failed: 3, skipped: 0 }];
    const held = { status: 'needs_attention', attention: 'The key was refused (401).', phase: 'contacts', phases };
    const migration = { _id: new ObjectId(), projectId, provider: 'providerA', updatedAt: at, ...held };
    await deps.db.migrations.insertOne(migration as never);
    const domain = (await tenant.client.post('/domains', { domainName: 'lost.example.com' })).body.data;
    await deps.db.domains.updateOne(
      { _id: new ObjectId(domain.id as string), projectId },
      { $set: { verificationStatus: 'VERIFIED', lostSince: { dmarc: at } } },
    );
    await deps.db.reportStates.insertOne({
      ...{ _id: projectId, projectId, count: 0, turns: 0 },
      standings: [{ domain: 'bad.example.com', isWarned: true, warnedAt: at }],
    });
    const { attention } = await now();
    const byKind = new Map<string, Record<string, unknown>>(
      attention.map((one: Record<string, unknown>) => [one.kind as string, one]),
    );
    expect(attention).to.have.length(5);
    for (const { since } of attention) expect(since).to.equal(at.toISOString());
    expect(byKind.get('campaign')).to.include({ id: paused._id.toHexString(), name: 'Spain', count: 7 });
    expect(byKind.get('campaign')?.sentence).to.equal(`Paused: ${breach}`);
    expect(byKind.get('webhook')).to.include({ id: hook.id, name: 'hooks.example.com', count: 1 });
    expect(byKind.get('webhook')?.sentence).to.contain('503').and.contain(next.toISOString());
    expect(byKind.get('migration')).to.include({
      name: 'providerA',
      count: 397,
      sentence: 'The key was refused (401).',
    });
    expect(byKind.get('domain')).to.include({ id: domain.id, name: 'lost.example.com' });
    expect(byKind.get('domain')?.sentence).to.contain('DMARC');
    expect(byKind.get('reputation')).to.include({ name: 'bad.example.com' });
    expect((await now('', environment.other)).attention).to.deep.equal([]);
  });

  it('shows host and connections of the relay to an organization that is alone, and whether it answers to all', async () => {
    const { deps } = environment;
    const since = new Date(Date.now() - 5_000);
    const relay = {
      ...{ relay: 'default' as const, host: 'relay.example:587', priority: 0, weight: 1, delivered: 20 },
      ...{ connectionsOpen: 3, connectionsMax: 8 },
    };
    const report = (fields: Partial<ProcessReport['relays'][number]>): ProcessReport => ({
      ...{ _id: new ObjectId().toHexString(), roles: ['mail'], version: '1', startedAt: since },
      // The processes that a test before has read are kept for a hundred times as long as that took.
      seenAt: new Date(Date.now() + 60_000),
      ...{ memoryBytes: 1, jobs: 0, held: 0, unwritten: 0 },
      relays: [{ ...relay, isAnswering: true, notAnsweringSince: null, reason: null, ...fields }],
    });
    const down = { isAnswering: false, notAnsweringSince: since, reason: 'refused' };
    const share = { name: 'connections default', unit: 'connections' as const, budget: 64, inUse: 3, wanted: 12 };
    await deps.db.processes.insertMany([
      { ...report({}), budgets: [{ ...share, share: 40, mode: 'shared' }] },
      { ...report(down), budgets: [{ ...share, share: 12, mode: 'divided' }] },
      { ...report({}), seenAt: new Date(Date.now() - 20_000) },
    ]);
    const shown = await until(
      () => now(),
      (data) => data.relay.state === 'not_answering',
    );
    expect(shown.relay).to.include({
      notAnsweringSince: since.toISOString(),
      host: null,
      connections: null,
      reason: null,
    });
    expect(shown.attention.map(({ kind }: { kind: string }) => kind)).to.deep.equal(['relay']);
    const health = await tenant.client.get('/reports/health');
    expect(health.status, health.text).to.equal(200);
    expect(health.body.data).to.include({ processes: null, relays: null, budgets: null });
    const { insertedIds } = await queued(1, {});
    const { insertedIds: ended } = await queued(1, { state: 'sent', sentAt: new Date() });
    const waiting = async (ids: Record<number, ObjectId>) => {
      const { status, body, text } = await tenant.client.get(`/emails/${ids[0]}`);
      expect(status, text).to.equal(200);
      return body.data.timeline.filter(({ type }: { type: string }) => type === 'waiting');
    };
    const line = { type: 'waiting', at: since.toISOString() };
    const words = `The relay has not answered since ${since.toISOString()}`;
    expect(await waiting(insertedIds)).to.deep.equal([{ ...line, reason: `${words}.` }]);
    expect(await waiting(ended)).to.deep.equal([]);
    const others = await deps.db.organizations.find({ _id: { $ne: tenant.organization._id } }).toArray();
    await deps.db.organizations.deleteMany({ _id: { $in: others.map(({ _id }) => _id) } });
    try {
      expect((await now()).relay).to.deep.include({
        ...{ host: 'relay.example:587', connections: { used: 6, allowed: 64 }, reason: 'refused' },
      });
      expect(await waiting(insertedIds)).to.deep.equal([{ ...line, reason: `${words}: refused` }]);
      const { body } = await tenant.client.get('/reports/health');
      expect(body.data.processes).to.have.length(2);
      expect(body.data).to.include({ mongodb: 'up', redis: 'up' });
      expect(body.data.relays).to.deep.equal([
        {
          ...{ route: 'default', host: 'relay.example:587', priority: 0, weight: 1, state: 'not_answering' },
          ...{ notAnsweringSince: since.toISOString(), reason: 'refused', connections: 6, taken: 40 },
        },
      ]);
      const [{ processes, ...budget }] = body.data.budgets;
      expect(budget).to.deep.equal({
        ...{ name: 'connections default', unit: 'connections', budget: 64 },
        ...{ shared: 52, inUse: 6, wanted: 24, mode: 'divided' },
      });
      expect(processes.map((one: { share: number }) => one.share)).to.have.members([40, 12]);
    } finally {
      await deps.db.organizations.insertMany(others);
      await deps.db.processes.deleteMany({});
    }
  });

  it('calls several relays answering while one of them does, and shares their connections', () => {
    const at = (second: number) => new Date(second * 1_000);
    const up = {
      ...{ relay: 'default' as const, host: 'a:25', priority: 0, weight: 3, isAnswering: true, reason: null },
      ...{ notAnsweringSince: null, connectionsOpen: 4, connectionsMax: 8, delivered: 30 },
    };
    const down = { ...up, host: 'b:25', weight: 1, isAnswering: false, reason: '421 bye', notAnsweringSince: at(7) };
    const one = { relays: [up, { ...down, connectionsOpen: 1, delivered: 10 }] };
    const other = { relays: [up, { ...up, host: 'b:25', weight: 1 }] };
    expect(connectionsOf([one, other])).to.deep.equal({ used: 13, allowed: 16 });
    const shown = relaysOf([one, other]);
    expect(shown.map(({ host, weight, state, taken }) => [host, weight, state, taken])).to.deep.equal([
      ['a:25', 3, 'answering', 60],
      ['b:25', 1, 'not_answering', 40],
    ]);
    expect(shown[1]).to.include({ reason: '421 bye', connections: 5 });
    expect(relayOutage([one, other])).to.equal(null);
    const later = { ...up, isAnswering: false, notAnsweringSince: at(9), reason: 'refused' };
    expect(relayOutage([other, { relays: [later, down] }])).to.include({ host: 'a:25', reason: 'refused' });
    const ofReceipts = { ...down, relay: 'transactional' as const };
    expect(relayOutage([{ relays: [up, ofReceipts] }]), 'the other route works').to.include({ host: 'b:25' });
  });

  it('reads every part by an index, and no document of the ledger for each mail', async () => {
    const { deps } = environment;
    await queued(300, {});
    await queued(40, { lane: 'campaign', state: 'sent', campaignId: new ObjectId(), seq: 1 });
    const profile = await profiled(deps, () => now());
    const reads = profile.filter(({ op, ns }) => op === 'query' || (op === 'command' && !ns.endsWith('$cmd')));
    expect(reads.length).to.be.greaterThan(8);
    for (const { planSummary = '', docsExamined = 0, ns } of reads) {
      expect(planSummary, ns).to.not.contain('COLLSCAN');
      expect(docsExamined, `${ns} ${planSummary}`).to.be.below(20);
    }
  });
});

describe('GET /reports/health', () => {
  const environment = useEnvironment();

  it('counts the jobs of the project that are due, and says for how long', async () => {
    const { deps, own, other } = environment;
    const dueAt = new Date(Date.now() - 90_000);
    const event = { eventName: 'x', contactId: new ObjectId(), properties: {}, createdAt: dueAt };
    const rows = [own, own, other].map(({ project }) => ({
      _id: new ObjectId(),
      projectId: project._id,
      ...event,
      dueAt,
    }));
    await deps.db.events.insertMany(rows);
    const { status, body, text } = await own.client.get('/reports/health');
    expect(status, text).to.equal(200);
    const jobs = new Map<string, Record<string, unknown>>(
      body.data.jobs.map((one: Record<string, unknown>) => [one.name as string, one]),
    );
    expect(jobs.get('automation events')).to.include({ waiting: 2, isExact: true });
    expect(jobs.get('automation events')?.oldestSeconds).to.be.within(89, 120);
    expect(jobs.get('imports')).to.include({ waiting: 0, oldestSeconds: null });
    expect(body.data.version).to.match(/^\d+\.\d+\.\d+/);
  });
});
