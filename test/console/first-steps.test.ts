import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import type { Page } from 'playwright-core';
import { seedVerifiedDomain } from '../../core/domains/domains.ts';
import {
  expectAccessible,
  measureShifts,
  SHIFT_MAX,
  shiftsOf,
  shoot,
  untilQuiet,
  useConsole,
} from '../support/browser/console.ts';
import { made } from '../support/client.ts';

describe('The first steps on Now', () => {
  const suite = useConsole();

  it('lead an empty project to its first campaign, for each role by those that it may do, until a campaign was sent', async () => {
    const tenant = await suite.newTenant('Beginning');
    const steps = (page: Page) => page.getByRole('region', { name: 'First steps' });
    const done = (page: Page, title: string) =>
      steps(page).getByRole('listitem').filter({ hasText: title }).getByText('Done', { exact: true });
    const page = await suite.open('/', { tenant });
    await steps(page).getByText('0 of 4 done').waitFor();
    await expectAccessible(page);
    await shoot(page, 'now-first-steps');
    await steps(page).getByRole('link', { name: 'Import a file' }).click();
    await page.getByRole('dialog', { name: 'Import people' }).waitFor();
    await page.goBack();
    await steps(page).getByRole('link', { name: 'New template' }).click();
    await page.getByRole('dialog', { name: 'New template' }).waitFor();

    await made(tenant.client, '/contacts', { email: 'bo@harbour.example' });
    await made(tenant.client, '/domains', { domainName: 'first.harbour.example' });
    await page.goto('/console');
    await steps(page).getByText('1 of 4 done').waitFor();
    await done(page, 'People').waitFor();
    expect(await steps(page).getByRole('link', { name: 'Import a file' }).count()).to.equal(0);
    await steps(page).getByRole('link', { name: 'See the records' }).waitFor();
    await seedVerifiedDomain(suite.deps, tenant.project, 'verified.harbour.example', new ObjectId());
    await made(tenant.client, '/templates', { templateName: 'Winter', emailTemplate: '<p>Cold</p>' });
    const mail = { from: { email: 'post@verified.harbour.example' }, subject: 'Prices', htmlTemplate: '<p>Cold</p>' };
    const { id } = await made(tenant.client, '/campaigns', { ...mail, name: 'Sale', sendToGlobalList: true });
    await page.reload();
    await steps(page).getByText('3 of 4 done').waitFor();
    expect(await done(page, 'A first campaign').count()).to.equal(0);

    const author = await suite.open('/', { tenant, role: 'author' });
    await steps(author).getByText('2 of 3 done').waitFor();
    expect(await steps(author).getByText('A verified domain').count()).to.equal(0);
    const viewer = await suite.open('/', { tenant, role: 'viewer' });
    await viewer.getByRole('heading', { name: 'Needs attention' }).waitFor();
    expect(await steps(viewer).count()).to.equal(0);

    const own = { _id: new ObjectId(id as string), projectId: tenant.project._id };
    await suite.deps.db.campaigns.updateOne(own, { $set: { status: 'sent' } });
    await page.reload();
    await page.getByRole('heading', { name: 'Needs attention' }).waitFor();
    expect(await steps(page).count()).to.equal(0);
  });

  it('move nothing when they arrive, before or after the figures', async () => {
    const tenant = await suite.newTenant('Still');
    const page = await suite.open('/suppressions', { tenant });
    await measureShifts(page);
    for (const late of [/\/v1\/reports\/now/, /\/v1\/(campaigns|templates)\?/]) {
      await page.route(late, async (route) => {
        await page.waitForTimeout(1_000);
        await route.continue();
      });
      await page.goto('/console');
      await page.getByRole('region', { name: 'First steps' }).waitFor();
      await untilQuiet(page);
      expect((await shiftsOf(page)).sum, String(late)).to.be.below(SHIFT_MAX);
      await page.unroute(late);
    }
  });
});
