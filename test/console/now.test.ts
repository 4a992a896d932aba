import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { seedVerifiedDomain } from '../../core/domains/domains.ts';
import { SENDER } from '../delivery/support.ts';
import { countHappened } from '../reports/support.ts';
import { expectAccessible, requestsDuring, shoot, untilQuiet, useConsole } from '../support/browser/console.ts';
import { until } from '../support/wait.ts';

const HOUR_MS = 3_600_000;
const hourInBerlin = new Intl.DateTimeFormat('en-GB', {
  hour: '2-digit',
  hourCycle: 'h23',
  timeZone: 'Europe/Berlin',
});

function nextMidnightInBerlin(): Date {
  const first = Math.ceil(Date.now() / HOUR_MS) * HOUR_MS;
  const hours = Array.from({ length: 25 }, (_, index) => new Date(first + index * HOUR_MS));
  return hours.find((at) => hourInBerlin.format(at) === '00') ?? new Date(first);
}

describe('The pages Now and Health', () => {
  const suite = useConsole();
  const send = (email: string) => {
    const mail = { to: { email }, from: { email: SENDER }, subject: 'Hello', html: '<p>Hello</p>' };
    return suite.own.client.post('/mails/send', mail);
  };
  before(() => seedVerifiedDomain(suite.deps, suite.own.project, 'mail.example.com', new ObjectId()));

  it('shows what waits and what needs a person, and moves with the stream alone', async () => {
    await send('ada@in.test');
    const page = await suite.open('/');
    await page.getByRole('heading', { name: 'Now', exact: true }).waitFor();
    const lane = page.getByRole('row', { name: /^Transactional/ });
    await lane.getByRole('cell', { name: '1', exact: true }).waitFor();
    await page.getByText('No campaign is running').waitFor();
    await untilQuiet(page);
    const asked = await requestsDuring(page, async () => {
      for (const name of ['bo', 'cleo', 'dora']) await send(`${name}@in.test`);
      await lane.getByRole('cell', { name: '4', exact: true }).waitFor({ timeout: 20_000 });
    });
    expect(asked.filter((one) => !one.endsWith('/stream'))).to.deep.equal([]);
    await expectAccessible(page);
    await shoot(page, 'now');
  });

  it('draws its plots in a browser that names no locale that formatters know', async () => {
    const page = await suite.open('/suppressions');
    const content =
      "Object.defineProperty(Navigator.prototype, 'language', { configurable: true, get: () => 'en-US@posix' })";
    await page.context().addInitScript({ content });
    await page.goto('/console');
    await page.getByRole('img', { name: /^Messages a second/ }).waitFor();
  });

  it('counts the day of the zone of the browser by the stream, and begins again at its midnight', async () => {
    const { clock } = suite;
    const tenant = await suite.newTenant('Midnight');
    const sendOne = () => countHappened(suite, tenant, { sent: 1, hoursAgo: 0 });
    const midnight = nextMidnightInBerlin();
    // Together less than the hour for which a stream has asked for its events.
    clock.set(new Date(midnight.getTime() - HOUR_MS / 6));
    try {
      await sendOne();
      const page = await suite.open('/', { tenant });
      await page.getByRole('heading', { name: 'Now', exact: true }).waitFor();
      const opened = page.waitForRequest((request) => new URL(request.url()).pathname === '/v1/stream');
      await page.reload();
      expect(new URL((await opened).url()).searchParams.get('timezone')).to.equal('Europe/Berlin');
      const sent = (n: number) => page.getByRole('link', { name: new RegExp(`^Sent ?${n} ?[\\d–]`) });
      await sent(1).waitFor();
      await untilQuiet(page);
      const asked = await requestsDuring(page, async () => {
        await sendOne();
        await sent(2).waitFor({ timeout: 20_000 });
      });
      expect(asked).to.deep.equal([]);
      const afterwards = await requestsDuring(page, async () => {
        clock.set(new Date(midnight.getTime() + HOUR_MS / 6));
        await sent(0).waitFor({ timeout: 20_000 });
        await page.waitForTimeout(500);
      });
      expect(afterwards).to.deep.equal(['GET /v1/reports/now']);
    } finally {
      clock.set(new Date());
    }
  });

  it('shows servers, waiting work and the reputation of domains', async () => {
    const page = await suite.open('/health', { role: 'viewer' });
    await page.getByRole('heading', { name: 'Servers' }).waitFor();
    await page.getByText('MongoDB').waitFor();
    await page
      .getByText('No mail in seven days')
      .or(page.getByRole('table', { name: 'Reputation' }))
      .first()
      .waitFor();
    await expectAccessible(page);
    await shoot(page, 'health');
  });

  it('shows the inbound mail of the project today, and that some of it was put off', async () => {
    const { own, deps } = suite;
    const day = new Date(`${deps.clock.now().toISOString().slice(0, 10)}T00:00:00.000Z`);
    const usage = { network: null, day, bytes: 2_047_000_000, expiresAt: new Date(day.getTime() + 2 * 86_400_000) };
    const projectId = own.project._id;
    const _id = `${day.toISOString().slice(0, 10)} ${projectId.toHexString()}`;
    await deps.db.inboundUsage.insertOne({ _id, projectId, ...usage, putOff: 16 });
    const page = await suite.open('/health', { role: 'viewer' });
    const table = page.getByRole('table', { name: 'Inbound mail of today' });
    await table.getByRole('row', { name: /^This project Some put off 2\.0 GB 2\.0 GB 16$/ }).waitFor();
  });

  it('shows each relay, budgets with the shares of processes, and networks whose mail was put off, to an organization that is alone', async () => {
    const { db } = suite.deps;
    const at = new Date(Date.now() - 5_000);
    const relay = { relay: 'default' as const, priority: 0, connectionsOpen: 3, connectionsMax: 8, delivered: 1_200 };
    const up = { ...relay, host: 'relay-a.example:587', weight: 3, isAnswering: true };
    const down = { ...relay, host: 'relay-b.example:587', weight: 1, isAnswering: false };
    const connections = { name: 'connections default', unit: 'connections' as const, budget: 64 };
    const rate = { name: 'rate default relay-b.example:587', unit: 'per second' as const, budget: 50 };
    await db.processes.insertOne({
      ...{ _id: 'sender', roles: ['mail'], version: '1', startedAt: at, seenAt: new Date(Date.now() + 60_000) },
      ...{ memoryBytes: 1, jobs: 0, held: 0, unwritten: 0 },
      relays: [
        { ...up, notAnsweringSince: null, reason: null },
        { ...down, notAnsweringSince: at, reason: '421 shutting down' },
      ],
      budgets: [
        { ...connections, share: 12, inUse: 3, wanted: 7, mode: 'shared' },
        { ...rate, share: 25, inUse: 12.5, wanted: 18.75, mode: 'divided' },
      ],
    });
    await db.processes.insertOne({
      ...{ _id: 'campaigns', roles: ['campaign'], version: '1', startedAt: at, seenAt: new Date(Date.now() + 60_000) },
      ...{ memoryBytes: 1, jobs: 0, held: 0, unwritten: 0, relays: [] },
      budgets: [{ ...connections, share: 52, inUse: 50, wanted: 64, mode: 'shared' }],
    });
    const day = new Date(`${suite.deps.clock.now().toISOString().slice(0, 10)}T00:00:00.000Z`);
    const network = '203.0.113.7';
    const usage = { projectId: null, network, day, bytes: 511_000_000, putOff: 3 };
    await db.inboundUsage.insertOne({
      _id: `a day ${network}`,
      ...usage,
      expiresAt: new Date(day.getTime() + 2 * 86_400_000),
    });
    await db.organizations.deleteMany({ _id: { $ne: suite.own.organization._id } });
    await until(
      async () => (await suite.own.client.get('/reports/health')).body.data,
      (data) => data?.relays?.length === 2,
    );
    const page = await suite.open('/health', { role: 'viewer' });
    const row = (name: RegExp) => page.getByRole('table', { name: 'Relays' }).getByRole('row', { name });
    await row(/relay-a.*Answering.*SMTP_URL.*3.*1,200/).waitFor();
    await row(/relay-b.*Not answering since.*421 shutting down/).waitFor();
    const budget = (name: RegExp) => page.getByRole('table', { name: 'Budgets' }).getByRole('row', { name });
    await budget(/^connections default 64 64 53 71 12 mail, 52 campaign By need/).waitFor();
    await budget(
      /^rate default relay-b.example:587 50 \/ s 25 \/ s 13 \/ s 19 \/ s 25 \/ s mail Equal parts/,
    ).waitFor();
    const inbound = page.getByRole('table', { name: 'Inbound mail of today' });
    await inbound.getByRole('row', { name: /^From 203\.0\.113\.7 Some put off 511 MB 512 MB 3$/ }).waitFor();
    await expectAccessible(page);
    await shoot(page, 'health-relays');
  });
});
