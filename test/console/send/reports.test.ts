import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { ensureState } from '../../../core/figures/reports/state.ts';
import { countHappened, type Happened } from '../../reports/support.ts';
import { expectAccessible, pickFound, shoot, useConsole } from '../../support/browser/console.ts';

const PHONE = 375;

describe('The page of reports', () => {
  const suite = useConsole();
  let campaignId: string;
  const happened = (given: Happened) => countHappened(suite, suite.own, given);
  before(async () => {
    const { own, deps } = suite;
    await ensureState(deps, own.project._id);
    const draft = { name: 'Winter letter', subject: 'Winter is here', htmlTemplate: '<p>Snow</p>' };
    campaignId = (await own.client.post('/campaigns', draft)).body.data.id;
    await happened({ sent: 900, bounced: 9, complained: 4, opened: 450, campaignId, hoursAgo: 30 });
    await happened({
      sent: 300,
      bounced: 1,
      domain: 'shop.example.com',
      email: 'a@web.de',
      hoursAgo: 2,
      tags: ['kind:invoice'],
    });
    await happened({ deferred: ['<img src=x onerror=alert(1)> try later'], email: 'a@web.de', hoursAgo: 2 });
    await happened({ sent: 50, domain: 'old.example.com', hoursAgo: 24 * 60 });
  });
  const open = (page: Page, query: string) => page.goto(`/console/${suite.own.project._id}/reports?${query}`);
  /** The tile and its figure. */
  const tile = (page: Page, label: string, value: string) =>
    page
      .locator('.tile', { hasText: new RegExp(`^${label}`) })
      .locator('.value', { hasText: new RegExp(`^${value}$`) });

  it('counts the mail of a time by day or hour, of the project or of a part', async () => {
    const page = await suite.open('/reports', { role: 'viewer' });
    await tile(page, 'Sent', '1,200').waitFor();
    await page.getByRole('img', { name: 'Mail by day: 1,200 sent, 1 deferred, 10 bounced' }).waitFor();
    expect(await page.getByRole('table', { name: 'Figures by day' }).getByRole('row').count()).to.be.within(2, 3);
    await page.getByRole('link', { name: 'Reports' }).and(page.locator('[aria-current="page"]')).waitFor();
    await expectAccessible(page);
    await shoot(page, 'reports');

    await page.getByRole('radio', { name: 'By hour' }).check();
    await page.getByRole('img', { name: /^Mail by hour/ }).waitFor();
    const hours = page.getByRole('table', { name: 'Figures by hour' });
    await hours.getByRole('row').nth(2).waitFor();
    expect(await hours.getByRole('row').count()).to.equal(3);
    expect(new URL(page.url()).searchParams.get('by')).to.equal('hour');
    await page.getByRole('radio', { name: '90 days' }).check();
    await tile(page, 'Sent', '1,250').waitFor();
    expect(await page.getByRole('radio', { name: 'By hour' }).isDisabled()).to.equal(true);
    await page.getByText('of the whole project, the last 31 days').waitFor();

    await page.getByLabel('Mail of').selectOption('One campaign');
    await page.getByText('Choose which one').waitFor();
    await pickFound(page.getByLabel('Which one'), 'Winter letter');
    await tile(page, 'Sent', '900').waitFor();
    await page.getByText('of the campaign;').waitFor();
    await page.getByLabel('Mail of').selectOption('One sending domain');
    await page.getByText('Choose which one').waitFor();
    await open(page, 'of=domain&value=shop.example.com');
    await tile(page, 'Sent', '300').waitFor();
    expect(await page.getByLabel('Which one').inputValue()).to.equal('shop.example.com');
    await page.getByLabel('Mail of').selectOption('One mailbox provider');
    await page.getByLabel('Which one').selectOption('GMX and Web.de');
    await tile(page, 'Sent', '300').waitFor();
    await page.getByLabel('Mail of').selectOption('One tag');
    await page.getByText('Choose which one').waitFor();
    await page.getByRole('searchbox', { name: 'Name and value of the tag' }).fill('kind:invoice');
    await tile(page, 'Sent', '300').waitFor();
    await page.getByRole('searchbox', { name: 'Name and value of the tag' }).fill('invoice');
    await page.getByText('This could not be loaded').first().waitFor();
    await page.getByLabel('Mail of').selectOption('One automation');
    await page.getByText('Choose which one').waitFor();
    await page.getByLabel('Mail of').selectOption('Whole project');
    await tile(page, 'Sent', '1,200').waitFor();
  });

  it('takes other days, and says why a time or a part cannot be counted', async () => {
    const page = await suite.open('/reports');
    await page.getByRole('radio', { name: 'Other days' }).check();
    const old = new Date(Date.now() - 62 * 86_400_000).toISOString().slice(0, 10);
    const later = new Date(Date.now() - 58 * 86_400_000).toISOString().slice(0, 10);
    await page.getByLabel('First day').fill(old);
    await page.getByLabel('Last day').fill(later);
    await tile(page, 'Sent', '50').waitFor();
    expect(new URL(page.url()).searchParams.get('to')).to.equal(later);
    await page.getByLabel('First day').fill(new Date(Date.now() - 86_400_000).toISOString().slice(0, 10));
    await page.getByText('A range begins before it ends').first().waitFor();
    await open(page, 'of=campaignId&value=no-id');
    await page.getByText('This could not be loaded').first().waitFor();

    const tenant = await suite.newTenant('Nothing sent');
    const empty = await suite.open('/reports', { tenant });
    await empty.getByText('No mail is counted in this time').waitFor();
    await empty.getByText('Nothing is counted yet').waitFor();
    await expectAccessible(empty);
    await shoot(empty, 'reports-empty');
  });

  it('shows providers with their words, and rates with the limits of Google and Yahoo', async () => {
    const page = await suite.open('/reports');
    const providers = page.getByRole('table', { name: 'Outcomes by mailbox provider' });
    await providers
      .getByRole('row', { name: /^Google/ })
      .getByText('900')
      .waitFor();
    await providers.getByText(/^421 4\.7\.0 .*try later/).waitFor();
    const domains = page.getByRole('table', { name: 'Reputation by sending domain' });
    const news = domains.getByRole('row', { name: /^news\.example\.com/ });
    await news.getByText('Over a limit').waitFor();
    await news.getByRole('img', { name: '0.45 % complaints; warning at 0.1 %, limit 0.3 %' }).waitFor();
    await news.getByRole('img', { name: '1 % bounces; limit 2 %' }).waitFor();
    await domains
      .getByRole('row', { name: /^shop\.example\.com/ })
      .getByText('Below the limits')
      .waitFor();
    await page
      .getByRole('img', { name: /^Complaints in percent of delivered: .* warning at 0\.1 %, limit at 0\.3 %/ })
      .waitFor();
    await domains.scrollIntoViewIfNeeded();
    await shoot(page, 'reports-reputation');

    await happened({ sent: 5, email: 'a@icloud.com', hoursAgo: 0 });
    await page.getByRole('button', { name: 'Count again' }).click();
    await providers.getByRole('row', { name: /^Apple/ }).waitFor();
    await page.setViewportSize({ width: PHONE, height: 812 });
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).to.be.at.most(0);
  });
});
