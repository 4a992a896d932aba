import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import type { Page } from 'playwright-core';
import type { EmailSummary, InboundMessage as InboundMail } from '../../../client/index.ts';
import { withAnswers } from '../../../console/pages/inbound/answers.ts';
import type { InboundMessage } from '../../../core/inbound/model.ts';
import { contentOf } from '../../../core/mail/messages/contents.ts';
import { makers } from '../../edge/makers.ts';
import { receivingDomain } from '../../feedback/support.ts';
import { payloads, RAN } from '../../previews/payloads.ts';
import { expectAccessible, shoot, useConsole } from '../../support/browser/console.ts';
import type { Tenant } from '../../support/environment.ts';
import { type Door, openDoor } from '../../support/mail/inbound-door.ts';

const DOMAIN = 'desk.harbour.example';
const PHONE = 375;

describe('The pages of inbound mail', () => {
  const suite = useConsole({ MAIL_HOST: 'mx.harbour.example', DNS_SERVERS: '127.0.0.1:9' });
  let door: Door;
  before(async () => {
    door = await openDoor(suite);
  });
  after(() => door?.server.close());

  async function bring(headers: Record<string, string>, body: string, to = `support@${DOMAIN}`): Promise<void> {
    const all = { From: 'Ada Moreau <ada@sender.example.net>', To: `<${to}>`, 'MIME-Version': '1.0', ...headers };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
    const sent = await door.send({
      from: 'ada@sender.example.net',
      to,
      raw: `${lines.join('\r\n')}\r\n\r\n${body}\r\n`,
    });
    expect(sent.data, JSON.stringify(sent)).to.match(/^250/);
  }
  async function seed(tenant: Tenant, fields: Partial<InboundMessage>): Promise<InboundMessage> {
    const id = new ObjectId((await makers.inboundId?.make(tenant, suite)) as string);
    const one = { _id: id, projectId: tenant.project._id };
    await suite.deps.db.inboundMessages.updateOne(one, { $set: fields });
    return (await suite.deps.db.inboundMessages.findOne(one)) as InboundMessage;
  }
  const fits = (page: Page) => page.evaluate('document.documentElement.scrollWidth - innerWidth');

  it('say what is missing before mail can come', async () => {
    const tenant = await suite.newTenant('Nothing yet');
    const page = await suite.open('/inbound', { tenant });
    await page.getByText('No domain receives mail').waitFor();
    await page.getByRole('link', { name: 'Choose a domain' }).waitFor();
    const name = await receivingDomain(suite, tenant, { live: false, name: 'waits.harbour.example' });
    await page.reload();
    await page.getByText(`${name} waits for its MX record`).waitFor();
    await shoot(page, 'inbound-empty');
    await expectAccessible(page);
    const of = { projectId: tenant.project._id, domainName: name };
    await suite.deps.db.domains.updateOne(of, { $set: { inboundDomainVerifiedAt: new Date() } });
    await page.reload();
    await page.getByText(`for example support@${name}`).waitFor();
    await page.getByRole('link', { name }).waitFor();
  });

  it('show mail as it comes, its files and the answer, which is refused at its fields', async () => {
    const { own, deps } = suite;
    await receivingDomain(suite, own, { name: DOMAIN });
    const page = await suite.open('/inbound');
    await page.getByText(`for example support@${DOMAIN}`).waitFor();
    const html = '<h1>Where is my order?</h1><img src="https://pictures.sender.example/x.gif"><p>No. 1042</p>';
    const parts = [
      '--b\r\nContent-Type: multipart/alternative; boundary=c\r\n',
      '--c\r\nContent-Type: text/plain\r\n\r\nWhere is my order? No. 1042',
      `--c\r\nContent-Type: text/html\r\n\r\n${html}\r\n--c--`,
      '--b\r\nContent-Type: text/csv\r\nContent-Disposition: attachment; filename="order 1042.csv"\r\n\r\nn,price\r\n1,20\r\n--b--',
    ];
    const first = '<order-1@sender.example.net>';
    await bring(
      { Subject: 'My order', 'Message-ID': first, 'Content-Type': 'multipart/mixed; boundary=b' },
      parts.join('\r\n'),
    );
    const row = page.getByRole('row', { name: /Ada Moreau/ });
    await row.getByText('My order').waitFor();
    await bring({ Subject: 'Thank you', 'Message-ID': '<thanks@sender.example.net>' }, 'For the parcel.');
    await page.getByRole('row', { name: /Thank you/ }).waitFor();
    const again = { Subject: 'Re: My order', 'Message-ID': '<order-2@sender.example.net>', 'In-Reply-To': first };
    await bring({ ...again, From: 'ada@sender.example.net' }, 'Are you there?');
    await page.getByRole('row', { name: /Re: My order/ }).waitFor();
    await page.getByText('2 conversations').waitFor();
    expect(await page.getByRole('row').count()).to.equal(3);
    await expectAccessible(page);
    await shoot(page, 'inbound');

    await page.getByRole('searchbox').fill('parcel');
    await page.getByRole('row', { name: /Re: My order/ }).waitFor({ state: 'detached' });
    await page.getByRole('searchbox').fill('no such words');
    await page.getByText('No mail fits').waitFor();
    await page.getByRole('button', { name: 'Clear the search' }).click();
    await page
      .getByRole('row', { name: /Re: My order/ })
      .getByRole('link')
      .click();

    await page.getByRole('heading', { level: 1, name: /Re: My order/ }).waitFor();
    await page.getByRole('region', { name: 'The mail as text' }).getByText('Are you there?').waitFor();
    await page.getByRole('button', { name: 'Open this mail' }).click();
    const frame = page.frameLocator('iframe[title="The mail"]');
    await frame.getByRole('heading', { name: 'Where is my order?' }).waitFor();
    const iframe = page.locator('iframe[title="The mail"]');
    expect(await iframe.getAttribute('sandbox')).to.equal('');
    const quiet = await iframe.getAttribute('src');
    const pictures: string[] = [];
    await page.route('https://pictures.sender.example/**', (route) => {
      pictures.push(route.request().url());
      return route.abort();
    });
    await expectAccessible(page);
    await shoot(page, 'inbound-thread');
    expect(pictures).to.deep.equal([]);
    const loading = page.waitForRequest('https://pictures.sender.example/x.gif');
    await page.getByRole('button', { name: 'Load pictures' }).click();
    await loading;
    expect(await iframe.getAttribute('src')).to.not.equal(quiet);

    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download order 1042.csv' }).click();
    const file = await downloading;
    expect(file.suggestedFilename()).to.equal('order 1042.csv');
    expect(
      readFileSync(await file.path(), 'utf8')
        .trim()
        .split(/\r?\n/),
    ).to.deep.equal(['n,price', '1,20']);

    await page.getByRole('button', { name: 'Reply' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'Reply' });
    expect(await dialog.getByLabel('From').inputValue()).to.equal(`support@${DOMAIN}`);
    const send = dialog.getByRole('button', { name: 'Send reply' });
    expect(await send.getAttribute('title')).to.equal('Write the answer first.');
    await dialog.getByLabel('Answer').fill('It left us yesterday.');
    await dialog.getByLabel('From').fill('support@elsewhere.example');
    await send.click();
    await dialog.getByText(`Must be on ${DOMAIN}`, { exact: false }).waitFor();
    expect(await dialog.locator('[aria-invalid]').getAttribute('name')).to.equal('from/email');
    await dialog.getByLabel('From').fill(`support@${DOMAIN}`);
    await dialog.getByLabel('Copies to').fill('bo@in.test, nobody@@in.test');
    await send.click();
    await dialog.getByText('entry 2: must be an email address').waitFor();
    expect(await dialog.getByLabel('Answer').inputValue()).to.equal('It left us yesterday.');
    await shoot(page, 'inbound-reply');
    await expectAccessible(page);
    await dialog.getByLabel('Copies to').fill('bo@in.test');
    const slip = { name: 'slip.txt', mimeType: 'text/plain', buffer: Buffer.from('Parcel 7') };
    await dialog.getByLabel('Files').setInputFiles(slip);
    await send.click();
    await page.getByText('The reply is on its way').waitFor();
    const message = await deps.db.messages.findOne({ projectId: own.project._id, email: 'ada@sender.example.net' });
    expect(message?.subject).to.equal('Re: My order');
    const content = message && (await contentOf(deps, message));
    expect(content).to.include({ text: 'It left us yesterday.', html: null });
    expect(content?.attachments.map(({ fileName }) => fileName)).to.deep.equal(['slip.txt']);
    expect(content?.references).to.include('order-1@sender.example.net');
    await page.getByRole('button', { name: 'Show it' }).click();
    await page.getByRole('complementary', { name: 'Re: My order' }).waitFor();

    await page.goBack();
    const articles = page.getByRole('article');
    const answer = page.getByRole('article', { name: 'Our answer' });
    await answer.getByRole('button', { name: 'Open this answer' }).click();
    await answer.getByText('It left us yesterday.').waitFor();
    expect(await articles.first().getAttribute('aria-labelledby')).to.equal(
      await answer.getAttribute('aria-labelledby'),
    );
    await expectAccessible(page);
    await shoot(page, 'inbound-answered');
  });

  it('let viewers and authors read, and answer none', async () => {
    const tenant = await suite.newTenant('Read');
    const mail = await seed(tenant, { from: { email: 'bo@in.test', name: 'Bo' }, subject: 'Hello', text: 'Read me' });
    for (const role of ['viewer', 'author'] as const) {
      const page = await suite.open(`/inbound/${mail.threadId}`, { tenant, role });
      await page.getByText('Read me').waitFor();
      for (const button of await page.getByRole('button', { name: 'Reply' }).all())
        expect(await button.getAttribute('title')).to.match(new RegExp(`Your role is ${role}`));
      await page.getByRole('button', { name: 'Reply' }).first().click({ force: true });
      expect(await page.getByRole('dialog').count()).to.equal(0);
    }
    const stranger = await suite.open(`/inbound/${mail.threadId}`);
    await stranger.getByText('No mail is here').waitFor();
  });

  it('show an erased mail without its writer, and refuse an answer to an address that no one reads', async () => {
    const tenant = await suite.newTenant('Erased');
    const none = { email: '', name: null };
    const { threadId } = await seed(tenant, { from: none, subject: '', text: null, isOfDeleted: true });
    const page = await suite.open(`/inbound/${threadId}`, { tenant });
    await page.getByText('The person was deleted').waitFor();
    expect(await page.getByRole('button', { name: 'Reply' }).count()).to.equal(0);
    await page.getByRole('link', { name: 'Inbound' }).first().click();
    await page.getByText('deleted contact').waitFor();

    const machine = await seed(tenant, { from: { email: 'noreply@in.test', name: null }, domainName: DOMAIN });
    await page.goto(`/console/${tenant.project._id}/inbound/${machine.threadId}`);
    await page.getByRole('button', { name: 'Reply' }).first().click();
    await page.getByLabel('Answer').fill('Is anyone there?');
    await page.getByRole('button', { name: 'Send reply' }).click();
    await page.getByRole('dialog').getByText('no address that people read').waitFor();
  });

  it('keep a written answer when no file is chosen, and ask before it is dropped', async () => {
    const tenant = await suite.newTenant('Written');
    const { threadId } = await seed(tenant, { from: { email: 'bo@in.test', name: 'Bo' }, text: 'Where is it?' });
    const page = await suite.open(`/inbound/${threadId}`, { tenant });
    const open = page.getByRole('button', { name: 'Reply' }).first();
    const dialog = page.getByRole('dialog', { name: 'Reply' });
    const answer = dialog.getByLabel('Answer');
    const question = page.getByRole('dialog', { name: 'Discard the reply' });
    const staysWritten = async () => {
      await question.waitFor();
      await page.keyboard.press('Escape');
      await question.waitFor({ state: 'detached' });
      expect(await answer.inputValue()).to.equal('It left us yesterday.');
    };
    await open.click();
    await answer.waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await open.click();
    await answer.fill('It left us yesterday.');
    await dialog.getByLabel('Files').dispatchEvent('cancel');
    await dialog.getByRole('button', { name: 'Close' }).click();
    await staysWritten();
    await page.keyboard.press('Escape');
    await staysWritten();
    await dialog.getByRole('button', { name: 'Not now' }).click();
    await expectAccessible(page);
    await question.getByRole('button', { name: 'Discard it' }).click();
    await dialog.waitFor({ state: 'detached' });
    await open.click();
    expect(await answer.inputValue()).to.equal('');
  });

  it('run nothing of a hostile mail, whichever of its fields has it', async function () {
    this.timeout(180_000);
    const tenant = await suite.newTenant('Hostile');
    const mails: InboundMessage[] = [];
    for (const payload of payloads)
      mails.push(
        await seed(tenant, {
          from: { email: 'mallory@in.test', name: payload },
          to: [{ email: `"${payload}"@${DOMAIN}`, name: payload }],
          cc: [{ email: 'bo@in.test', name: payload }],
          replyTo: [{ email: `${payload}@in.test`, name: payload }],
          ...{ domainName: DOMAIN, subject: payload, text: payload, html: payload },
          attachments: [
            { fileName: payload, contentType: payload, contentId: null, sizeBytes: 12, fileId: new ObjectId() },
          ],
          headers: [{ name: 'X-Test', value: payload }],
        }),
      );
    const page = await suite.open('/inbound', { tenant });
    const ran: string[] = [];
    page.on('console', (message) => {
      if (message.text() === RAN) ran.push(page.url());
    });
    page.on('dialog', (dialog) => {
      ran.push(dialog.message());
      void dialog.dismiss();
    });
    const asked: string[] = [];
    await page.route(/evil\.test/, (route) => {
      asked.push(route.request().url());
      return route.abort();
    });
    await page.goto(`/console/${tenant.project._id}/inbound`);
    await page.getByText(`1 to 20 of ${payloads.length}`).waitFor();
    const shown = await page.getByRole('table').textContent();
    for (const { subject } of mails.slice(-20)) expect(shown).to.include(subject);
    await page.setViewportSize({ width: PHONE, height: 812 });
    expect(await fits(page)).to.be.at.most(0);

    for (const { threadId, subject } of mails) {
      await page.goto(`/console/${tenant.project._id}/inbound/${threadId}`);
      const iframe = page.locator('iframe[title="The mail"]');
      await iframe.waitFor();
      expect(await page.getByRole('heading', { level: 1 }).textContent()).to.include(subject);
      const load = page.getByRole('button', { name: 'Load pictures' });
      if (await load.isVisible()) {
        const before = await iframe.getAttribute('src');
        await load.click();
        await page.locator(`iframe:not([src="${before}"])`).waitFor();
      }
      await page.waitForTimeout(100);
      await iframe.click({ position: { x: 12, y: 16 } });
      await page.getByRole('radio', { name: 'Text' }).check();
      expect(await page.getByRole('region', { name: 'The mail as text' }).textContent()).to.equal(subject);
      expect(await fits(page), subject).to.be.at.most(0);
      await page.getByRole('button', { name: 'Reply' }).first().click();
      await page.getByRole('dialog').getByLabel('From', { exact: true }).waitFor();
    }
    await shoot(page, 'inbound-hostile');
    expect(ran).to.deep.equal([]);
    expect(asked).to.deep.equal([]);
  });
});

describe('The answers in a conversation', () => {
  const mail = (receivedAt: string) => ({ receivedAt }) as InboundMail;
  const answer = (createdAt: string) => ({ createdAt }) as EmailSummary;
  const times = (entries: ReturnType<typeof withAnswers>) =>
    entries.map((entry) => ('mail' in entry ? entry.mail.receivedAt : `our ${entry.answer.createdAt}`));

  it('are each above the mail that they follow, on one page of several', () => {
    const emails = ['9', '6', '4', '1'].map(answer);
    const pages = [
      { mails: ['8', '7'], before: null },
      { mails: ['5', '3'], before: '7' },
      { mails: ['2'], before: '3' },
    ].map(({ mails, before }, index) =>
      times(withAnswers(mails.map(mail), { emails, before }, { page: index + 1, pages: 3 })),
    );
    expect(pages).to.deep.equal([
      ['our 9', '8', '7'],
      ['our 6', '5', 'our 4', '3'],
      ['2', 'our 1'],
    ]);
    expect(times(withAnswers([mail('1')], null, { page: 1, pages: 1 }))).to.deep.equal(['1']);
  });
});
