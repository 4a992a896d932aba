import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { BrowserContext, Locator, Page } from 'playwright-core';
import PostalMime from 'postal-mime';
import { seedDemo, signInLinkOf } from '../../stack/demo/seed.ts';
import { startWorkers, type Workers } from '../../workers/start.ts';
import { browser } from '../support/chromium.ts';
import { expectAccessible, pickFound, shoot, useConsole } from '../support/console.ts';
import { type Sink, startSink } from '../support/smtp-sink.ts';
import { until } from '../support/wait.ts';

const READERS = 60;
/** Clicks, choices and texts. Each one more is a reason to look whether a page became harder. */
const ACTS_MAX = 24;
/** On a machine that does other things too. */
const SENDS_MS_MAX = 60_000;
const OPENED_MS_MAX = 60_000;
const WAIT_MS = 30_000;

const csv = [
  'E-Mail,Vorname,City',
  ...Array.from({ length: READERS }, (_, index) => `reader${index}@harbour.example,Reader ${index},Hamburg`),
].join('\n');
const letter = `<h1>Hello {{firstName}}</h1>
<p>The new books are here: <a href="https://harbour.example/new">have a look</a>.</p>
<p><a href="{{unsubscribe}}">Unsubscribe</a></p>`;

describe('The first hour of a new user', function () {
  this.timeout(180_000);
  let sink: Sink | undefined;
  let workers: Workers | undefined;
  let context: BrowserContext | undefined;
  let link: string;
  const faults: string[] = [];
  const acts: string[] = [];
  const suite = useConsole(async () => {
    sink = await startSink({ keepRaw: READERS });
    return { SMTP_URL: sink.url, WORKER_PROCESSES: '1' };
  });
  before(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'everpost-first-hour-'));
    // The installation as `npm start` leaves it.
    const seed = await seedDemo(suite.deps, folder);
    rmSync(folder, { recursive: true, force: true });
    link = (await signInLinkOf(suite.deps, seed)) ?? '';
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
  async function choose(target: Locator, label: string): Promise<void> {
    acts.push(`choose in ${target}`);
    await pickFound(target, label);
  }

  it('leads from the link of npm start to a sent campaign and its figures, by what the pages show', async () => {
    const viewport = { width: 1400, height: 1000 };
    context = await (await browser()).newContext({ baseURL: suite.url, viewport, locale: 'en-GB' });
    context.setDefaultTimeout(WAIT_MS);
    const page = await context.newPage();
    page.on('pageerror', (error) => faults.push(error.message));

    await page.goto(link);
    await click(page.getByRole('button', { name: 'Sign in' }));
    await page.getByRole('heading', { name: 'Now', exact: true }).waitFor();
    await shoot(page, 'first-now');
    await click(page.getByRole('link', { name: 'New campaign' }).first());
    await page.getByText('Nobody is here yet').waitFor();
    await expectAccessible(page);
    await shoot(page, 'first-campaign');

    await importReaders(page);
    await makeTemplate(page);
    await sendCampaign(page);

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
    await shoot(page, 'first-sent');
    await page.goto('/console/emails');
    await page.getByRole('cell', { name: 'The new books' }).first().waitFor();
    expect(faults).to.deep.equal([]);
    expect(acts.length, acts.join('\n')).to.be.at.most(ACTS_MAX);
  });

  async function importReaders(page: Page): Promise<void> {
    await click(page.getByRole('link', { name: 'Import a file' }));
    await click(page.getByRole('button', { name: 'Import a file' }));
    const dialog = page.getByRole('dialog');
    acts.push('choose the file');
    const file = { name: 'readers.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) };
    await dialog.getByLabel('File').setInputFiles(file);
    acts.push('choose a new list');
    await dialog.getByLabel('They join').click();
    await page.getByRole('option', { name: 'New list…' }).click();
    await click(dialog.getByRole('button', { name: 'Import', exact: true }));
    await dialog.locator('.hint.t-bad').waitFor();
    await type(dialog.getByLabel('Name of the list'), 'Readers');
    await shoot(page, 'first-import');
    await click(dialog.getByRole('button', { name: 'Import', exact: true }));
    const row = page.getByRole('row', { name: /readers\.csv/ });
    await row.getByText('Completed', { exact: true }).waitFor();
    await row
      .getByRole('cell', { name: String(READERS), exact: true })
      .first()
      .waitFor();
  }

  async function makeTemplate(page: Page): Promise<void> {
    await click(page.getByRole('link', { name: 'Templates' }));
    await click(page.getByRole('button', { name: 'New template' }));
    const dialog = page.getByRole('dialog');
    await type(dialog.getByLabel('Name'), 'The new books');
    await click(dialog.getByRole('button', { name: 'Make template' }));
    const editor = page.getByRole('textbox', { name: 'HTML of the mail' });
    await click(editor);
    acts.push('paste the HTML');
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.insertText(letter);
    await page.frameLocator('iframe[title="Preview at 720 px"]').getByRole('link', { name: 'have a look' }).waitFor();
    await shoot(page, 'first-template');
    await click(page.getByRole('button', { name: 'Publish' }));
    await page.getByText('Published version 2 of The new books').waitFor();
  }

  async function sendCampaign(page: Page): Promise<void> {
    await click(page.getByRole('link', { name: 'Campaigns' }));
    await click(page.getByRole('link', { name: 'New campaign' }).first());
    await type(page.getByLabel('Name of the campaign'), 'November letter');
    acts.push('choose the list');
    await pickFound(page.getByLabel('Add a list or a segment'), 'Readers');
    await page.locator('.figure', { hasText: `${READERS} people get this mail` }).waitFor();
    await choose(page.getByLabel('Saved sender'), 'Everpost demo');
    await choose(page.getByLabel('Template'), 'The new books');
    // Of the template, since nothing was typed.
    expect(await page.getByLabel('Subject').inputValue()).to.equal('The new books');
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
