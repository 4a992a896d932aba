import { expect } from 'chai';
import { startWorkers, type Workers } from '../../../workers/start.ts';
import { smallAccountA } from '../../providers/account-a.ts';
import { smallAccountB } from '../../providers/account-b.ts';
import { type ProviderA, startProviderA } from '../../providers/provider-a.ts';
import { type ProviderB, startProviderB } from '../../providers/provider-b.ts';
import { expectAccessible, shoot, useConsole } from '../../support/browser/console.ts';

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
    const types = dialog.getByRole('combobox', { name: /^Type of / }).first();
    expect(await types.locator('option').allTextContents()).to.deep.equal(['Text', 'Number', 'Date']);
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
    const next = page.getByRole('group', { name: 'What comes next' });
    await next.getByRole('link', { name: 'New campaign' }).waitFor();
    await next.getByRole('link', { name: 'See the people' }).click();
    await page.getByRole('heading', { name: 'Contacts', level: 1 }).waitFor();

    await page.getByRole('link', { name: 'Migrations', exact: true }).first().click();
    await page.getByRole('link', { name: 'Provider B (Resend)' }).waitFor();
    await shoot(page, 'migrations');
  });

  it('copies fields under the names and types that were chosen, and names those that it leaves out', async () => {
    const declared = async () => {
      const { customFields } = (await suite.own.client.get('/custom-fields')).body.data;
      return customFields.map((one: Record<string, string>) => `${one.fieldName} ${one.fieldType}`);
    };
    // From the migration before, which took the names and types as they were suggested.
    expect(await declared()).to.deep.equal(['age number', 'plan string', 'vip boolean']);
    const page = await suite.open('/migrations');
    await page.getByRole('button', { name: 'New migration' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Provider B (Resend)').check();
    await dialog.getByLabel('Key', { exact: true }).fill(account.key);
    await dialog.getByRole('button', { name: 'See what is there' }).click();
    await dialog.getByText('Text, a field that is here already').waitFor();
    await dialog.getByLabel('Copy vip').uncheck();
    await dialog.getByText('Their values are not copied: vip.').waitFor();
    const name = dialog.getByLabel('Name of age here');
    const migrate = dialog.getByRole('button', { name: /^Migrate/ });
    for (const [typed, words] of [
      ['Größe', 'The name of age here has 1 to 64 letters without accents, digits and underscores.'],
      ['email', 'Every person has email already. Give that field another name.'],
      ['plan', 'Two fields are named plan. Give one of them another name.'],
    ] as const) {
      await name.fill(typed);
      await dialog.getByText(words).first().waitFor();
      expect(await migrate.getAttribute('aria-disabled')).to.equal('true');
    }
    await name.fill('years');
    expect(await dialog.getByLabel('Type of age').inputValue()).to.equal('number');
    await dialog.getByLabel('Type of age').selectOption('Text');
    await expectAccessible(page);
    await shoot(page, 'migrations-fields');
    await migrate.click();
    await page.waitForURL(/\/migrations\/\w+/);
    await page
      .getByRole('row', { name: /^Contacts/ })
      .getByText(`${account.contacts.length} updated`)
      .waitFor({ timeout: 90_000 });
    expect(await declared()).to.deep.equal(['age number', 'plan string', 'vip boolean', 'years string']);
    const { contacts } = (await suite.own.client.get('/contacts')).body.data;
    const found = contacts.find(({ email }: { email: string }) => email === 'person4@example.org');
    expect(found.contactProperties).to.deep.equal({ age: 24, plan: 'pro', vip: false, years: '24' });
    await page.close();
  });
});
