import type { Page } from 'playwright-core';
import { useConsole } from '../../support/browser/console.ts';

const COUNT = /\/v1\/contact-lists\/preview$/;

describe('A segment that could not be counted', () => {
  const suite = useConsole();
  before(() => suite.own.client.post('/contacts', { email: 'ada@in.test', firstName: 'Ada' }));

  const fillFilter = (page: Page) => page.getByLabel('Condition 1: value').fill('ada@in.test');

  it('is counted again by itself when the API is back', async () => {
    const page = await suite.open('/lists/new');
    await page.route(COUNT, (route) => route.abort());
    await fillFilter(page);
    await page.getByText('It is asked again by itself').waitFor();
    await page.unroute(COUNT);
    await page.locator('.figure', { hasText: '1 person' }).waitFor();
  });

  it('is counted again by "Try again" when the API refused it', async () => {
    const page = await suite.open('/lists/new');
    const refusal = { success: false, error: { message: 'Come back later.' } };
    await page.route(COUNT, (route) => route.fulfill({ status: 503, json: refusal }));
    await fillFilter(page);
    await page.getByText('Come back later.').waitFor();
    await page.unroute(COUNT);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.locator('.figure', { hasText: '1 person' }).waitFor();
  });
});
