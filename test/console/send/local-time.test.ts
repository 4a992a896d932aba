import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { seedVerifiedDomain } from '../../../core/domains/domains.ts';
import { startWorkers, type Workers } from '../../../workers/start.ts';
import { expectAccessible, pickFound, shoot, useConsole } from '../../support/browser/console.ts';
import { type Sink, startSink } from '../../support/mail/smtp-sink.ts';
import { until } from '../../support/wait.ts';

const STARTS_MS_MAX = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const SENDER = 'news@mail.example.com';
/** None of them moves its clocks, so their order and distances are the same on every day. */
const HOMES = ['Pacific/Kiritimati', 'Asia/Tokyo', 'Asia/Tokyo', 'America/Phoenix', 'Pacific/Honolulu', null];

/** Of 24 December 2031, a Wednesday, by UTC; pages are in Berlin. */
const hourOf = (hours: number) => new Date(Date.UTC(2031, 11, 24) + hours * HOUR_MS).toISOString();
const people = (n: number) => (n === 1 ? '1 person' : `${n} people`);

describe('A campaign at local time in the console', function () {
  this.timeout(180_000);
  let sink: Sink | undefined;
  let workers: Workers | undefined;
  let list: string;
  after(async () => {
    await workers?.stop();
    await sink?.close();
  });
  const suite = useConsole(async () => {
    sink = await startSink();
    return { SMTP_URL: sink.url, SMTP_MAX_CONNECTIONS: '20', WORKER_PROCESSES: '1' };
  });
  before(async () => {
    const { own, deps } = suite;
    await seedVerifiedDomain(deps, own.project, 'mail.example.com', new ObjectId());
    const path = `/account/projects/${own.project._id}`;
    await suite.client(own.adminKey).patch(path, { timezoneProperty: 'home' });
    list = (await own.client.post('/contact-lists', { name: 'World' })).body.data.id;
    for (const [n, home] of HOMES.entries())
      await own.client.post('/contacts', {
        ...{ email: `p${n}@in.test`, listIds: [list] },
        ...(home && { contactProperties: { home } }),
      });
    const emailTemplate = '<h1>Hello</h1><a href="{{unsubscribe}}">Unsubscribe</a>';
    await own.client.post('/templates', { templateName: 'Winter', templateType: 'marketing', emailTemplate });
    workers = startWorkers(deps, ['workflows', 'background', 'campaign', 'mail']);
    await workers.ready;
  });

  const stored = async (name: string) => {
    const { campaigns } = (await suite.own.client.get(`/campaigns?search=${name}`)).body.data;
    return campaigns[0];
  };

  it('is planned with the people of each zone drawn over the clock, and says who has no zone', async () => {
    const page = await suite.open('/campaigns/new');
    await page.getByLabel('Name of the campaign').fill('Planned');
    await page.getByLabel('From', { exact: true }).fill(SENDER);
    await page.getByLabel('Subject').fill('Good morning');
    await pickFound(page.getByLabel('Template'), 'Winter');
    await page.getByRole('radio', { name: 'Local time' }).check();
    await page.getByText('The plan is drawn when the day is chosen and the audience is counted.').waitFor();
    await pickFound(page.getByLabel('Add a list or a segment'), 'World');
    const publish = page.getByRole('button', { name: 'Publish…' });
    expect(await publish.getAttribute('title')).to.equal('Choose a time. Then you can publish.');
    const date = new Date(Date.now() + 3 * DAY_MS).toISOString().slice(0, 10);
    await page.getByLabel('Day', { exact: true }).fill('2020-02-03');
    await page.getByRole('button', { name: 'Save draft' }).click();
    await page.getByText('Saved Planned, without its time', { exact: true }).waitFor();
    await page.getByText('This time has passed', { exact: true }).waitFor();
    await page.getByLabel('Day', { exact: true }).fill(date);
    await page.getByLabel('People without a time zone are in').selectOption('America/Phoenix');
    await page.getByText(/^5 zones, from /).waitFor();
    const rows = page.locator('.zones li');
    expect(await rows.locator('.zone').allInnerTexts()).to.deep.equal([
      ...['Pacific/Kiritimati', 'Asia/Tokyo', 'America/Phoenix no zone of their own', 'America/Phoenix'],
      'Pacific/Honolulu',
    ]);
    expect(await rows.nth(1).textContent()).to.contain('2 people');
    await page.getByText('1 person has no time zone').waitFor();
    await rows.first().scrollIntoViewIfNeeded();
    await expectAccessible(page);
    await shoot(page, 'local-time-editor');
    await publish.click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(`6 people get it at ${date}, 09:00 where each person is`).waitFor();
    await dialog.getByRole('button', { name: 'Publish for 6 people' }).click();
    await page.waitForURL(/\/campaigns\/[0-9a-f]{24}$/);
    const localTime = { date, time: '09:00', fallbackTimezone: 'America/Phoenix', late: 'next_day' };
    expect(await stored('Planned')).to.deep.include({ status: 'scheduled', sendMode: 'scheduled', localTime });
    const section = page.locator('section', { has: page.getByRole('heading', { name: 'Local time' }) });
    await section.getByText(`${date}, 09:00 where each person is`).waitFor();
    await section.getByText('1 person has no time zone').waitFor();
    expect(await rows.locator('.num').allTextContents()).to.deep.equal([1, 2, 1, 1, 1].map(people));
    await page.goto(`${page.url()}/edit`);
    expect(await page.getByLabel('Day', { exact: true }).inputValue()).to.equal(date);
    await page.getByRole('radio', { name: 'At a time', exact: true }).check();
    await page.getByText('Changed, not saved').waitFor();
    await page.getByRole('button', { name: 'Back to a draft…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Take it back and save' }).click();
    await until(
      () => stored('Planned'),
      ({ status, localTime: now }) => status === 'draft' && now === null,
    );
  });

  it('shows its zones over the clock while they are sent to, and a release moves without a reload', async () => {
    const { client } = suite.own;
    // Five minutes ago in the first zone, so that the others are still to come at any time of day.
    const wall = new Date(Date.now() + 14 * HOUR_MS - 5 * 60_000).toISOString();
    const localTime = {
      date: wall.slice(0, 10),
      time: wall.slice(11, 16),
      fallbackTimezone: 'America/Phoenix',
      late: 'now',
    };
    const content = { subject: 'Good morning', htmlTemplate: '<p>Hello</p>', from: { email: SENDER } };
    const { body } = await client.post('/campaigns', { name: 'Moving', toLists: [list], localTime, ...content });
    const { id } = body.data;
    const progress = async () => (await client.get(`/campaigns/${id}/progress`)).body.data;
    await until(progress, ({ sent }) => sent === 1, { ms: STARTS_MS_MAX });
    const page = await suite.open(`/campaigns/${id}`);
    const row = (name: string) => page.locator('.zones li', { hasText: name }).last();
    await row('Pacific/Kiritimati').getByText('1 of 1').waitFor();
    await page
      .getByTestId('next-zone')
      .getByText(/^1 of 5 zones has had its time\. Next: Asia\/Tokyo, /)
      .waitFor();
    await row('Asia/Tokyo').getByText('0 of 2').waitFor();
    await page.getByText('1 person without a time zone gets it at this time in America/Phoenix.').waitFor();
    await page.locator('.zones').scrollIntoViewIfNeeded();
    await expectAccessible(page);
    await shoot(page, 'local-time-campaign');
    await page.setViewportSize({ width: 375, height: 800 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).to.equal(375);
    // The time of the next zone comes.
    const own = { _id: new ObjectId(id), projectId: suite.own.project._id };
    await suite.deps.db.campaigns.updateOne(own, { $set: { 'freeze.releases.1.at': new Date() } });
    await client.patch(`/campaigns/${id}`, { sendRatePerSecond: 1_000 });
    await row('Asia/Tokyo').getByText('2 of 2').waitFor();
    await row('Pacific/Honolulu').getByText('0 of 1').waitFor();
    expect(sink?.ledger.duplicates).to.equal(0);
    await client.post(`/campaigns/${id}/abort`, {});
  });

  it('shows its test before the zones, who waits for the choice, and the winner, while the line of now moves', async () => {
    const { client } = suite.own;
    const given = { name: 'Tested', subject: 'It begins', htmlTemplate: '<p>Hello</p>', from: { email: SENDER } };
    const test = { share: 40, metric: 'humanClicks', decideAfterMinutes: 60, minPerVariant: 1 };
    const localTime = { date: '2031-12-24', time: '09:00', fallbackTimezone: 'America/Phoenix', late: 'now' };
    const variants = [{}, { subject: 'Only today' }];
    const made = await client.post('/campaigns', { ...given, toLists: [list], localTime, variants, test });
    const path = `/campaigns/${made.body.data.id}`;
    const planned = (await client.get(`${path}/progress`)).body.data;
    const zones = ['Pacific/Kiritimati', 'Asia/Tokyo', 'Pacific/Honolulu'].map((timezone, n) => {
      return { timezone, isFallback: false, at: hourOf(20 + 6 * n), total: 10, sent: 0 };
    });
    const started = { at: hourOf(18), total: 4, sent: 2, winner: null };
    const page = await suite.open(path);
    const shown = async (own: object) => {
      const data = { ...planned, total: 34, zones, test: { state: 'sending', decideAt: null, giveUpAt: null, ...own } };
      await page.route(/\/progress$/, (route) => route.fulfill({ json: { success: true, data } }));
      await page.reload();
    };
    const row = (name: string) => page.locator('.zones li', { hasText: name });
    const lineAt = async () => Number((await page.locator('rect.now').first().getAttribute('x'))?.replace('%', ''));

    await page.clock.setFixedTime(hourOf(18.5));
    await shown(started);
    await row('Test').getByText('2 of 4').waitFor();
    await row('A mail is chosen from').getByText('Wed 20:00').waitFor();
    await row('A mail is chosen from').getByText('for 30 people').waitFor();
    await page.getByText('Next: Pacific/Kiritimati, Wed 21:00, 10 people.').waitFor();
    const before = await lineAt();
    await page.clock.setFixedTime(hourOf(20.5));
    await page.getByText('now 21:30').waitFor();
    expect(await lineAt()).to.be.greaterThan(before);

    await shown({ ...started, sent: 4, state: 'measuring', decideAt: hourOf(19), giveUpAt: hourOf(43) });
    await row('Pacific/Kiritimati').getByText('waits for the choice').waitFor();
    expect(await row('Asia/Tokyo').getByText('waits for the choice').count()).to.equal(0);
    await page.locator('.zones').scrollIntoViewIfNeeded();
    await expectAccessible(page);
    await shoot(page, 'local-time-test');
    await page.setViewportSize({ width: 375, height: 800 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).to.equal(375);

    const winner = { variantId: 'B', by: 'figures', at: hourOf(20.4) };
    await shown({ ...started, sent: 4, state: 'decided', decideAt: hourOf(19), giveUpAt: hourOf(43), winner });
    await row('Mail B was chosen').getByText('Wed 21:24').waitFor();
    expect(await page.getByText('waits for the choice').count()).to.equal(0);
    await page.locator('.zones').scrollIntoViewIfNeeded();
    await shoot(page, 'local-time-winner');
  });
});
