import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import type { Page } from 'playwright-core';
import { seedVerifiedDomain } from '../../../../core/domains/domains.ts';
import { SENDER } from '../../../delivery/support.ts';
import { useConsole } from '../../../support/browser/console.ts';
import { made } from '../../../support/client.ts';

const COUNT = /\/v1\/campaigns\/audience$/;
const PREVIEW = /\/v1\/templates\/preview$/;
const NOT_COUNTED = 'The audience could not be counted';

describe('An audience that could not be counted', () => {
  const suite = useConsole();
  let listId: string;
  before(async () => {
    const { client, project } = suite.own;
    await seedVerifiedDomain(suite.deps, project, 'mail.example.com', new ObjectId());
    listId = (await made(client, '/contact-lists', { name: 'Newsletter' })).id;
    await made(client, '/contacts', { email: 'ada@in.test', listIds: [listId] });
  });

  /** The page of a campaign at local time, or its editor, which is not opened before the calls that fail are known. */
  async function campaignPage({ publish }: { publish: boolean }) {
    const localTime = { date: '2098-01-05', time: '12:00', fallbackTimezone: 'Europe/Berlin', late: 'now' };
    const { id } = await made(suite.own.client, '/campaigns', {
      ...{ name: 'Winter letter', subject: 'Winter', htmlTemplate: '<p>Snow</p>', from: { email: SENDER } },
      ...{ toLists: [listId], sendMode: 'scheduled', localTime, publish },
    });
    const page = await suite.open('/campaigns');
    return { page, visit: () => page.goto(`/console/campaigns/${id}${publish ? '' : '/edit'}`) };
  }

  const gone = (page: Page, calls: RegExp) => page.route(calls, (route) => route.abort());
  const busy = (page: Page, calls: RegExp) =>
    page.route(calls, (route) =>
      route.fulfill({ status: 503, json: { success: false, error: { message: 'Come back later.' } } }),
    );

  it('is counted again by itself when the API is back, and its campaign can be published', async () => {
    const { page, visit } = await campaignPage({ publish: false });
    await gone(page, COUNT);
    await visit();
    const notice = await page.getByText(NOT_COUNTED, { exact: true }).elementHandle();
    // It is asked again every second.
    for (let tries = 0; tries < 2; tries += 1) await page.waitForRequest(COUNT);
    expect(await notice?.evaluate(({ isConnected }) => isConnected), 'the notice stays').to.equal(true);
    const publish = page.getByRole('button', { name: 'Publish…' });
    await publish.and(page.getByTitle(`${NOT_COUNTED}. Try again under Audience.`)).waitFor();
    await page.getByRole('listitem').filter({ hasText: 'Audience' }).getByText('not counted').waitFor();
    await page.unroute(COUNT);
    await page.locator('.figure', { hasText: '1 person gets this mail' }).waitFor();
    await publish.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Publish for 1 person' }).waitFor();
  });

  it('is counted again by "Try again" when the API refused it', async () => {
    const { page, visit } = await campaignPage({ publish: false });
    await busy(page, COUNT);
    await visit();
    await page.getByText(NOT_COUNTED, { exact: true }).waitFor();
    await page.unroute(COUNT);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.locator('.figure', { hasText: '1 person gets this mail' }).waitFor();
    expect(await page.getByText(NOT_COUNTED, { exact: true }).count()).to.equal(0);
  });

  it('is said on the page of a campaign at local time too', async () => {
    const { page, visit } = await campaignPage({ publish: true });
    await busy(page, COUNT);
    await visit();
    await page.getByText(NOT_COUNTED, { exact: true }).waitFor();
    await page.unroute(COUNT);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText(NOT_COUNTED, { exact: true }).waitFor({ state: 'detached' });
    await page.getByRole('region', { name: 'Local time' }).getByText('1 person').first().waitFor();
  });

  it('has a mail that is shown again by itself when the API is back', async () => {
    const { page, visit } = await campaignPage({ publish: false });
    await gone(page, PREVIEW);
    await visit();
    await page.getByText('The preview could not be made').waitFor();
    await page.unroute(PREVIEW);
    await page.frameLocator('iframe[title="Preview at 320 px"]').getByText('Snow').waitFor();
    await page.getByText('The preview could not be made').waitFor({ state: 'detached' });
  });
});
