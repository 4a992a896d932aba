import { expect } from 'chai';
import { expectAccessible, shoot, useConsole } from '../../support/browser/console.ts';

describe('The page of suppressions', () => {
  const suite = useConsole();

  it('finds entries, says who said so, and adds and releases addresses with their number', async () => {
    const page = await suite.open('/suppressions');
    await page.getByText('Everybody may be mailed').waitFor();
    await shoot(page, 'suppressions-empty');

    await page.getByRole('button', { name: 'Suppress addresses' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Addresses').fill('ada@harbour.example, nobody@@harbour');
    await dialog.getByRole('button', { name: 'Suppress 2 addresses' }).click();
    await dialog.getByText('entry 2: must be an email address').waitFor();
    expect(await dialog.getByLabel('Addresses').inputValue()).to.equal('ada@harbour.example, nobody@@harbour');
    await shoot(page, 'suppressions-dialog');
    await dialog.getByLabel('Addresses').fill('ada@harbour.example\nbo@harbour.example');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText('Suppressed 2 addresses').waitFor();
    await page
      .getByRole('row', { name: /ada@harbour.example/ })
      .getByText('By hand')
      .waitFor();
    await expectAccessible(page);
    await shoot(page, 'suppressions');

    await page.getByRole('searchbox').fill('bo@');
    await page.getByRole('row', { name: /ada@harbour.example/ }).waitFor({ state: 'detached' });
    expect(new URL(page.url()).searchParams.get('search')).to.equal('bo@');
    await page.getByRole('button', { name: 'Release bo@harbour.example' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Release 1 address' }).click();
    await page.getByText('No entry fits').waitFor();
    await page.getByRole('button', { name: 'Clear the filters' }).click();
    await page.getByRole('row', { name: /ada@harbour.example/ }).waitFor();
    const { body } = await suite.own.client.post('/suppression-groups/entries', {});
    expect(body.data.entries.map(({ email }: { email: string }) => email)).to.deep.equal(['ada@harbour.example']);
  });

  it('makes groups, and says which are on the preference page', async () => {
    const page = await suite.open('/suppressions');
    await page.getByRole('link', { name: 'Groups' }).click();
    await page.getByRole('button', { name: 'New group' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Product news');
    await dialog.getByLabel('Description').fill('New books, once a month');
    await dialog.getByRole('button', { name: 'Make group' }).click();
    const news = page.getByRole('row', { name: /Product news/ });
    await news.getByRole('cell', { name: 'No', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Change Product news' }).click();
    await dialog.getByLabel('On the preference page').check();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await news.getByRole('cell', { name: 'Yes', exact: true }).waitFor();
    await expectAccessible(page);
    await shoot(page, 'suppression-groups');

    const everything = page.getByRole('row', { name: /stops all marketing mail/ });
    await everything.getByRole('cell', { name: 'As "Unsubscribe from everything"' }).waitFor();
    expect(await everything.getByRole('button').count(), 'nothing of it can be changed').to.equal(0);

    const usual = page.getByRole('row').filter({ hasText: 'default' });
    await usual.getByRole('button', { name: /^Change/ }).click();
    expect(await dialog.getByLabel('Name').getAttribute('readonly')).to.not.equal(null);
    await dialog.getByLabel('On the preference page').check();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await usual.getByRole('cell', { name: 'Yes', exact: true }).waitFor();
    expect(await page.getByRole('button', { name: /^Delete/ }).count()).to.equal(1);
    const { body } = await suite.own.client.get('/suppression-groups');
    const shown = body.data.groups.filter(({ isPublic }: { isPublic: boolean }) => isPublic);
    expect(shown).to.have.lengthOf(2);
    await page.getByRole('button', { name: 'Delete Product news' }).click();
    await dialog.getByRole('button', { name: 'Delete group' }).click();
    await news.waitFor({ state: 'detached' });
  });

  it('shows on the page of a person that they turned everything off, and how many groups on again', async () => {
    const { client, project } = suite.own;
    const email = 'off@harbour.example';
    const { id } = (await client.post('/contacts/email', { email })).body.data;
    const entry = { emails: [email], isMarketing: true, reason: 'UNSUBSCRIBE' };
    await client.post('/suppression-groups/emails/suppress', entry);
    const page = await suite.open(`/contacts?person=${id}&of=suppressions`);
    await page.getByText('stops all marketing mail', { exact: false }).waitFor();
    expect(await page.getByText('turned on since').count()).to.equal(0);
    const { db } = suite.deps;
    await db.suppressions.updateOne({ projectId: project._id, email }, { $set: { exceptGroupIds: ['NEWS01'] } });
    await page.reload();
    await page.getByText('stops all marketing mail, but for 1 group turned on since').waitFor();
    await shoot(page, 'contact-everything-off');
  });
});
