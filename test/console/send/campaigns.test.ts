import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import type { Page } from 'playwright-core';
import PostalMime from 'postal-mime';
import { seedVerifiedDomain } from '../../../core/domains/domains.ts';
import { startWorkers, type Workers } from '../../../workers/start.ts';
import { expectAccessible, requestsDuring, shoot, useConsole } from '../../support/browser/console.ts';
import { type Sink, startSink } from '../../support/mail/smtp-sink.ts';
import { startApi, stopApi } from '../../support/outage.ts';
import { until } from '../../support/wait.ts';

const PEOPLE = 2_000;
/** Fewer than any preset pauses for, though they may come last. */
const BOUNCES = 8;
/** On a machine that does other things too. */
const STARTS_MS_MAX = 40_000;
const SENDS_MS_MAX = 80_000;
/** Of the relay, to a final dot. Slow: long enough for the page to show that the campaign is under way. */
const ANSWER_MS = 10;
const SLOW_ANSWER_MS = 4_000;
const DAY_MS = 86_400_000;
const WIDE = 'Preview at 720 px';
const HEADERS = { 'X-Letter': '{{campaign.name}} by {{campaign.from.name}}', 'X-Empty': '{{nothing}}' };
const HTML =
  '<p>Hello {{firstName}}</p><p><a href="https://shop.example.com/sale">Sale</a> <a href="https://shop.example.com/books">Books</a></p>';

describe('The pages of campaigns', function () {
  this.timeout(180_000);
  let sink: Sink | undefined;
  let workers: Workers | undefined;
  after(async () => {
    await workers?.stop();
    await sink?.close();
  });
  const suite = useConsole(async () => {
    sink = await startSink({ ackDelayMs: ANSWER_MS });
    return { SMTP_URL: sink.url, SMTP_MAX_CONNECTIONS: '20', WORKER_PROCESSES: '1' };
  });
  before(async () => {
    await seedVerifiedDomain(suite.deps, suite.own.project, 'mail.example.com', new ObjectId());
    workers = startWorkers(suite.deps, ['workflows', 'background', 'campaign', 'mail']);
    await workers.ready;
  });

  const call = async (method: 'get' | 'post' | 'patch', path: string, body: object = {}) => {
    const { client } = suite.own;
    const reply = method === 'get' ? await client.get(path) : await client[method](path, body);
    if (!reply.body.success) throw new Error(reply.text);
    return reply.body.data;
  };
  const progressOf = (id: string) => call('get', `/campaigns/${id}/progress`);

  async function list(name: string, emails: readonly string[]): Promise<string> {
    const { id } = await call('post', '/contact-lists', { name });
    for (let at = 0; at < emails.length; at += 500)
      await call('post', '/contact-lists/contacts/bulk-add', { contactListId: id, emails: emails.slice(at, at + 500) });
    return id;
  }

  async function draft(fields: object): Promise<string> {
    const content = { subject: 'News for {{firstName}}', htmlTemplate: HTML };
    const from = { email: 'news@mail.example.com', name: 'Harbour Books' };
    return (await call('post', '/campaigns', { ...content, from, ...fields })).id;
  }

  it('count a click in every part of the page some seconds later, without a reload', async () => {
    const people = await list('Readers', ['ada@example.org', 'bo@example.org']);
    const id = await draft({ name: 'Short letter', toLists: [people], headers: HEADERS });
    await call('patch', `/campaigns/${id}`, { publish: true, sendNow: true });
    await until(
      () => progressOf(id),
      ({ status }) => status === 'sent',
      { ms: STARTS_MS_MAX },
    );
    const page = await suite.open(`/campaigns/${id}`);
    const providers = page.getByRole('table', { name: 'Outcomes by mailbox provider' });
    await providers.getByRole('row', { name: /^All others .* 2 100/ }).waitFor();
    const link = page
      .getByRole('table', { name: 'Links of the mail' })
      .getByRole('row', { name: /shop\.example\.com\/sale/ });
    await link.getByRole('cell', { name: '0', exact: true }).first().waitFor();

    const mail = page.getByTitle(WIDE);
    const notClicked = await mail.getAttribute('src');

    const raw = sink?.ledger.messages.find(({ to }) => to[0] === 'ada@example.org')?.raw ?? '';
    const { html = '' } = await PostalMime.parse(raw);
    const [target = ''] = /https?:[^"]+\/t\/c\/[^"]+/.exec(html) ?? [];
    await fetch(target, {
      redirect: 'manual',
      headers: { 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0' },
    });
    await link.getByRole('cell', { name: '1', exact: true }).first().waitFor();
    await page.getByRole('img', { name: /^Opens and clicks by hour: .* and 1 clicks$/ }).waitFor();
    await until(
      () => mail.getAttribute('src'),
      (src) => src !== notClicked,
    );
    await page.frameLocator(`[title="${WIDE}"]`).getByRole('link', { name: 'Sale' }).waitFor();
    await mail.scrollIntoViewIfNeeded();
    const headers = page.locator('section', { has: page.getByRole('heading', { name: 'Headers' }) }).last();
    await headers.getByText('Short letter by Harbour Books', { exact: true }).waitFor();
    expect(await headers.getByRole('term').allTextContents()).to.deep.equal(['X-Letter']);
    await headers.scrollIntoViewIfNeeded();
    await expectAccessible(page);
    await shoot(page, 'campaign-mail');
    const { html: marked } = await call('post', `/campaigns/${id}/preview`, { clicks: true });
    expect(marked).to.contain('a[href$="#everpost-link-1"]::after{content:"1";');
    expect(marked).to.contain('a[href$="#everpost-link-2"]::after{content:"0";');
    expect(marked).to.contain('"https://shop.example.com/sale#everpost-link-1"');
    expect((await call('post', `/campaigns/${id}/preview`)).html).to.not.contain('everpost-link');
    const next = page.getByRole('group', { name: 'What comes next' });
    await next.getByRole('link', { name: 'Who clicked' }).click();
    await page.getByRole('table', { name: 'Clicked' }).getByRole('link', { name: 'ada@example.org' }).waitFor();
    await providers.getByRole('row', { name: /^All others .* 50/ }).waitFor();

    await page.getByRole('link', { name: 'Make a segment of these', exact: true }).waitFor();
    await shoot(page, 'campaign-clicked');
    await page.getByRole('link', { name: 'Make a segment of these: Clicked' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.waitForURL(/\/lists\/[0-9a-f]{24}/);
    const segment = await call('get', `/contact-lists/${/[0-9a-f]{24}$/.exec(page.url())?.[0]}`);
    expect(segment.name).to.equal('Clicked in Short letter');
    expect(segment.filterCriteria.groups).to.have.length(1);
    expect(segment.filterCriteria.groups[0]).to.include({ behaviour: 'clicked', operator: 'at_least', campaignId: id });

    // The stored numbers, which an answer of the interface has, are counted again ten minutes later.
    expect((await call('get', `/campaigns/${id}`)).metrics.clicked).to.equal(0);
    const clicked = (of: Page) =>
      of
        .getByRole('row', { name: /Short letter/ })
        .getByRole('cell', { name: /^50\.0\s%$/ })
        .last()
        .waitFor();
    await page.getByRole('link', { name: 'Campaigns', exact: true }).first().click();
    await clicked(page);
    const second = await suite.open('/campaigns', { besides: page });
    await clicked(second);
    await Promise.all([page.close(), second.close()]);
    await clicked(await suite.open('/campaigns'));
  });

  it('keep the plots of the last minutes when it ends, also while their figures are on the way', async () => {
    const people = await list('Plotted', ['cy@example.org']);
    const id = await draft({ name: 'Plotted letter', toLists: [people] });
    const page = await suite.open('/campaigns');
    await page.route(/\/campaigns\/[0-9a-f]{24}\/rates/, () => {});
    await page.goto(`/console/campaigns/${id}`);
    await page.getByText('It is a draft, and goes to nobody yet').waitFor();
    sink!.modes.ackDelayMs = SLOW_ANSWER_MS;
    await call('patch', `/campaigns/${id}`, { publish: true, sendNow: true });
    const plots = page.getByRole('heading', { name: 'Opens and clicks a second' });
    await plots.waitFor({ timeout: STARTS_MS_MAX });
    await page.getByText('% delivered').waitFor({ timeout: SENDS_MS_MAX });
    sink!.modes.ackDelayMs = ANSWER_MS;
    expect(await plots.isVisible()).to.equal(true);
    await page.getByTitle(WIDE).waitFor({ state: 'attached' });
    expect(await page.getByRole('heading', { name: 'Headers' }).count()).to.equal(0);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  it('move by the stream alone while 2,000 are sent, pause by a key, outlast a stopped API, and end with the figures', async () => {
    const emails = Array.from({ length: PEOPLE }, (_, index) =>
      index < BOUNCES ? `reject-rcpt-550-5.1.1+${index}@example.org` : `reader${index}@example.org`,
    );
    const readers = await list('Newsletter', emails);
    await call('post', '/suppression-groups/emails/suppress', {
      emails: emails.slice(100, 103),
      reason: 'UNSUBSCRIBE',
    });
    const id = await draft({
      name: 'November letter',
      toLists: [readers],
      // Far from the end when the page shows that it is under way, also on a slow machine.
      sendRatePerSecond: 80,
      thresholdPreset: 'aggressive',
    });

    const page = await suite.open('/campaigns');
    await page
      .getByRole('row', { name: /November letter/ })
      .getByText('Draft')
      .waitFor();
    await page.getByRole('link', { name: 'November letter' }).click();
    await page.getByText('It is a draft, and goes to nobody yet').waitFor();
    await call('patch', `/campaigns/${id}`, { publish: true, sendNow: true });

    const bar = page.getByRole('progressbar', { name: 'November letter' });
    await bar.waitFor({ timeout: STARTS_MS_MAX });
    await page.getByRole('heading', { level: 2, name: 'Recipients' }).waitFor();
    await page.getByRole('table', { name: 'Recipients' }).getByText('@example.org').first().waitFor();
    // The mail is asked for after its links, and may come last.
    await page.getByTitle(WIDE).waitFor({ state: 'attached' });
    await moved(page, { sent: 80 });
    const before = await figures(page);
    const requests = await requestsDuring(page, () => moved(page, { sent: before.sent + 160 }));
    // Reports are counted some seconds later, and are asked for again then.
    expect(requests.filter((url) => !/reports|reasons|links|recipients/.test(url))).to.deep.equal([]);
    const later = await until(
      () => figures(page),
      ({ left }) => left !== before.left,
      { ms: SENDS_MS_MAX },
    );
    expect(later.bar).to.be.greaterThan(before.bar);
    expect(later.rate).to.match(/^[\d,.]+ \/ s$/);
    await expectAccessible(page);
    await shoot(page, 'campaign-sending');

    await page.keyboard.press('p');
    await page.getByText(/^Paused: nothing is in flight$/).waitFor();
    // The counts of an answer may be some moments old.
    await until(
      () => progressOf(id),
      ({ status, inFlight }) => status === 'paused' && inFlight === 0,
    );
    const arrived = sink?.ledger.total ?? 0;
    await call('patch', `/campaigns/${id}`, { sendRatePerSecond: null });
    await page.getByRole('button', { name: 'Resume' }).waitFor();
    await shoot(page, 'campaign-paused');

    await stopApi(suite);
    await page.getByText('The API cannot be reached').waitFor();
    await shoot(page, 'campaign-lost');
    await startApi(suite);
    await page.getByText('The API cannot be reached').waitFor({ state: 'detached' });
    expect(sink?.ledger.total).to.equal(arrived);

    await page.getByRole('button', { name: 'Resume' }).waitFor();
    await page.keyboard.press('p');
    await page.getByText('Sending', { exact: true }).first().waitFor();
    await page.getByText('% delivered').waitFor({ timeout: SENDS_MS_MAX });
    const ended = await until(
      () => progressOf(id),
      ({ sent, bounced }) => sent === PEOPLE - 3 && bounced === BOUNCES,
    );
    expect(ended).to.include({ sent: PEOPLE - 3, bounced: BOUNCES, suppressed: 3 });
    await page.getByRole('link', { name: /Unsubscribed from/ }).waitFor();
    await shoot(page, 'campaign-sent');

    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText('21 to 40 of 2,000').waitFor();
    await page.getByRole('link', { name: new RegExp(`^Bounced\\s*${BOUNCES}$`) }).click();
    await page
      .getByRole('link', { name: /^550 5\.1\.1/ })
      .first()
      .click();
    await page.getByRole('table', { name: 'Recipients' }).getByText('reject-rcpt-550-5.1.1+').first().waitFor();
    await page.getByText(`1 to ${BOUNCES} of ${BOUNCES}`).waitFor();
    await page
      .getByRole('link', { name: /reject-rcpt-550-5\.1\.1\+\d+@/ })
      .first()
      .click();
    const drawer = page.getByRole('complementary');
    await drawer.getByText(/In the audience through list "Newsletter"/).waitFor();
    await drawer.getByText('no such user here').first().waitFor();
    await expectAccessible(page);
    await shoot(page, 'campaign-recipient');
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });
    await page
      .getByRole('link', { name: /^550 5\.1\.1/, exact: false })
      .last()
      .click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download as CSV' }).click(),
    ]);
    const csv = await text(await download.createReadStream());
    expect(csv.trim().split('\n')).to.have.length(1 + BOUNCES);
    await page.getByRole('link', { name: /^Suppressed\s*3$/ }).click();
    const [others] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download as CSV' }).click(),
    ]);
    expect(await text(await others.createReadStream())).to.contain(emails[101]);
  });

  it('say what is wrong at its field, ask before they abort or delete, and copy for those who did not open', async () => {
    const emails = ['ada@example.org', 'bo@example.org', 'reject-rcpt-550-5.1.1+cy@example.org'];
    const people = await list('Three', emails);
    // Its midnight is hours away, and its noon is on another day where the browser is.
    const hour = new Date().getUTCHours();
    const timezone = hour >= 5 && hour < 10 ? 'Pacific/Pago_Pago' : 'Pacific/Kiritimati';
    const id = await draft({
      ...{ name: 'Reading list', toLists: [people], sendMode: 'gradual' },
      gradual: { emailsPerDay: 1, growth: '2x', timezone },
    });
    await call('patch', `/campaigns/${id}`, { publish: true });
    await until(
      () => progressOf(id),
      ({ sent }) => sent === 1,
      { ms: STARTS_MS_MAX },
    );
    const page = await suite.open(`/campaigns/${id}`);
    await page.getByText('Sending gradually').waitFor();
    await page.getByRole('heading', { name: 'Plan by day' }).waitFor();
    const plan = `1 on the first day, each day 2 times the day before, ${timezone}; day 1 now`;
    await page.getByText(plan, { exact: true }).waitFor();
    await page.getByRole('img', { name: /^2 days: 1 on the first day/ }).waitFor();
    const dayIn = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: timezone });
    const nextDays = [-1, 0, 1].map((days) => dayIn.format(Date.now() + days * DAY_MS));
    const ofPlan = page.getByRole('region', { name: 'Plan by day' }).locator('tbody th');
    expect(await ofPlan.allTextContents(), 'days of the zone of the plan').to.deep.equal(nextDays);
    await shoot(page, 'campaign-gradual');

    await page.getByRole('button', { name: 'Rate: no limit' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Mails a second at most').fill('fast');
    await dialog.getByRole('button', { name: 'Change the rate' }).click();
    await dialog.getByText('must be a whole number, or null for none').waitFor();
    expect(await dialog.getByLabel('Mails a second at most').inputValue()).to.equal('fast');
    await dialog.getByLabel('Mails a second at most').fill('300');
    await page.keyboard.press('p');
    await page.keyboard.press('Backspace');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Rate: 300 / s' }).waitFor();
    expect(await call('get', `/campaigns/${id}`)).to.include({ sendRatePerSecond: 300, status: 'sending_gradual' });

    await page.getByRole('button', { name: 'More for this campaign' }).click();
    await page.getByRole('menuitem', { name: 'Send a test mail…' }).click();
    await dialog.getByLabel('To', { exact: true }).fill('ada@example.org, nobody@@example');
    await dialog.getByRole('button', { name: 'Send test' }).click();
    await dialog.getByText('entry 2: must be an email address').waitFor();
    expect(await dialog.getByLabel('To', { exact: true }).inputValue()).to.equal('ada@example.org, nobody@@example');
    await expectAccessible(page);
    await dialog.getByLabel('To', { exact: true }).fill('ada@example.org');
    await dialog.getByRole('button', { name: 'Send test' }).click();
    await page.getByText('The test is on its way to 1 address').waitFor();

    await page.getByRole('button', { name: 'Abort…' }).click();
    await dialog.getByText('2 people will not get this mail; 1 person already got it.').waitFor();
    await shoot(page, 'campaign-abort');
    await dialog.getByRole('button', { name: 'Not now' }).click();
    expect(await progressOf(id)).to.include({ status: 'sending_gradual' });
    await page.getByRole('button', { name: 'Abort…' }).click();
    await dialog.getByRole('button', { name: 'Abort for 2 people' }).click();
    await page.getByText('Aborted', { exact: true }).waitFor();
    expect(await progressOf(id)).to.include({ status: 'aborted' });

    await page.getByRole('button', { name: 'More for this campaign' }).click();
    await page.getByRole('menuitem', { name: 'Duplicate for those who did not open' }).click();
    await page.getByText('Made a draft for those who did not open Reading list').waitFor();
    const { campaigns } = await call('get', '/campaigns?search=Reading');
    expect(campaigns).to.have.length(2);
    expect(campaigns[0].audience).to.deep.equal({ campaignId: id, did: 'notOpened' });
    await page.getByText('They got Reading list and neither opened it').waitFor();
    await page.locator('.figure', { hasText: '1 person gets this mail' }).waitFor();
    await shoot(page, 'campaign-not-opened');
    await page.getByRole('button', { name: 'Publish…' }).click();
    await dialog.getByRole('button', { name: 'Publish for 1 person' }).waitFor();
    await dialog.getByRole('button', { name: 'Not now' }).click();
    await page.getByRole('button', { name: 'Save draft' }).click();
    await page.getByText('Saved Copy of Reading list').waitFor();
    expect(await call('get', `/campaigns/${campaigns[0].id}`))
      .to.have.property('audience')
      .that.is.not.equal(null);

    await page.goto('/console/campaigns');
    await page
      .getByRole('row', { name: /Reading list/ })
      .first()
      .waitFor();
    await expectAccessible(page);
    await shoot(page, 'campaigns');
    await page.getByLabel('State').selectOption('draft');
    await page.getByRole('row', { name: /Aborted/ }).waitFor({ state: 'detached' });
    expect(new URL(page.url()).searchParams.get('status')).to.equal('draft');
    await page
      .getByRole('button', { name: /^Actions for/ })
      .first()
      .click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    await dialog.getByText('Nobody has got it.').waitFor();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No campaign fits').waitFor();
    expect((await call('get', '/campaigns?search=Reading')).campaigns).to.have.length(1);
    await page.getByRole('searchbox').fill('reading');
    await page.getByRole('button', { name: 'Clear the filters' }).click();
    await page.getByRole('row', { name: /Aborted/ }).waitFor();
  });

  it('show a viewer all of it, and why the buttons do not work', async () => {
    const people = await list('One', ['dora@example.org']);
    const later = new Date(Date.now() + 3_600_000).toISOString();
    const id = await draft({ name: 'Christmas letter', toLists: [people], publish: true, scheduledAt: later });
    const page = await suite.open(`/campaigns/${id}`, { role: 'viewer' });
    await page.getByText('Scheduled', { exact: true }).first().waitFor();
    await page.getByRole('button', { name: 'Pause' }).click({ force: true });
    await page
      .getByText(/Your role is viewer, which does not include this/)
      .last()
      .waitFor();
    await page.keyboard.press('p');
    expect(await progressOf(id)).to.include({ status: 'scheduled' });
    await page.frameLocator('iframe[title="Preview at 320 px"]').getByRole('link', { name: 'Books' }).waitFor();
    await expectAccessible(page);
    await shoot(page, 'campaign-scheduled');
    const none = await suite.open('/campaigns', { tenant: suite.other });
    await none.getByText('No campaign yet').waitFor();
    await shoot(none, 'campaigns-empty');
    await none.goto(`/console/campaigns/${id}`);
    await none.getByText('This is not here').waitFor();
  });
});

interface Figures {
  sent: number;
  bar: number;
  rate: string;
  left: string;
}

async function figures(page: Page): Promise<Figures> {
  const text = async (id: string) => (await page.getByTestId(id).textContent()) ?? '';
  const value = await page.getByRole('progressbar').first().getAttribute('aria-valuenow');
  return {
    sent: Number((await text('sent')).replaceAll(',', '')),
    bar: Number(value),
    rate: await text('rate'),
    left: await text('left'),
  };
}

function moved(page: Page, { sent }: { sent: number }): Promise<unknown> {
  return until(
    () => page.getByTestId('sent').textContent(),
    (shown) => Number(shown?.replaceAll(',', '')) >= sent,
    { ms: SENDS_MS_MAX },
  );
}

async function text(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
