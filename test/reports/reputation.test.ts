import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { ensureState } from '../../core/figures/reports/state.ts';
import { reputationWarnings } from '../../core/figures/reports/warnings.ts';
import { startQueues, wakeQueue } from '../../core/jobs/queue.ts';
import { providerOf } from '../../core/mail/ledger/counting/mailbox-providers.ts';
import { QUARTER_MS, quarterOf } from '../../core/mail/ledger/counting/tally.ts';
import { type Tenant, useEnvironment } from '../support/environment.ts';
import { until } from '../support/wait.ts';
import { countHappened, type Happened } from './support.ts';

const HOUR_MS = 3_600_000;

describe('Mailbox providers and reputation', function () {
  this.timeout(120_000);
  const environment = useEnvironment();
  let tenant: Tenant;

  beforeEach(async () => {
    environment.clock.set(new Date());
    tenant = await environment.newTenant('Judged');
    await ensureState(environment.deps, tenant.project._id);
  });

  const happened = (given: Happened) => countHappened(environment, tenant, given);

  const reputation = async () => (await tenant.client.get('/reports/reputation')).body.data;
  const due = async () => {
    await environment.deps.db.reportStates.updateOne(
      { _id: tenant.project._id, projectId: tenant.project._id },
      { $set: { reputationDueAt: new Date(Date.now() - 1_000) } },
    );
    wakeQueue(environment.deps, 'reputation', tenant.project._id);
  };
  const standings = async () =>
    (await environment.deps.db.reportStates.findOne({ _id: tenant.project._id, projectId: tenant.project._id }))
      ?.standings;

  it('finds the provider by the domain of the recipient', () => {
    const found = [
      'a@gmail.com',
      'b@outlook.de',
      'c@aol.com',
      'd@icloud.com',
      'e@web.de',
      'f@gmx.net',
      'g@example.org',
      '',
    ].map(providerOf);
    expect(found).to.deep.equal(['google', 'microsoft', 'yahoo', 'apple', 'gmx-webde', 'gmx-webde', 'other', 'other']);
  });

  it('has outcomes, rates and the most frequent replies of each provider, most mail first', async () => {
    await happened({ email: 'x@web.de', sent: 10, bounced: 2, opened: 4 });
    await happened({
      sent: 40,
      opened: 10,
      complained: 1,
      deferred: ['try later john.doe', 'try later', 'call 5551234567'],
      email: 'john.doe@gmail.com',
    });
    await happened({ sent: 5, email: 'x@web.de', hoursAgo: 24 * 8 });
    const { status, body } = await tenant.client.get('/reports/providers');
    expect(status).to.equal(200);
    const [google, webde] = body.data.providers;
    expect(body.data.providers).to.have.length(2);
    expect(google).to.deep.include({
      id: 'google',
      name: 'Google',
      sent: 40,
      openRate: 25,
      complaintRate: 2.5,
      deferred: 3,
    });
    expect(google.deferralReplies).to.have.length(1);
    expect(google.deferralReplies[0]).to.deep.include({ reply: '421 4.7.0', count: 3 });
    expect(google.deferralReplies[0].text).to.not.match(/john|555/);
    expect(webde).to.deep.include({
      id: 'gmx-webde',
      sent: 10,
      delivered: 8,
      bounced: 2,
      openRate: 50,
      bounceRate: 20,
    });
    const refused = await tenant.client.get('/reports/providers?from=2023-01-01T00:00:00Z&to=2026-01-01T00:00:00Z');
    expect([refused.status, refused.body.error.details]).to.deep.equal([
      400,
      'from: must be 31 days before to at most',
    ]);
  });

  it('has the outcomes of one campaign by provider, as long ago as two years', async () => {
    const campaignId = new ObjectId().toHexString();
    await happened({ campaignId, sent: 40, opened: 10 });
    await happened({ campaignId, email: 'x@web.de', sent: 10, bounced: 2, hoursAgo: 24 * 90 });
    await happened({ campaignId: new ObjectId().toHexString(), sent: 7 });
    await happened({ sent: 5, deferred: ['try later'] });
    const next = quarterOf(new Date(environment.clock.now().getTime() - HOUR_MS)).getTime() + QUARTER_MS;
    const sentSince = async (ms: number) => {
      const path = `/reports/providers?campaignId=${campaignId}&from=${new Date(ms).toISOString()}`;
      const { providers } = (await tenant.client.get(path)).body.data;
      return providers.map(({ sent }: { sent: number }) => sent);
    };
    expect([await sentSince(next - 1), await sentSince(next)], 'the quarter of an hour that has from').to.deep.equal([
      [40],
      [],
    ]);
    const from = new Date(environment.clock.now().getTime() - 100 * 24 * HOUR_MS).toISOString();
    const ask = async (id: string) =>
      (await tenant.client.get(`/reports/providers?campaignId=${id}&from=${from}`)).body;
    const { data } = await ask(campaignId);
    expect(
      data.providers.map(({ id, sent, bounced }: { id: string; sent: number; bounced: number }) => [id, sent, bounced]),
    ).to.deep.equal([
      ['google', 40, 0],
      ['gmx-webde', 10, 2],
    ]);
    expect(data.providers[0]).to.deep.include({ openRate: 25, deferralReplies: [] });
    const { client } = await environment.newTenant('Neighbour');
    const [foreign, unknown] = [campaignId, new ObjectId().toHexString()].map((id) =>
      client.get(`/reports/providers?campaignId=${id}`),
    );
    expect((await foreign)?.body.data.providers)
      .to.deep.equal((await unknown)?.body.data.providers)
      .and.to.deep.equal([]);
    const refused = await ask('nobody');
    expect(refused.error.details).to.contain('campaignId: ');
    const [google] = (await tenant.client.get('/reports/providers')).body.data.providers;
    expect(google.sent).to.equal(52);
  });

  it('judges sending domains from 100 mails on, in 24 hours and in 7 days', async () => {
    await happened({ sent: 99, complained: 9 });
    const few = await reputation();
    expect([few.project.status, few.domains[0].status]).to.deep.equal(['few', 'few']);
    await happened({ sent: 1 });
    expect((await reputation()).domains[0]).to.deep.include({ domain: 'news.example.com', status: 'over' });
    await happened({ domain: 'b.example.com', sent: 1_000, complained: 1 });
    await happened({ domain: 'c.example.com', sent: 1_000, bounced: 19 });
    await happened({ domain: 'd.example.com', sent: 1_000, bounced: 20, hoursAgo: 30 });
    const { domains, limits, note } = await reputation();
    const byDomain = new Map(domains.map((one: { domain: string; status: string }) => [one.domain, one]));
    const statusOf = (name: string) => (byDomain.get(name) as { status: string }).status;
    expect(['b', 'c', 'd'].map((name) => statusOf(`${name}.example.com`))).to.deep.equal(['warning', 'good', 'over']);
    expect(byDomain.get('d.example.com')).to.deep.nested.include({
      'last24Hours.status': 'few',
      'last7Days.bounceRate': 2,
    });
    expect(limits).to.deep.equal({ complaintWarning: 0.1, complaintLimit: 0.3, bounceLimit: 2 });
    expect(note).to.contain('Google sends none');
  });

  it('publishes a warning and the recovery, each at most once in 24 hours, by the job', async () => {
    const { deps, clock } = environment;
    const hook = await tenant.client.post('/webhooks', {
      url: 'https://hooks.example.com/',
      events: ['reputation.warning', 'reputation.recovered'],
    });
    expect(hook.status).to.equal(201);
    const events = async () =>
      (await deps.db.projectEvents.find({ projectId: tenant.project._id }).sort({ createdAt: 1 }).toArray()).map(
        ({ type, data }) => [type, data.domain],
      );
    const queues = startQueues(deps, [reputationWarnings(deps)]);
    const judgedAgain = async () => {
      await due();
      await until(
        () => deps.db.reportStates.findOne({ _id: tenant.project._id, projectId: tenant.project._id }),
        (state) => !state?.reputationDueAt || state.reputationDueAt.getTime() > Date.now() + 60_000,
      );
    };
    try {
      await happened({ domain: 'small.example.com', sent: 50, bounced: 50 });
      await happened({ sent: 1_000, complained: 4 });
      await judgedAgain();
      await judgedAgain();
      expect(await events()).to.deep.equal([['reputation.warning', 'news.example.com']]);
      await happened({ sent: 9_000 });
      await judgedAgain();
      expect((await events()).slice(1)).to.deep.equal([['reputation.recovered', 'news.example.com']]);
      await happened({ sent: 100, complained: 90 });
      await judgedAgain();
      expect(await events()).to.have.length(2);
      clock.advance(24 * HOUR_MS);
      await happened({ sent: 100, complained: 90 });
      await judgedAgain();
      expect((await events()).slice(2)).to.deep.equal([['reputation.warning', 'news.example.com']]);
      const [stored] = (await standings()) ?? [];
      expect(stored).to.include({ domain: 'news.example.com', isWarned: true });
      const [first] = await deps.db.projectEvents
        .find({ projectId: tenant.project._id })
        .sort({ createdAt: 1 })
        .toArray();
      expect(first?.data).to.deep.nested.include({
        status: 'over',
        'last24Hours.complaintRate': 0.4,
        'limits.bounceLimit': 2,
      });
    } finally {
      await queues.stop();
    }
  });
});
