import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { seedVerifiedDomain } from '../../../core/domains/domains.ts';
import { expectAccessible, expectCopied, shoot, useConsole } from '../../support/browser/console.ts';

describe('The page of domains', () => {
  const suite = useConsole();

  it('adds a domain, shows its records to copy, and refuses what is no domain in the words of the interface', async () => {
    const page = await suite.open('/domains');
    await page.getByText('No domain yet').waitFor();
    await page.getByRole('button', { name: 'Add domain' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Domain', { exact: true }).fill('not a domain');
    await dialog.getByRole('button', { name: 'Add domain' }).click();
    await dialog.locator('[aria-invalid]').waitFor();
    expect(await dialog.getByLabel('Domain', { exact: true }).inputValue()).to.equal('not a domain');
    await dialog.getByLabel('Domain', { exact: true }).fill('news.harbour.example');
    await page.keyboard.press('Enter');

    const ownership = page.getByRole('region', { name: 'Ownership' });
    await ownership.getByText('_everpost.news.harbour.example').waitFor();
    await ownership.getByRole('button', { name: 'Copy the value of the Ownership record' }).click();
    const { body } = await suite.own.client.get('/domains');
    await expectCopied(page, body.data.domains[0].dnsRecords.ownership.value);
    await expectAccessible(page);
    await shoot(page, 'domains');

    await page.getByLabel('The relay signs').check();
    await page.getByRole('cell', { name: 'the relay' }).waitFor();
    await page.getByRole('button', { name: 'Delete…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete domain' }).click();
    await page.getByText('No domain yet').waitFor();
  });

  it('lets a viewer look, and says why nothing can be changed', async () => {
    await suite.own.client.post('/domains', { domainName: 'books.harbour.example' });
    const page = await suite.open('/domains', { role: 'viewer' });
    await page.getByRole('link', { name: 'books.harbour.example' }).click();
    const check = page.getByRole('button', { name: 'Check now' });
    expect(await check.getAttribute('aria-disabled')).to.equal('true');
    expect(await check.getAttribute('title')).to.match(/Your role is viewer/);
    for (const label of ['Everpost signs', 'The relay signs'])
      expect(await page.getByLabel(label).isDisabled(), label).to.equal(true);
  });

  it('shows who signs as it is stored when a change is refused, and asks before receiving stops', async () => {
    const { deps, own } = suite;
    const { domainName, _id } = await seedVerifiedDomain(deps, own.project, 'in.harbour.example', new ObjectId());
    const path = `/domains/${_id.toHexString()}`;
    expect((await own.client.post(`${path}/inbound/enable`, {})).status).to.equal(200);
    const page = await suite.open(`/domains?domain=${_id.toHexString()}`);
    await page.route(/\/v1\/domains\/[0-9a-f]{24}$/, (route) =>
      route.request().method() === 'PATCH'
        ? route.fulfill({ status: 503, json: { success: false, error: { message: 'Come back later.' } } })
        : route.fallback(),
    );
    await page.getByLabel('The relay signs').click();
    await page.getByText('Come back later.').waitFor();
    expect(await page.getByLabel('Everpost signs').isChecked()).to.equal(true);
    const inbound = async () => (await own.client.get(path)).body.data.inboundEnabledAt;
    await page.getByRole('button', { name: 'Stop receiving' }).click();
    const question = page.getByRole('dialog', { name: `Stop receiving at ${domainName}` });
    await question.getByText('is refused from then on').waitFor();
    await expectAccessible(page);
    await shoot(page, 'stop-receiving');
    await question.getByRole('button', { name: 'Not now' }).click();
    expect(await inbound()).to.be.a('string');
    await page.getByRole('button', { name: 'Stop receiving' }).click();
    await question.getByRole('button', { name: 'Stop receiving' }).click();
    await page.getByRole('button', { name: 'Receive mail' }).waitFor();
    expect(await inbound()).to.equal(null);
  });
});
