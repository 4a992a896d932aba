import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { countProject } from '../../core/figures/reports/counting/count.ts';
import { recountProject } from '../../core/figures/reports/counting/recount.ts';
import { providersOf } from '../../core/figures/reports/providers.ts';
import { reputationOf } from '../../core/figures/reports/reputation.ts';
import { seriesOf } from '../../core/figures/reports/series.ts';
import { writeSignals } from '../../core/mail/feedback/engagements.ts';
import type { Message } from '../../core/mail/ledger/model.ts';
import { removeOld } from '../../core/retention.ts';
import { BROWSER, sentMessage } from '../feedback/support.ts';
import type { Reply } from '../support/client.ts';
import { type Tenant, useEnvironment } from '../support/environment.ts';

const NAMES = [
  'sent',
  'delivered',
  'opened',
  'humanOpened',
  'clicked',
  'bounced',
  'deferred',
  'complained',
  'unsubscribed',
  'accepted',
];

describe('GET /reports/series', () => {
  const environment = useEnvironment();
  let tenant: Tenant;
  const campaignId = new ObjectId();
  const automationId = new ObjectId();

  const get = (query: string, who = tenant): Promise<Reply> => who.client.get(`/reports/series?${query}`);
  const at = (hours: number) => new Date(Date.UTC(2026, 9, 24, hours));
  const range = `from=${at(0).toISOString()}&to=${at(72).toISOString()}`;
  const sumOf = ({ body }: Reply, name: string): number =>
    body.data.points.reduce((sum: number, point: Record<string, number>) => sum + point[name]!, 0);

  before(async () => {
    environment.clock.set(new Date('2026-11-01T00:00:00Z'));
    tenant = await environment.newTenant('Reported');
    const projectId = tenant.project._id;
    const one = (fields: Partial<Message>) =>
      sentMessage(environment, tenant, { senderDomain: 'news.example.com', ...fields });
    for (let hours = 0; hours < 72; hours += 1) {
      const sentAt = new Date(at(hours).getTime() + ((hours * 7) % 60) * 60_000);
      const email = `p${hours}@${hours % 2 === 0 ? 'gmail.com' : 'example.org'}`;
      await one({
        sentAt,
        endedAt: sentAt,
        email,
        ...(hours % 3 === 0 ? { campaignId } : hours % 3 === 1 ? { automationId } : {}),
      });
    }
    const refused = { code: 421, enhanced: '4.7.0', text: 'greylisted p7@example.org for 300 seconds, p7' };
    const timeline = [
      { type: 'deferred', at: at(1), reply: refused },
      { type: 'deferred', at: at(2), reply: refused },
    ];
    await one({ state: 'bounced', sentAt: at(3), endedAt: at(50), timeline, email: 'p7@example.org' });
    const opened = await one({ sentAt: at(4), senderDomain: 'other.example.com', email: 'q@gmail.com' });
    const seen = { projectId, messageId: opened._id, agent: BROWSER };
    await writeSignals(environment.deps, [
      { ...seen, kind: 'open', at: at(5), purpose: '', method: 'GET' },
      { ...seen, kind: 'click', at: at(6), url: 'https://shop.example.com/' },
      { ...seen, kind: 'complaint', at: at(7), reason: 'abuse' },
      { ...seen, kind: 'unsubscribe', at: at(8), reason: 'link' },
    ]);
    await recountProject(environment.deps, tenant.project);
    await countProject(environment.deps, projectId);
  });
  after(() => environment.clock.set(new Date()));

  it('counts each fact in the hour in which it happened', async () => {
    const { status, body } = await get(`interval=hour&${range}`);
    expect(status).to.equal(200);
    const { points, ...head } = body.data;
    expect(points).to.have.length(72);
    const nothing = Object.fromEntries(NAMES.map((name) => [name, 0]));
    const hour = { from: at(0).toISOString(), to: at(1).toISOString() };
    expect(points[0]).to.deep.equal({ ...hour, ...nothing, sent: 1, delivered: 1 });
    expect(head).to.deep.include({
      interval: 'hour',
      timezone: 'UTC',
      by: null,
      value: null,
      from: at(0).toISOString(),
      to: at(72).toISOString(),
    });
    const of = (hours: number) => points[hours];
    expect([of(3).sent, of(3).delivered, of(50).bounced, of(1).deferred, of(2).deferred]).to.deep.equal([
      2, 1, 1, 1, 1,
    ]);
    expect([of(5).opened, of(5).humanOpened, of(6).clicked, of(7).complained, of(8).unsubscribed]).to.deep.equal([
      1, 1, 1, 1, 1,
    ]);
  });

  it('has days of a zone with the repeated hour, which sum up to the same', async () => {
    const days = await get(`interval=day&timezone=Europe/Berlin&${range}`);
    const lengths = days.body.data.points.map(
      ({ from, to }: Record<string, string>) => (Date.parse(to!) - Date.parse(from!)) / 3_600_000,
    );
    expect(lengths).to.deep.equal([24, 25, 24, 24]);
    expect(days.body.data.points.map(({ sent }: { sent: number }) => sent)).to.deep.equal([24, 25, 24, 1]);
    const hours = await get(`interval=hour&timezone=Europe/Berlin&${range}`);
    for (const name of NAMES) expect(sumOf(hours, name), name).to.equal(sumOf(days, name));
    const kathmandu = await get(`interval=hour&timezone=Asia/Kathmandu&${range}`);
    for (const name of NAMES) expect(sumOf(kathmandu, name), name).to.equal(sumOf(days, name));
  });

  it('has days of zones at 15, 30 and 45 minutes that are sums of the mail of their dates', async () => {
    const another = await environment.newTenant('Zones');
    const [fromMs, toMs] = [Date.UTC(2026, 9, 22), Date.UTC(2026, 10, 4)];
    const quarters = (toMs - fromMs) / 900_000;
    const times = Array.from({ length: 400 }, (_, index) => fromMs + ((index * 379) % quarters) * 900_000 + index);
    for (const ms of times) await sentMessage(environment, another, { sentAt: new Date(ms), endedAt: new Date(ms) });
    await recountProject(environment.deps, another.project);
    const zones = ['Asia/Kathmandu', 'Australia/Eucla', 'Pacific/Chatham', 'America/St_Johns', 'Asia/Kolkata'];
    for (const timezone of [...zones, 'America/New_York', 'Europe/Berlin', 'UTC']) {
      const dates = new Intl.DateTimeFormat('en-CA', { timeZone: timezone });
      const plain: Record<string, number> = {};
      for (const ms of times) plain[dates.format(ms)] = (plain[dates.format(ms)] ?? 0) + 1;
      const query = `timezone=${timezone}&from=${new Date(fromMs).toISOString()}&to=${new Date(toMs).toISOString()}`;
      const { body } = await get(query, another);
      const found = body.data.points.map(({ from, sent }: { from: string; sent: number }) => [
        dates.format(new Date(from)),
        sent,
      ]);
      expect(Object.fromEntries(found), timezone).to.deep.equal(plain);
    }
  });

  it('is of a campaign, an automation, a sending domain or a provider, and these sum up to the project', async () => {
    const sent = async (query: string) => sumOf(await get(`interval=day&${range}&${query}`), 'sent');
    expect(await sent(`campaignId=${campaignId}`)).to.equal(24);
    expect(await sent(`automationId=${automationId}`)).to.equal(24);
    expect(await sent('domain=News.example.com')).to.equal(73);
    expect(await sent('domain=other.example.com')).to.equal(1);
    expect([await sent('provider=google'), await sent('provider=other')]).to.deep.equal([37, 37]);
    expect(await sent('')).to.equal(74);
    expect(await sent(`campaignId=${new ObjectId()}`)).to.equal(0);
    const { body } = await get(`${range}&provider=google`);
    expect([body.data.by, body.data.value]).to.deep.equal(['provider', 'google']);
  });

  it('shows nothing of another project', async () => {
    const other = await get(`interval=hour&${range}&campaignId=${campaignId}`, environment.other);
    expect(other.status).to.equal(200);
    expect(sumOf(other, 'sent')).to.equal(0);
  });

  it('refuses zones, dates, ranges and parts that make no sense, and names the field', async () => {
    const faults: Array<[string, string]> = [
      ['timezone=Mars/Base', 'timezone'],
      ['interval=week', 'interval'],
      ['from=yesterday', 'from'],
      ['from=2026-10-02T00:00:00Z&to=2026-10-01T00:00:00Z', 'from'],
      ['from=2026-10-01T00:00:00Z&to=2026-10-01T00:00:00Z', 'from'],
      ['interval=hour&from=2026-09-01T00:00:00Z&to=2026-10-03T00:00:00Z', 'from'],
      ['interval=day&from=2024-01-01T00:00:00Z&to=2026-01-03T00:00:00Z', 'from'],
      ['from=1969-01-01T00:00:00Z', 'from'],
      ['to=9999-01-01T00:00:00Z', 'to'],
      ['campaignId=1', 'campaignId'],
      ['domain=$where', 'domain'],
      ['domain=a%00b', 'domain'],
      ['provider=nowhere', 'provider'],
      ['provider=constructor', 'provider'],
      [`campaignId=${campaignId}&provider=google`, 'provider'],
    ];
    for (const [query, field] of faults) {
      const { status, body } = await get(query);
      expect(status, query).to.equal(400);
      expect(body.error.details, query).to.contain(`${field}:`);
    }
    const widest = [
      'interval=hour&from=2026-03-01T00:00:00Z&to=2026-04-01T00:00:00Z',
      'from=2024-01-01T00:00:00Z&to=2026-01-01T00:00:00Z',
    ];
    for (const query of widest) expect((await get(query)).status, query).to.equal(200);
  });

  it('says since when everything is counted', async () => {
    const { body } = await get(range);
    expect(body.data.since).to.equal(tenant.project.createdAt.toISOString());
  });

  it('reads the documents of the range by an index, and no ledger', async () => {
    const { db } = environment.deps;
    const collections: string[] = [];
    const watched = new Proxy(db, {
      get(target, name) {
        collections.push(String(name));
        return Reflect.get(target, name);
      },
    });
    const deps = { ...environment.deps, db: watched };
    const query = { interval: 'day', timezone: 'UTC' } as const;
    for (const part of [{}, { campaignId: String(campaignId) }, { domain: 'a.b' }, { provider: 'google' }])
      await seriesOf(deps, tenant.project, { ...query, ...part });
    await providersOf(deps, tenant.project, {});
    await reputationOf(deps, tenant.project);
    expect([...new Set(collections)].toSorted()).to.deep.equal(['reportCounts', 'reportStates']);
    const match = { projectId: tenant.project._id, count: 1, day: { $gte: at(0), $lt: at(72) } };
    for (const [part, parts] of [
      ['project', 1],
      [`campaign:${campaignId}`, 1],
      [{ $gte: 'provider:', $lt: 'provider;' }, 2],
    ] as const) {
      const found = db.reportCounts.find({ ...match, part }, { hint: 'part' }).sort({ part: 1, day: 1 });
      const { executionStats, queryPlanner } = await found.explain('executionStats');
      const { totalKeysExamined, totalDocsExamined, nReturned } = executionStats;
      expect(nReturned).to.equal(3 * parts);
      expect(totalDocsExamined).to.equal(nReturned);
      expect(totalKeysExamined).to.be.at.most(nReturned + 2 * parts);
      expect(JSON.stringify(queryPlanner.winningPlan)).to.not.contain('"SORT"');
    }
  });

  it('stays when retention has removed the mail', async () => {
    const before = (await get(`interval=hour&${range}`)).body.data.points;
    const { clock, deps } = environment;
    const now = clock.now();
    clock.advance(400 * 86_400_000);
    await deps.db.messages.updateMany({ projectId: tenant.project._id }, [{ $set: { endedAt: '$sentAt' } }]);
    await removeOld(deps);
    expect(await deps.db.messages.countDocuments({ projectId: tenant.project._id })).to.equal(0);
    clock.set(now);
    expect((await get(`interval=hour&${range}`)).body.data.points).to.deep.equal(before);
  });
});
