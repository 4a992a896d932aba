import { expect } from 'chai';
import type { BrowserContext, Locator, Page } from 'playwright-core';
import PostalMime from 'postal-mime';
import { startWorkers, type Workers } from '../../workers/start.ts';
import { browser } from '../support/browser/chromium.ts';
import {
  expectAccessible,
  forgetShifts,
  measureShifts,
  SHIFT_MAX,
  shiftsOf,
  shoot,
  untilQuiet,
  useConsole,
} from '../support/browser/console.ts';
import { seedFirstStart } from '../support/browser/first-start.ts';
import { type Sink, startSink } from '../support/mail/smtp-sink.ts';
import { until } from '../support/wait.ts';

const READERS = 500;
/** Clicks, chords of keys and fields that are typed, each one act. One more is a reason to look whether a page became harder. */
const ACTS_MAX = 21;
/** On a machine that does other things too. */
const SENDS_MS_MAX = 120_000;
const OPENED_MS_MAX = 60_000;
const WAIT_MS = 30_000;

const csv = [
  'E-Mail,Vorname,City',
  ...Array.from({ length: READERS }, (_, index) => `reader${index}@harbour.example,Reader ${index},Hamburg`),
].join('\n');
const line = 'The new books are here.';
const address = 'https://harbour.example/new';

describe('The first hour of a new user', function () {
  this.timeout(300_000);
  let sink: Sink | undefined;
  let workers: Workers | undefined;
  let context: BrowserContext | undefined;
  let link: string;
  const faults: string[] = [];
  const acts: string[] = [];
  const suite = useConsole(async () => {
    sink = await startSink({ keepRaw: 1 });
    return { SMTP_URL: sink.url, WORKER_PROCESSES: '1' };
  });
  before(async () => {
    link = await (await seedFirstStart(suite)).link();
    workers = startWorkers(suite.deps, ['workflows', 'background', 'campaign']);
    await workers.ready;
  });
  after(async () => {
    await context?.close();
    await workers?.stop();
    await sink?.close();
  });

  async function click(target: Locator): Promise<void> {
    acts.push(`click ${target}`);
    await target.click();
  }
  async function type(target: Locator, text: string): Promise<void> {
    acts.push(`type into ${target}`);
    await target.fill(text);
  }
  it('leads from the link of npm start to a sent campaign and its figures, by what the pages show', async () => {
    const viewport = { width: 1400, height: 1000 };
    context = await (await browser()).newContext({ baseURL: suite.url, viewport, locale: 'en-GB' });
    context.setDefaultTimeout(WAIT_MS);
    const page = await context.newPage();
    await measureShifts(page);
    page.on('pageerror', (error) => faults.push(error.message));

    await page.goto(link);
    await click(page.getByRole('button', { name: 'Sign in' }));
    await page.getByRole('heading', { name: 'Now', exact: true }).waitFor();
    await shoot(page, 'first-now');
    await importReaders(page);
    await makeTemplate(page);
    await sendCampaign(page);

    await page.getByTestId('sent').waitFor({ timeout: SENDS_MS_MAX });
    await forgetShifts(page);
    await page.getByText('% delivered').waitFor({ timeout: SENDS_MS_MAX });
    await page
      .getByTestId('sent')
      .filter({ hasText: new RegExp(`^${READERS}$`) })
      .waitFor();
    expect(sink?.ledger.total).to.equal(READERS);
    const raw = sink?.ledger.messages[0]?.raw ?? '';
    expect(raw).to.contain('From: Everpost demo <hello@demo.everpost.test>').and.to.contain('Subject: The new books');

    await openMail(raw);
    const opened = page.locator('.funnel li', { hasText: 'Opened' }).locator('.num', { hasText: /^1$/ });
    await opened.waitFor({ timeout: OPENED_MS_MAX });
    await untilQuiet(page);
    // While it was sent, and when it ended.
    const { worst, moved } = await shiftsOf(page);
    expect(worst, moved.join('\n')).to.be.below(SHIFT_MAX);
    await shoot(page, 'first-sent');
    await page.goto('/console/emails');
    await page.getByRole('cell', { name: 'The new books' }).first().waitFor();
    expect(faults).to.deep.equal([]);
    expect(acts.length, acts.join('\n')).to.be.at.most(ACTS_MAX);
  });

  async function importReaders(page: Page): Promise<void> {
    await click(page.getByRole('link', { name: 'Import a file' }));
    const dialog = page.getByRole('dialog');
    acts.push('click the file field', 'choose the file');
    const file = { name: 'readers.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) };
    await dialog.getByLabel('File').setInputFiles(file);
    await click(dialog.getByLabel('They join'));
    await click(page.getByRole('option', { name: 'New list…' }));
    expect(await dialog.getByLabel('Name of the list').inputValue()).to.equal('readers');
    await expectAccessible(page);
    await shoot(page, 'first-import');
    await click(dialog.getByRole('button', { name: 'Import', exact: true }));
    const drawer = page.getByRole('complementary');
    await drawer.getByText('Completed', { exact: true }).waitFor();
    await drawer.getByRole('link', { name: 'New campaign for this list' }).waitFor();
    await shoot(page, 'first-imported');
  }

  async function makeTemplate(page: Page): Promise<void> {
    await click(page.getByRole('link', { name: 'Templates' }));
    await click(page.getByRole('button', { name: 'New template' }));
    const dialog = page.getByRole('dialog');
    await type(dialog.getByLabel('Name'), 'The new books');
    await click(dialog.getByRole('button', { name: 'Make template' }));
    acts.push('click three times into the line to replace');
    await page.getByText('Write here what you want to say.').first().click({ clickCount: 3 });
    acts.push('type the line');
    await page.keyboard.insertText(line);
    await click(page.getByRole('textbox', { name: 'The mail' }).getByText('Read more'));
    await type(page.getByLabel('Leads to'), address);
    await page.getByText('Nothing to mend was found.').waitFor();
    await click(page.getByRole('button', { name: 'Publish' }));
    await page.getByText(/^Published version \d+ of The new books$/).waitFor();
    await shoot(page, 'first-template');
  }

  async function sendCampaign(page: Page): Promise<void> {
    await click(page.getByRole('link', { name: 'New campaign with this template' }));
    await page.getByLabel('Name of the campaign').waitFor();
    for (const [label, text] of [
      ['Name of the campaign', 'The new books'],
      ['Subject', 'The new books'],
      ['From', 'hello@demo.everpost.test'],
      ['Name shown', 'Everpost demo'],
    ] as const)
      expect(await page.getByLabel(label, { exact: true }).inputValue(), label).to.equal(text);
    await click(page.getByLabel('Add a list or a segment'));
    await click(page.getByRole('option', { name: /^readers/ }));
    await page.locator('.figure', { hasText: `${READERS} people get this mail` }).waitFor();
    await expectAccessible(page);
    await shoot(page, 'first-editor');
    await click(page.getByRole('button', { name: 'Publish…' }));
    await click(page.getByRole('dialog').getByRole('button', { name: `Send to ${READERS} people` }));
    await page.waitForURL(/\/campaigns\/[0-9a-f]{24}$/);
  }

  /** As the mail program of a reader shows it. */
  async function openMail(raw: string): Promise<void> {
    const { html = '' } = await PostalMime.parse(raw);
    const [pixel = ''] = /http:[^"\s]+\/t\/o\/[^"\s]+\.gif/.exec(html) ?? [];
    await until(
      () => fetch(pixel, { headers: { 'User-Agent': 'Mozilla/5.0 (Macintosh) Mail' } }),
      ({ status }) => status === 200,
      { ms: WAIT_MS },
    );
  }
});
