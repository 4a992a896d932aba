import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import type { BrowserContext, Page } from 'playwright-core';
import { browser, SKIP_BROWSER } from '../support/browser/chromium.ts';
import { type Desk, type MadeForm, startDesk } from './support.ts';

/** Never resolved: that the browser asks for it is enough. */
const THANKS = 'https://thanks.invalid/';

describe('Forms in a browser without JavaScript', function () {
  this.timeout(120_000);
  let desk: Desk;
  let context: BrowserContext;
  let site: Server;
  let framed = '';

  before(async function () {
    if (process.env[SKIP_BROWSER]) this.skip();
    this.timeout(240_000);
    desk = await startDesk();
    context = await (await browser()).newContext({ javaScriptEnabled: false, locale: 'de-DE' });
    site = createServer((_, response) => {
      response.setHeader('Content-Type', 'text/html');
      response.end(`<!doctype html><iframe src="${framed}" width="500" height="700"></iframe>`);
    });
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  });
  after(async () => {
    await context?.close();
    site?.close();
    await desk?.stop();
  });
  beforeEach(() => desk.environment.clock.set(new Date()));

  let people = 0;
  const address = () => `browser${++people}@in.test`;
  const urlOf = ({ path }: MadeForm) => `${desk.environment.url}${path}`;

  /** As if the person had taken some seconds to fill it in. */
  async function open(url: string): Promise<Page> {
    const { clock } = desk.environment;
    clock.set(new Date(Date.now() - 5_000));
    const page = await context.newPage();
    await page.goto(url);
    clock.set(new Date());
    return page;
  }

  it('lead from the page over the mail to the list', async () => {
    const form = await desk.form({ fields: [{ name: 'firstName', label: 'Vorname', type: 'text' }] });
    const email = address();
    const page = await open(urlOf(form));
    await page.getByLabel('E-Mail-Adresse').fill('falsch');
    await page.getByLabel('Vorname').fill('Ada');
    await page.getByRole('button', { name: 'Anmelden' }).click();
    await page.getByText('Bitte geben Sie eine E-Mail-Adresse ein').waitFor();
    expect(await page.getByLabel('Vorname').inputValue()).to.equal('Ada');
    await page.getByLabel('E-Mail-Adresse').fill(email);
    await page.getByRole('button', { name: 'Anmelden' }).click();
    await page.getByRole('heading', { name: 'Bitte sehen Sie in Ihr Postfach' }).waitFor();
    const link = await desk.link(email);
    await page.goto(`${desk.environment.url}${link}`);
    await page.getByRole('heading', { name: 'Anmeldung bestätigen?' }).waitFor();
    expect(await desk.contact(email)).to.equal(null);
    await page.getByRole('button', { name: 'Bestätigen' }).click();
    await page.getByRole('heading', { name: 'Sie sind angemeldet' }).waitFor();
    expect(await desk.contact(email)).to.include({ firstName: 'Ada' });
    await page.close();
  });

  it('lead to the site that the form names: the policy of the page lets the browser follow', async () => {
    const form = await desk.form({ redirectTo: { submitted: THANKS, confirmed: THANKS } });
    const email = address();
    const page = await open(urlOf(form));
    await page.getByLabel('E-Mail-Adresse').fill(email);
    await Promise.all([page.waitForRequest(THANKS), page.getByRole('button', { name: 'Anmelden' }).click()]);
    await page.close();
    const confirming = await open(`${desk.environment.url}${await desk.link(email)}`);
    const button = confirming.getByRole('button', { name: 'Bestätigen' });
    await Promise.all([confirming.waitForRequest(THANKS), button.click()]);
    await confirming.close();
    expect(desk.listIds(await desk.contact(email))).to.deep.equal([form.listId]);
  });

  it('are shown in a frame of an allowed origin, and can be sent there; not in one of another', async () => {
    const { port } = site.address() as AddressInfo;
    const [allowed, elsewhere] = [`http://localhost:${port}`, `http://127.0.0.1:${port}`];
    const form = await desk.form({ allowedOrigins: [allowed] });
    framed = urlOf(form);
    const email = address();
    const page = await open(`${allowed}/`);
    const frame = page.frameLocator('iframe');
    await frame.getByLabel('E-Mail-Adresse').fill(email);
    await frame.getByRole('button', { name: 'Anmelden' }).click();
    await frame.getByRole('heading', { name: 'Bitte sehen Sie in Ihr Postfach' }).waitFor();
    await desk.settled();
    expect(await desk.pending(email)).to.not.equal(null);
    await page.close();
    const other = await open(`${elsewhere}/`);
    await other.waitForLoadState('networkidle');
    expect(await other.frameLocator('iframe').getByLabel('E-Mail-Adresse').count()).to.equal(0);
    await other.close();
  });
});
