import { crc32, deflateSync } from 'node:zlib';
import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import PostalMime from 'postal-mime';
import { startWorkers, type Workers } from '../../workers/start.ts';
import { chooseFile, expectAccessible, shoot, useConsole } from '../support/browser/console.ts';
import { seedFirstStart } from '../support/browser/first-start.ts';
import { made } from '../support/client.ts';
import { type Sink, startSink } from '../support/mail/smtp-sink.ts';
import { editorOf } from './mail-editor/kit.ts';

/** Clicks, fields that are typed and files that are chosen, each one act. */
const ACTS_MAX = 25;
const SENDS_MS_MAX = 120_000;
const TABS_MAX = 120;
/** The panel shows the block of the cursor with the next picture of the screen. */
const FRAMES = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))';

const words = { line: 'The rye is back, baked every morning.', local: 'Come and taste it on Saturday.' };
const address = 'https://harbour.example/rye';
const alt = 'A loaf of rye in the morning light';

describe('The first mail of a new user', function () {
  this.timeout(300_000);
  let sink: Sink | undefined;
  let workers: Workers | undefined;
  let link: () => Promise<string>;
  const suite = useConsole(async () => {
    sink = await startSink({ keepRaw: 10 });
    return { SMTP_URL: sink.url, WORKER_PROCESSES: '1' };
  });
  before(async () => {
    const first = await seedFirstStart(suite);
    const { client } = first;
    link = first.link;
    await made(client, '/custom-fields', { fieldName: 'city', fieldType: 'string', label: 'City' });
    const list = await made(client, '/contact-lists', { name: 'Readers' });
    for (const [email, firstName, city] of [
      ['ada@harbour.example', 'Ada', 'Hamburg'],
      ['bo@harbour.example', 'Bo', null],
    ])
      await client.post('/contacts', { email, firstName, listIds: [list.id], contactProperties: city ? { city } : {} });
    workers = startWorkers(suite.deps, ['workflows', 'background', 'campaign']);
    await workers.ready;
  });
  after(async () => {
    await workers?.stop();
    await sink?.close();
  });

  const begun = async (): Promise<Page> => suite.open('/', { link: await link() });

  /** Both get their words, the picture and the button; the part for some goes to one of them alone. */
  async function expectArrived(before: number): Promise<void> {
    const mails = await Promise.all(
      (sink?.ledger.messages ?? []).slice(before).map(({ raw }) => PostalMime.parse(Buffer.from(raw ?? '', 'latin1'))),
    );
    expect(mails).to.have.length(2);
    for (const { html = '', to } of mails) {
      expect(html).to.contain(words.line).and.to.contain(alt).and.to.contain('Unsubscribe');
      expect(html).to.match(/<img[^>]+src="[^"]+\/media\//);
      expect(html.includes(words.local)).to.equal(to?.[0]?.address === 'ada@harbour.example');
    }
  }

  it('is sent with a picture, a button and a part for some, by mouse', async () => {
    const page = await begun();
    const { mail, panel, block, checks } = editorOf(page);
    const acts: string[] = [];
    const click = async (target: Locator, clickCount = 1) => {
      acts.push(`click ${target}`);
      await target.click({ clickCount });
    };
    const type = async (text: string) => {
      acts.push(`type ${text}`);
      await page.keyboard.insertText(text);
    };
    const fill = async (target: Locator, text: string) => {
      acts.push(`type into ${target}`);
      await target.fill(text);
    };
    const add = async (name: RegExp) => {
      await click(page.getByRole('button', { name: 'Block', exact: true }));
      await click(page.getByRole('option', { name }));
    };
    const before = sink?.ledger.messages.length ?? 0;

    await click(page.getByRole('button', { name: 'Sign in' }));
    await click(page.getByRole('link', { name: 'Campaigns', exact: true }));
    await click(page.getByRole('link', { name: 'New campaign' }).first());
    await click(page.getByLabel('Add a list or a segment'));
    await click(page.getByRole('option', { name: /^Readers/ }));
    await click(page.getByRole('button', { name: 'Write the mail', exact: true }));
    await click(page.getByRole('button', { name: /^A greeting/ }));
    const dialog = page.getByRole('dialog');
    await fill(dialog.getByLabel('Subject'), 'The rye is back');
    await click(mail.getByText('Write here what you want to say.'), 3);
    await type(words.line);
    await add(/^Picture/);
    acts.push('click Upload a picture', 'choose the file');
    const file = { name: 'rye.png', mimeType: 'image/png', buffer: picture() };
    await panel.getByLabel('Picture to upload').setInputFiles(file);
    await fill(panel.getByLabel('Description'), alt);
    await click(mail.getByText('Read more'));
    await panel.getByRole('heading', { name: 'Button' }).waitFor();
    await fill(panel.getByLabel('Leads to'), address);
    await add(/^Only for some/);
    acts.push('choose a field');
    await panel.getByLabel('Only for people whose').selectOption({ label: 'City' });
    await mail.getByText('Only when city has a value').waitFor();
    await click(block('when').locator('p').last());
    await type(words.local);
    await block('when').getByText(words.local).waitFor();
    await page.getByText('Nothing to mend was found.').waitFor();
    await expectAccessible(page);
    await shoot(page, 'first-mail-written');
    await click(dialog.getByRole('button', { name: 'Done' }));
    await dialog.waitFor({ state: 'detached' });
    expect(await page.getByLabel('Name of the campaign').inputValue()).to.equal('The rye is back');
    await page.frameLocator('iframe[title="Preview at 320 px"]').getByText(words.line).waitFor();
    await expectAccessible(page);
    await shoot(page, 'first-mail-campaign');
    await click(page.getByRole('button', { name: 'Publish…' }));
    await click(dialog.getByRole('button', { name: 'Send to 2 people' }));
    await page.getByTestId('sent').filter({ hasText: /^2$/ }).waitFor({ timeout: SENDS_MS_MAX });
    await expectArrived(before);
    await shoot(page, 'first-mail-sent');
    expect(await checks.count()).to.equal(0);
    console.log(`      ${acts.length} acts`);
    expect(acts.length, acts.join('\n')).to.be.at.most(ACTS_MAX);
  });

  it('is sent the same by keyboard alone', async () => {
    const page = await begun();
    const { mail, panel, block } = editorOf(page);
    const { keyboard } = page;
    let presses = 0;
    const press = async (key: string) => {
      presses += 1;
      await keyboard.press(key);
    };
    /** With Tab, as far as it takes. */
    const reach = async (target: Locator, key = 'Tab') => {
      await target.first().waitFor();
      const isThere = () => target.first().evaluate((one) => one === one.ownerDocument.activeElement);
      for (let left = TABS_MAX; left > 0 && !(await isThere()); left -= 1) await press(key);
      expect(await isThere(), `${target} is reached`).to.equal(true);
    };
    const go = async (target: Locator, key = 'Tab') => {
      await reach(target, key);
      await press('Enter');
    };
    const before = sink?.ledger.messages.length ?? 0;
    const dialog = page.getByRole('dialog');

    await go(page.getByRole('button', { name: 'Sign in' }));
    await go(page.getByRole('link', { name: 'Campaigns', exact: true }));
    await go(page.getByRole('link', { name: 'New campaign' }).first());
    await reach(page.getByLabel('Name of the campaign'));
    await keyboard.type('Rye by keyboard');
    await reach(page.getByLabel('Add a list or a segment'));
    await keyboard.type('Readers');
    await page.getByRole('option', { name: /^Readers/ }).waitFor();
    await page.getByRole('option', { name: /^Everybody/ }).waitFor({ state: 'detached' });
    await press('Enter');
    await page.locator('.figure', { hasText: '2 people get this mail' }).waitFor();
    await go(page.getByRole('button', { name: 'Write the mail', exact: true }));
    await go(page.getByRole('button', { name: /^A greeting/ }));
    await reach(dialog.getByLabel('Subject'));
    await keyboard.type('The rye is back');
    await reach(mail);
    await press('Control+Home');
    await press('ArrowDown');
    await press('Home');
    await press('Shift+End');
    await keyboard.type(words.line);
    await mail.getByText(words.line).waitFor();
    await press('Control+Enter');
    await keyboard.type('/');
    await page.getByRole('combobox', { name: 'Find a block' }).waitFor();
    await keyboard.type('pict');
    await press('Enter');
    await panel.getByRole('heading', { name: 'Picture' }).waitFor();
    await reach(panel.getByRole('button', { name: 'Upload a picture' }));
    const file = { name: 'rye.png', mimeType: 'image/png', buffer: picture() };
    await chooseFile(page, () => press('Enter'), file);
    await reach(panel.getByLabel('Description'));
    await keyboard.type(alt);
    await press('Escape');
    await press('Control+Enter');
    await keyboard.type('/');
    await page.getByRole('combobox', { name: 'Find a block' }).waitFor();
    await keyboard.type('only');
    await press('Enter');
    const whose = panel.getByLabel('Only for people whose');
    await whose.and(page.locator(':focus')).waitFor();
    await keyboard.type('City');
    await mail.getByText('Only when city has a value').waitFor();
    await press('Escape');
    await keyboard.type(words.local);
    await block('when').getByText(words.local).waitFor();
    const isAtButton = async () => {
      await page.evaluate(FRAMES);
      return (await panel.getByRole('heading', { name: 'Button' }).count()) > 0;
    };
    for (let left = TABS_MAX; left > 0 && !(await isAtButton()); left -= 1) await press('ArrowDown');
    await panel.getByRole('heading', { name: 'Button' }).waitFor();
    await reach(panel.getByLabel('Leads to'));
    await press('Control+a');
    await keyboard.type(address);
    await page.getByText('Nothing to mend was found.').waitFor();
    await expectAccessible(page);
    await shoot(page, 'first-mail-by-keyboard');
    await go(dialog.getByRole('button', { name: 'Done' }), 'Shift+Tab');
    await dialog.waitFor({ state: 'detached' });
    await go(page.getByRole('button', { name: 'Publish…' }), 'Shift+Tab');
    await go(dialog.getByRole('button', { name: 'Send to 2 people' }));
    await page.getByTestId('sent').filter({ hasText: /^2$/ }).waitFor({ timeout: SENDS_MS_MAX });
    await expectArrived(before);
    console.log(`      ${presses} keys, without those of words`);
  });
});

/** The sun above a field, as a PNG. */
function picture(): Buffer {
  const [width, height] = [1200, 520];
  const rows = Array.from({ length: height }, (_, y) => {
    const row = Buffer.alloc(1 + width * 3);
    for (let x = 0; x < width; x += 1) {
      const far = Math.hypot(x - 860, y - 190);
      const hill = 360 + 40 * Math.sin(x / 170) + 14 * Math.sin(x / 47);
      const sky = [253 - y / 9, 214 - y / 7, 150 + y / 6];
      const colour = y > hill ? [176 - y / 12, 122 - y / 14, 48] : far < 84 ? [255, 244, 214] : sky;
      row.set(colour.map(Math.round), 1 + x * 3);
    }
    return row;
  });
  const chunk = (name: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(name), data]);
    const [length, sum] = [data.length, crc32(body)].map((number) => {
      const bytes = Buffer.alloc(4);
      bytes.writeUInt32BE(number);
      return bytes;
    });
    return Buffer.concat([length!, body, sum!]);
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 2], 8);
  const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);
  return Buffer.concat([
    signature,
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(Buffer.concat(rows))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}
