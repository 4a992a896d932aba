import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import PostalMime, { type Email } from 'postal-mime';
import { openHands, SENDER, type Stage, startStage } from '../campaigns/support.ts';
import { browser, useBrowser } from '../support/browser/chromium.ts';
import { until } from '../support/wait.ts';

/** Many other tests may run on the same cores. */
const WAIT = { ms: 150_000 };
const TRACKED = { trackingClick: true, trackingOpen: true };
const PAGE_WAIT_MS = 30_000;
const ROUNDS = 25;
const HTML = `<p>Hello {{firstName}}</p><p><a href="https://shop.example.com/sale">Sale</a></p>
<p><a href="{{viewInBrowserUrl}}">View</a> <a href="{{preferencesUrl}}">Choose</a> <a href="{{unsubscribe}}">Leave</a></p>`;

interface Sent {
  mail: Email;
  /** Of List-Unsubscribe. */
  leave: string;
  links: string[];
}

describe('A person with JavaScript off', function () {
  this.timeout(600_000);
  let stage: Stage;
  let hands: ReturnType<typeof openHands>;
  useBrowser();
  before(async () => {
    const env = { PUBLIC_RATE_LIMIT: '100000' };
    stage = await startStage({ lanes: ['mail'], sinkOptions: { keepRaw: 500 }, env });
    hands = openHands(stage);
  });
  after(async () => {
    await hands?.stop();
    await stage?.stop();
  });

  const make = async (path: string, body: object) => {
    const { status, body: answer, text } = await stage.own.client.post(path, body);
    expect(status, text).to.be.oneOf([200, 201]);
    return answer.data;
  };
  const launch = (subject: string, listId: string, more: object = {}) =>
    stage.launch({ htmlTemplate: HTML, subject, toLists: [listId], ...TRACKED, ...more });
  /** The addresses that got the campaign, when it is over. */
  const reached = async (id: string) => {
    expect(await hands.drive(id)).to.include({ status: 'sent' });
    return [...(await stage.arrived(id)).keys()].sort();
  };
  const newsTo = async (subject: string, listId: string) => reached(await launch(subject, listId));
  /** Marketing mail by a call, which needs no campaign. */
  async function offerTo(to: string, groupId: string): Promise<Sent> {
    const subject = `Offer for ${to}`;
    const mail = { from: { email: SENDER }, to: { email: to }, subject, html: HTML, unsubscribeGroupId: groupId };
    await make('/mails/send', { ...mail, ...TRACKED });
    return received(subject, to);
  }
  const received = async (subject: string, to: string): Promise<Sent> => {
    const mail = (await until(
      async () => {
        const own = stage.sink.ledger.messages.filter((message) => message.to.includes(to));
        const raws = own.flatMap(({ raw }) => raw ?? []);
        const mails = await Promise.all(raws.map((raw) => PostalMime.parse(Buffer.from(raw, 'latin1'))));
        return mails.find((one) => one.subject === subject);
      },
      (found) => found !== undefined,
      WAIT,
    )) as Email;
    const header = mail.headers.find(({ key }) => key === 'list-unsubscribe')!.value;
    const links = `${mail.html} ${mail.text} ${header}`.match(/https?:\/\/127\.0\.0\.1[^\s"'<>)]+/g)!;
    return { mail, leave: /<(http[^>]+)>/.exec(header)![1]!, links: [...new Set(links)] };
  };
  /** In the mail that a person asked for. */
  const dataLink = async (to: string) => {
    const link = async () => {
      const own = stage.sink.ledger.messages.filter((message) => message.to.includes(to));
      const mails = await Promise.all(own.map(({ raw }) => PostalMime.parse(Buffer.from(raw ?? '', 'latin1'))));
      return mails.map(({ text = '' }) => /https?:\/\/127\.0\.0\.1:\d+\/d\/[\w-]{43}/.exec(text)?.[0]).find(Boolean);
    };
    return (await until(link, (found) => found !== undefined, WAIT)) as string;
  };
  const linkOf = ({ mail }: Sent, label: string) => new RegExp(`<a href="([^"]+)">${label}</a>`).exec(mail.html!)![1]!;
  /** A browser of its own, without scripts. */
  async function withPage(walk: (page: Page) => Promise<void>): Promise<void> {
    const context = await (await browser()).newContext({ javaScriptEnabled: false, locale: 'en-GB' });
    try {
      context.setDefaultTimeout(PAGE_WAIT_MS);
      await walk(await context.newPage());
    } finally {
      await context.close();
    }
  }
  async function people(name: string): Promise<{ listId: string; groupId: string; ada: string; bob: string }> {
    const { id: listId } = await make('/contact-lists', { name, description: 'Each Monday', isPublic: true });
    const { groupId } = await make('/suppression-groups', { name: `${name} offers`, isPublic: true });
    const [ada, bob] = [`ada.${listId}@example.org`, `bob.${listId}@example.org`];
    for (const email of [ada, bob]) await make('/contacts/email', { email, firstName: 'P', listIds: [listId] });
    return { listId, groupId, ada, bob };
  }

  it('comes from the mail by the unsubscribe page to the preferences, leaves a list, and gets no mail of it until they join again', async () => {
    const { listId, ada, bob } = await people('Weekly');
    expect(await newsTo('First', listId)).to.deep.equal([ada, bob]);
    const first = await received('First', ada);
    expect(linkOf(first, 'Choose')).to.equal(first.leave.replace('/u/', '/p/'));
    await withPage(async (page) => {
      await page.goto(first.leave);
      await page.getByRole('link', { name: 'Choose which emails you get' }).click();
      await page.getByRole('heading', { name: 'Your email preferences' }).waitFor();
      const box = page.getByRole('checkbox', { name: 'Weekly Each Monday' });
      expect(await box.isChecked()).to.equal(true);
      expect(await page.content()).to.not.contain(ada);
      await box.uncheck();
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Your choice is saved').waitFor();
      expect(await box.isChecked()).to.equal(false);
    });
    expect(await newsTo('Second', listId)).to.deep.equal([bob]);

    await withPage(async (page) => {
      await page.goto(linkOf(first, 'Choose'));
      await page.getByRole('checkbox', { name: 'Weekly Each Monday' }).check();
      await page.getByLabel('Language').selectOption('de');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Ihre Auswahl ist gespeichert').waitFor();
    });
    expect(await newsTo('Third', listId)).to.deep.equal([ada, bob]);
  });

  it('turns everything off, and gets mail that they need, but no campaign of any group, made later too, until they turn it on', async () => {
    const { groupId, ada, bob } = await people('Daily');
    const choices = linkOf(await offerTo(ada, groupId), 'Choose');
    await withPage(async (page) => {
      await page.goto(choices);
      await page.getByRole('button', { name: 'Unsubscribe from everything' }).click();
      await page.getByText('You are unsubscribed from everything').waitFor();
      for (const box of await page.getByRole('checkbox').all()) expect(await box.isChecked()).to.equal(false);
    });
    const { id: other } = await make('/contact-lists', { name: 'By hand' });
    await make('/contact-lists/contacts/bulk-add', { contactListId: other, emails: [ada, bob] });
    const { groupId: later } = await make('/suppression-groups', { name: 'Made later', isPublic: true });
    const groups = [{ unsubscribeGroupId: groupId }, {}, { unsubscribeGroupId: later }];
    for (const named of groups) expect(await reached(await launch('News', other, named))).to.deep.equal([bob]);
    const receipt = { from: { email: 'news@mail.example.com' }, to: { email: ada }, subject: 'Receipt', text: 'Paid.' };
    await make('/mails/send', receipt);
    const isReceipt = async () =>
      stage.sink.ledger.messages.filter(({ to, raw }) => to.includes(ada) && raw?.includes('Paid.'));
    await until(isReceipt, (found) => found.length === 1, WAIT);
    await withPage(async (page) => {
      await page.goto(choices);
      await page.getByRole('checkbox', { name: 'Made later' }).check();
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Your choice is saved').waitFor();
    });
    const mailed = { [groupId]: [bob], [later]: [ada, bob] };
    for (const [unsubscribeGroupId, emails] of Object.entries(mailed))
      expect(await reached(await launch('Later', other, { unsubscribeGroupId }))).to.deep.equal(emails);
  });

  it('asks for their data, and downloads them by the link of the mail that comes', async () => {
    const { groupId, ada } = await people('Curious');
    const { leave } = await offerTo(ada, groupId);
    await withPage(async (page) => {
      await page.goto(leave.replace('/u/', '/p/'));
      await page.getByRole('button', { name: 'Mail me my data' }).click();
      await page.getByRole('heading', { name: 'An email is on its way' }).waitFor();
      expect(await page.content()).to.not.contain(ada);
      await page.goto(await dataLink(ada));
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Download' }).click(),
      ]);
      expect(file.suggestedFilename()).to.equal('personal-data.json');
      expect(JSON.parse(readFileSync(await file.path(), 'utf8'))).to.include({ email: ada });
      await page.goto(await dataLink(ada));
      await page.getByRole('heading', { name: 'This link does not work any more' }).waitFor();
    });
  });

  it('is not changed by a robot that follows every link of every mail, and the links of those pages', async () => {
    const { groupId, ada, bob } = await people('Followed');
    const found = await Promise.all([ada, bob].map((to) => offerTo(to, groupId)));
    const links = found.flatMap((one) => one.links);
    // Tracked link and pixel, view, preferences, and to unsubscribe, of each.
    expect(new Set(links.map((link) => new URL(link).pathname.split('/')[1]))).to.deep.equal(
      new Set(['t', 'v', 'p', 'u']),
    );
    const before = await stage.deps.db.contacts
      .find({ projectId: stage.own.project._id, email: { $in: [ada, bob] } })
      .toArray();
    for (let round = 0; round < ROUNDS; round += 1)
      for (const link of links) {
        const page = await fetch(link, { redirect: 'manual' });
        expect(page.status, link).to.be.oneOf([200, 302]);
        const text = await page.text();
        await fetch(link, { method: 'HEAD', redirect: 'manual' });
        for (const [, href = ''] of text.matchAll(/(?:href|action)="([^"]*)"/g))
          if (URL.canParse(href, link) && new URL(href, link).origin === new URL(link).origin)
            await fetch(new URL(href, link));
      }
    const projectId = stage.own.project._id;
    expect(await stage.deps.db.suppressions.countDocuments({ projectId, email: { $in: [ada, bob] } })).to.equal(0);
    expect(await stage.deps.db.consents.countDocuments({ projectId, email: { $in: [ada, bob] } })).to.equal(0);
    const now = await stage.deps.db.contacts.find({ projectId, email: { $in: [ada, bob] } }).toArray();
    expect(now.map(({ listIds, contactProperties }) => [listIds, contactProperties])).to.deep.equal(
      before.map(({ listIds, contactProperties }) => [listIds, contactProperties]),
    );
    // The same links by a POST do change something.
    const body = new URLSearchParams({ action: 'everything-off' });
    expect((await fetch(linkOf(found[0]!, 'Choose'), { method: 'POST', body })).status).to.equal(200);
    expect(await stage.deps.db.suppressions.countDocuments({ projectId, email: ada })).to.be.above(0);
  });
});
