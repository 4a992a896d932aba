import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import type { Page } from 'playwright-core';
import { seedVerifiedDomain } from '../../../../core/domains/domains.ts';
import { SENDER } from '../../../delivery/support.ts';
import { holdCall, untilQuiet, useConsole } from '../../../support/browser/console.ts';
import { made } from '../../../support/client.ts';

const WEEK_MS = 7 * 24 * 3_600_000;
/** Longer than typing rests before it is saved. */
const REST_MS = 10_000;

describe('A campaign that is being published', () => {
  const suite = useConsole();
  let listId: string;
  before(async () => {
    const { client, project } = suite.own;
    await seedVerifiedDomain(suite.deps, project, 'mail.example.com', new ObjectId());
    listId = (await made(client, '/contact-lists', { name: 'Newsletter' })).id;
    await made(client, '/contacts', { email: 'ada@in.test', listIds: [listId] });
  });

  /** The editor of a draft for next week, with all that publishing needs, on a clock that the test moves. */
  async function openDraft() {
    const { client } = suite.own;
    const { id } = await made(client, '/campaigns', {
      ...{ name: 'Winter letter', subject: 'Winter', from: { email: SENDER }, toLists: [listId], publish: false },
      ...{ htmlTemplate: '<p>Snow</p>', sendMode: 'scheduled', scheduledAt: new Date(Date.now() + WEEK_MS) },
    });
    const page = await suite.open('/campaigns');
    await page.locator(`a[href$="/campaigns/${id}"]`).first().click();
    await page.getByRole('link', { name: 'Edit' }).first().click();
    await page.locator('.figure', { hasText: '1 person gets this mail' }).waitFor();
    await page.clock.install();
    const { isHeld, release } = await holdCall(page, 'PATCH', /\/campaigns\/[0-9a-f]{24}$/);
    const stored = async () => (await client.get(`/campaigns/${id}`)).body.data;
    return { page, isHeld, release, stored };
  }

  async function pressPublish(page: Page) {
    await page.getByRole('button', { name: 'Publish…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Publish Winter letter' });
    await dialog.getByRole('button', { name: 'Publish for 1 person' }).click();
    return dialog;
  }

  it('stays published, although what was typed before comes to rest while the call is open', async () => {
    const { page, isHeld, release, stored } = await openDraft();
    await page.getByLabel('Subject').fill('Winter is here');
    await pressPublish(page);
    await isHeld;
    await page.clock.fastForward(REST_MS);
    release();
    await page.waitForURL(/\/campaigns\/[0-9a-f]{24}$/);
    await untilQuiet(page);
    expect(await stored()).to.include({ status: 'scheduled', subject: 'Winter is here' });
  });

  it('is saved as a draft again by itself when it was refused', async () => {
    const { page, isHeld, release, stored } = await openDraft();
    await page.getByLabel('Subject').fill('Winter is here');
    const refusal = Promise.withResolvers<void>();
    await page.route(/\/campaigns\/[0-9a-f]{24}$/, async (route) => {
      if (!route.request().postDataJSON()?.publish) return route.fallback();
      await refusal.promise;
      return route.fulfill({ status: 400, json: { success: false, error: { message: 'It lacks a sender.' } } });
    });
    const dialog = await pressPublish(page);
    await page.clock.fastForward(REST_MS);
    refusal.resolve();
    await dialog.getByText('It lacks a sender.').waitFor();
    await dialog.getByRole('button', { name: 'Not now' }).click();
    await page.clock.fastForward(REST_MS);
    await isHeld;
    release();
    await page.getByText(/^Saved \d\d:/).waitFor();
    expect(await stored()).to.include({ status: 'draft', subject: 'Winter is here' });
  });

  for (const [how, close] of [
    ['Escape', (page: Page) => page.keyboard.press('Escape')],
    ['Escape, twice', (page: Page) => page.keyboard.press('Escape').then(() => page.keyboard.press('Escape'))],
    ['"Not now"', (page: Page) => page.getByRole('button', { name: 'Not now' }).click({ force: true })],
    ['the Back button', (page: Page) => page.evaluate('history.back()')],
  ] as const)
    it(`is not left by ${how} until the answer is there`, async () => {
      const { page, isHeld, release, stored } = await openDraft();
      await page.getByLabel('Subject').fill('Winter is here');
      const dialog = await pressPublish(page);
      await isHeld;
      await close(page);
      await page.evaluate('new Promise(requestAnimationFrame)');
      await dialog.waitFor();
      expect(await dialog.getByRole('button', { name: 'Not now' }).getAttribute('title')).to.equal(
        'Wait for the answer.',
      );
      release();
      await page.waitForURL(/\/campaigns\/[0-9a-f]{24}$/);
      await dialog.waitFor({ state: 'detached' });
      await page.locator('h1', { hasText: 'Winter letter' }).waitFor();
      await page.locator('.badge', { hasText: 'Scheduled' }).waitFor();
      expect((await stored()).status).to.equal('scheduled');
    });

  it('is asked about with the number of people of this moment, and not where they cannot be counted', async () => {
    const { page } = await openDraft();
    const publish = page.getByRole('button', { name: 'Publish…' });
    const count = /\/v1\/campaigns\/audience$/;
    // Unlike a server that cannot be reached, it is not asked again until a person says so.
    const refusal = { success: false, error: { code: 'VALIDATION_ERROR', message: 'It is not counted.' } };
    await page.route(count, (route) => route.fulfill({ status: 400, json: refusal }));
    await publish.click();
    await page.getByText('The audience could not be counted', { exact: true }).waitFor();
    expect(await page.getByRole('dialog').count()).to.equal(0);
    await page.unroute(count);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.clock.fastForward(REST_MS);
    await page.locator('.figure', { hasText: '1 person gets this mail' }).waitFor();
    const { id } = await made(suite.own.client, '/contacts', { email: 'grace@in.test', listIds: [listId] });
    await publish.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Publish for 2 people' }).waitFor();
    await page.locator('.figure', { hasText: '2 people get this mail' }).waitFor();
    await suite.own.client.delete(`/contacts/${id}`);
  });

  it('leads to its page once it cannot be edited any more', async () => {
    const { page, stored } = await openDraft();
    const { id } = await stored();
    const { client } = suite.own;
    expect((await client.patch(`/campaigns/${id}`, { publish: true })).status).to.equal(200);
    expect((await client.post(`/campaigns/${id}/pause`, {})).status).to.equal(200);
    await page.reload();
    await page.waitForURL(new RegExp(`/campaigns/${id}$`));
    await page.locator('.badge', { hasText: 'Paused' }).waitFor();
    expect(await page.getByRole('button', { name: 'Publish…' }).count()).to.equal(0);
  });
});
