import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import type { Locator, Page } from 'playwright-core';
import { seedVerifiedDomain } from '../../../core/domains/domains.ts';
import { useConsole } from '../../support/browser/console.ts';
import { made } from '../../support/client.ts';

interface Listing {
  path: string;
  name: string;
  /** The end of the address once the row is open. */
  opens: string;
}

describe('The rows of listings', () => {
  const suite = useConsole();
  const listings: Listing[] = [];
  const ids: Record<string, string> = {};

  before(async () => {
    const { client, project } = suite.own;
    const domainId = new ObjectId();
    await seedVerifiedDomain(suite.deps, project, 'mail.example.com', domainId);
    const make = (path: string, body: object) => made(client, path, body);
    const list = await make('/contact-lists', { name: 'Newsletter' });
    const template = await make('/templates', { templateName: 'Winter', emailTemplate: '<p>Cold</p>' });
    const campaign = await make('/campaigns', {
      ...{ name: 'Sale', from: { email: 'post@mail.example.com' }, subject: 'Prices', htmlTemplate: '<p>Cold</p>' },
      toLists: [list.id],
    });
    const contact = await make('/contacts', { email: 'ada@harbour.example' });
    const form = await make('/forms', { name: 'Blog', listIds: [list.id] });
    const webhook = await make('/webhooks', { url: 'https://hooks.harbour.example/in', events: ['contact.created'] });
    await make('/suppression-groups/emails/suppress', { emails: ['gone@harbour.example'], isGlobal: true });
    ids.list = list.id;
    listings.push(
      { path: '/lists', name: 'Newsletter', opens: `/lists/${list.id}` },
      { path: '/templates', name: 'Winter', opens: `/templates/${template.templateId}` },
      { path: '/campaigns', name: 'Sale', opens: `/campaigns/${campaign.id}` },
      { path: '/contacts', name: 'ada@harbour.example', opens: `/contacts?person=${contact.id}` },
      { path: '/forms', name: 'Blog', opens: `/forms/${form.id}` },
      { path: '/webhooks', name: 'hooks.harbour.example/in', opens: `/webhooks?webhook=${webhook.id}` },
      { path: '/domains', name: 'mail.example.com', opens: `/domains?domain=${domainId}` },
    );
  });

  const rowOf = (page: Page, name: string) =>
    page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) });
  const address = (page: Page) => page.url().slice(page.url().indexOf(`${suite.own.project._id}`) + 24);
  /** The background of the row under the pointer. */
  async function hovered(page: Page, row: Locator): Promise<unknown> {
    await row.hover();
    return page.evaluate('getComputedStyle(document.querySelector("tbody tr:hover > td:not(.tick)")).backgroundColor');
  }

  it('open what they name, wherever they are clicked', async () => {
    for (const { path, name, opens } of listings) {
      const page = await suite.open(path);
      const row = rowOf(page, name);
      expect(await hovered(page, row), path).to.match(/^rgb\(/);
      await row.getByRole('cell').and(page.locator(':not(.tick)')).nth(1).click();
      await page.waitForURL((url) => url.href.endsWith(opens));
      await page.close();
    }
  });

  it('open in a new tab with Ctrl and with the middle button, and stay where they are', async () => {
    const page = await suite.open('/lists');
    const cell = rowOf(page, 'Newsletter').getByRole('cell', { name: 'List', exact: true });
    for (const how of [{ modifiers: ['ControlOrMeta' as const] }, { button: 'middle' as const }]) {
      const [tab] = await Promise.all([page.context().waitForEvent('page'), cell.click(how)]);
      await tab.waitForURL((url) => url.href.endsWith(`/lists/${ids.list}`));
      await tab.close();
      expect(address(page)).to.equal('/lists');
    }
  });

  it('do not open by a control, a tick, a selection of text or the right button', async () => {
    const page = await suite.open('/lists');
    const row = rowOf(page, 'Newsletter');
    await row.getByRole('button', { name: 'Delete Newsletter' }).click();
    await page.getByRole('dialog', { name: 'Delete Newsletter' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await row.getByRole('cell', { name: 'List', exact: true }).click({ button: 'right' });
    await page.keyboard.press('Escape');
    const box = await row.getByText('List', { exact: true }).boundingBox();
    if (!box) throw new Error('the cell is not drawn');
    await page.mouse.move(box.x + 1, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + 60, box.y + box.height / 2, { steps: 5 });
    await page.mouse.up();
    expect(await page.evaluate('getSelection().toString().length')).to.be.greaterThan(0);
    expect(address(page)).to.equal('/lists');

    await page.goto('/console/contacts');
    const tick = page.getByRole('checkbox', { name: 'Choose ada@harbour.example' });
    const cell = page.locator('td.tick').filter({ has: tick });
    await tick.check();
    await cell.click({ position: { x: 2, y: 2 } });
    await page.getByText('1 chosen').waitFor();
    expect(address(page)).to.equal('/contacts');
  });

  it('open by keyboard with the link alone, which is one stop', async () => {
    const page = await suite.open('/templates');
    await rowOf(page, 'Winter').getByRole('link', { name: 'Winter' }).focus();
    await page.keyboard.press('Tab');
    await rowOf(page, 'Winter').getByRole('button', { name: 'Delete Winter' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Winter', level: 1 }).waitFor();
  });

  it('are not highlighted where there is nothing to open', async () => {
    const page = await suite.open('/suppressions');
    const row = page.getByRole('row', { name: /gone@harbour\.example/ });
    expect(await hovered(page, row)).to.equal('rgba(0, 0, 0, 0)');
    await row.getByRole('cell').nth(2).click();
    expect(address(page)).to.equal('/suppressions');
  });
});
