import { expect } from 'chai';
import { startWorkers, type Workers } from '../../workers/start.ts';
import { smallAccountA } from '../providers/account-a.ts';
import { smallAccountB } from '../providers/account-b.ts';
import { type ProviderA, startProviderA } from '../providers/provider-a.ts';
import { type ProviderB, startProviderB } from '../providers/provider-b.ts';
import { expectAccessible, shoot, useConsole } from '../support/console.ts';

describe('The pages of migrations', () => {
  let provider: ProviderB;
  let providerA: ProviderA;
  const accountA = smallAccountA();
  let workers: Workers;
  const account = smallAccountB();
  const suite = useConsole(async () => {
    provider = await startProviderB([account]);
    providerA = await startProviderA([accountA]);
    const urls = { PROVIDER_A_URL: providerA.url, PROVIDER_B_URL: provider.url };
    return { ...urls, PROVIDER_B_RATE: '500', MIGRATION_PATIENCE_SECONDS: '0' };
  });
  before(async () => {
    workers = startWorkers(suite.deps, ['workflows', 'background']);
    await workers.ready;
  });
  after(async () => {
    await workers?.stop();
    await provider?.stop();
    await providerA?.stop();
  });

  it('shows before a migration from provider A how many get no mail, and which of them the key may not read', async () => {
    accountA.scopes = accountA.scopes.filter((scope) => scope !== 'suppression.spam_reports.read');
    const page = await suite.open('/migrations');
    await page.getByRole('button', { name: 'New migration' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Key', { exact: true }).fill(accountA.key);
    await dialog.getByRole('button', { name: 'See what is there' }).click();
    await dialog.getByText('3 unsubscribed, 4 bounced or invalid, 0 reported spam').waitFor();
    await dialog.getByText(/lacks the scope suppression\.spam_reports\.read/).waitFor();
    await page.close();
  });

  it('plans, starts, holds when the provider fails, and is replayed with a retry', async () => {
    const page = await suite.open('/migrations');
    await page.getByText('Nothing was migrated yet').waitFor();
    await page.getByRole('button', { name: 'New migration' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Provider B (Resend)').check();
    await dialog.getByLabel('Key', { exact: true }).fill('re_wrong');
    await dialog.getByRole('button', { name: 'See what is there' }).click();
    await dialog.getByRole('alert').waitFor();
    expect(await dialog.getByLabel('Key', { exact: true }).inputValue()).to.equal('re_wrong');
    await dialog.getByLabel('Key', { exact: true }).fill(account.key);
    await dialog.getByRole('button', { name: 'See what is there' }).click();
    await dialog.getByText(String(account.templates.length), { exact: true }).first().waitFor();
    await shoot(page, 'migrations-plan');

    account.keyState = 'sending_only';
    await dialog.getByRole('button', { name: `Migrate ${account.contacts.length} people` }).click();
    // Decided by a workflow, after several tasks of Temporal.
    await page.getByText(/Nothing is lost: it goes on from there/).waitFor({ timeout: 90_000 });
    await expectAccessible(page);
    await shoot(page, 'migration-holds');
    const now = await suite.open('/', { besides: page });
    await now.getByText('Provider B (Resend)', { exact: true }).waitFor();
    await now.getByRole('link', { name: 'Retry: Provider B (Resend)' }).waitFor();
    await now.close();

    account.keyState = 'valid';
    await page.getByRole('button', { name: 'Retry…' }).click();
    await shoot(page, 'migration-retry');
    await page.getByRole('dialog').getByRole('button', { name: 'Go on', exact: true }).click();
    await page
      .getByText(/^Completed/)
      .first()
      .waitFor();
    await page
      .getByRole('row', { name: /^Contacts/ })
      .getByText(`${account.contacts.length} created`)
      .waitFor();
    await shoot(page, 'migration-done');

    await page.getByRole('link', { name: 'Migrations', exact: true }).first().click();
    await page.getByRole('link', { name: 'Provider B (Resend)' }).waitFor();
    await shoot(page, 'migrations');
  });
});
