import { useConsole } from '../../support/browser/console.ts';
import { startApi, stopApi } from '../../support/outage.ts';

describe('A script that is loaded where it is used', () => {
  const suite = useConsole();
  afterEach(async () => {
    if (suite.app && !suite.app.server.listening) await startApi(suite);
  });

  it('is loaded by itself once the server is back', async () => {
    const page = await suite.open('/automations');
    await page.getByText('No automation yet').waitFor();
    await stopApi(suite);
    await page.getByRole('link', { name: 'Webhooks', exact: true }).click();
    await page.getByRole('heading', { name: 'This page could not be loaded' }).waitFor();
    await startApi(suite);
    await page.getByRole('heading', { name: 'Webhooks', exact: true }).waitFor();
  });
});
