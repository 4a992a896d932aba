import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { expectAccessible, holdCall, pickFound, shoot, useConsole } from '../../support/browser/console.ts';

describe('The page of contacts', () => {
  const suite = useConsole();

  it('adds, finds, changes, lists and deletes people, with their number and history', async () => {
    const { client } = suite.own;
    await client.post('/custom-fields', { fieldName: 'age', fieldType: 'number' });
    const { body } = await client.post('/contact-lists', { name: 'Newsletter' });
    const listId = body.data.id as string;
    for (const name of ['bo', 'cleo', 'dora']) await client.post('/contacts', { email: `${name}@harbour.example` });

    const page = await suite.open('/contacts');
    await page.getByRole('link', { name: 'bo@harbour.example' }).waitFor();
    await page.getByRole('button', { name: 'Add a person' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Address').fill('ada@harbour');
    await dialog.getByLabel('First name').fill('Ada');
    await dialog.getByLabel('age', { exact: true }).fill('old');
    await dialog.getByRole('button', { name: 'Add person' }).click();
    await dialog.locator('[aria-invalid]').first().waitFor();
    expect(await dialog.getByLabel('First name').inputValue()).to.equal('Ada');
    await dialog.getByLabel('Address').fill('ada@harbour.example');
    await dialog.getByRole('button', { name: 'Add person' }).click();
    await dialog.locator('[aria-invalid][name="contactProperties/age"]').waitFor();
    await dialog.getByLabel('age', { exact: true }).fill('36');
    await pickFound(dialog.getByLabel('List', { exact: true }), 'Newsletter');
    await dialog.getByRole('button', { name: 'Add person' }).click();

    const drawer = page.getByRole('complementary', { name: 'Ada' });
    await drawer.getByText('joined Newsletter').waitFor();
    await drawer.getByRole('link', { name: 'Fields' }).click();
    await drawer.getByText('36', { exact: true }).waitFor();
    await expectAccessible(page);
    await shoot(page, 'contacts');
    await drawer.getByRole('button', { name: 'Change' }).click();
    await dialog.getByLabel('age', { exact: true }).fill('');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await drawer.getByText('36', { exact: true }).waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');

    await page.getByLabel('Choose bo@harbour.example').check();
    await page.getByLabel('Choose cleo@harbour.example').check();
    await page.getByRole('button', { name: 'Add to a list' }).click();
    await pickFound(dialog.getByLabel('List', { exact: true }), 'Newsletter');
    await dialog.getByRole('button', { name: 'Add 2 people' }).click();
    await page.getByText('2 people added').waitFor();
    const members = await client.post('/contact-lists/contacts/search', { contactListId: listId });
    expect(members.body.data.pagination.total).to.equal(3);

    await page.getByRole('searchbox', { name: 'Part of an address' }).fill('dora');
    await page.getByRole('link', { name: 'bo@harbour.example' }).waitFor({ state: 'detached' });
    await page.getByLabel('Choose dora@harbour.example').check();
    await page.getByRole('button', { name: 'Delete 1 person…' }).click();
    await dialog.getByRole('button', { name: 'Delete 1 person' }).click();
    await page.getByText('Nobody fits').waitFor();
  });

  it('changes no field of a person that was changed elsewhere, and not in the dialog', async () => {
    const { client } = suite.own;
    const given = { email: 'finn@harbour.example', firstName: 'Fin', lastName: 'Lund', mobile: '+4512345678' };
    const { id } = (await client.post('/contacts', given)).body.data;
    const page = await suite.open(`/contacts?person=${id}`);
    await page.getByRole('button', { name: 'Change' }).click();
    const dialog = page.getByRole('dialog', { name: 'Change finn@harbour.example' });
    await dialog.getByLabel('First name').fill('Finn');
    await client.patch(`/contacts/${id}`, { email: 'lund@harbour.example', lastName: '' });
    await dialog.getByLabel('Mobile').fill('');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    const { body } = await client.get(`/contacts/${id}`);
    expect(body.data).to.include({ email: 'lund@harbour.example', firstName: 'Finn' });
    expect([body.data.lastName, body.data.mobile].filter(Boolean)).to.deep.equal([]);
  });

  it('acts on people who are chosen in a list in that list alone', async () => {
    const { client } = suite.own;
    const emails = ['emil@harbour.example'];
    await client.post('/contacts', { email: emails[0] });
    const made = async (name: string) => (await client.post('/contact-lists', { name })).body.data.id as string;
    const [north, south] = [await made('North'), await made('South')];
    for (const contactListId of [north, south])
      await client.post('/contact-lists/contacts/bulk-add', { contactListId, emails });
    const page = await suite.open(`/contacts?list=${north}`);
    const remove = (list: string) => page.getByRole('button', { name: `Remove from ${list}` });
    await page.getByLabel('Choose emil@harbour.example').check();
    await remove('North').waitFor();
    const { isHeld, release } = await holdCall(page, 'POST', /\/contact-lists\/contacts\/search$/);
    await pickFound(page.getByLabel('List or segment'), 'South');
    await isHeld;
    await page.getByText('1 chosen').waitFor({ state: 'detached' });
    release();
    await remove('South').click();
    await page.getByText('Removed 1 person from the list').waitFor();
    const membersOf = async (contactListId: string) =>
      (await client.post('/contact-lists/contacts/search', { contactListId })).body.data.pagination.total;
    expect([await membersOf(north), await membersOf(south)]).to.deep.equal([1, 0]);
  });

  it('makes a field that is missing while a person is added, and keeps what is typed', async () => {
    const page = await suite.open('/contacts');
    await page.getByRole('button', { name: 'Add a person' }).click();
    const person = page.getByRole('dialog', { name: 'Add a person' });
    const field = page.getByRole('dialog', { name: 'New field' });
    await person.getByLabel('Address').fill('gil@harbour.example');
    await person.getByRole('button', { name: 'Another field…' }).click();
    await field.getByLabel('Name').fill('港');
    await field.getByRole('button', { name: 'Make field' }).click();
    await field.locator('[aria-invalid][name="fieldName"]').waitFor();
    await field.getByLabel('Name').fill('Favourite harbour');
    await field.getByText('Mails name it Favourite_harbour.').waitFor();
    await expectAccessible(page);
    await shoot(page, 'contacts-another-field');
    await field.getByRole('button', { name: 'Make field' }).click();
    await field.waitFor({ state: 'detached' });
    await person.getByLabel('Favourite harbour').fill('Oban');
    expect(await person.getByLabel('Address').inputValue()).to.equal('gil@harbour.example');
    await person.getByRole('button', { name: 'Add person' }).click();
    await page.getByRole('complementary', { name: 'gil@harbour.example' }).waitFor();
    const { body } = await suite.own.client.post('/contacts/search/emails', { emails: ['gil@harbour.example'] });
    expect(body.data.contacts[0].contactProperties).to.deep.equal({ Favourite_harbour: 'Oban' });
  });

  it('shows the sentences that a person agreed to, and hands out their data', async () => {
    const { client } = suite.own;
    const consent = {
      ...{ text: 'Yes, write to me.\nOnce a month.', networkAddress: '203.0.113.77' },
      ...{ askedAt: '2026-01-02T03:04:05.000Z', confirmedAt: '2026-01-02T04:00:00.000Z' },
    };
    const { body } = await client.post('/contacts', { email: 'eve@harbour.example', firstName: 'Eve', consent });
    await client.post('/contacts', { email: 'fay@harbour.example' });

    const page = await suite.open(`/contacts?person=${body.data.id}`, { role: 'editor' });
    const drawer = page.getByRole('complementary', { name: 'Eve' });
    await drawer.getByRole('link', { name: 'Consents' }).click();
    await drawer.getByText('Yes, write to me.').waitFor();
    await drawer.getByText('Given by a program').waitFor();
    await drawer.getByText('203.0.113.0/24').waitFor();
    await expectAccessible(page);
    await shoot(page, 'contact-consents');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      drawer.getByRole('button', { name: 'Download this person' }).click(),
    ]);
    const data = await readFile(await download.path(), 'utf8');
    expect(JSON.parse(data)).to.be.an('object');
    expect(data).to.include('eve@harbour.example').and.to.include('Yes, write to me.').and.not.to.include('fay@');

    const viewer = await suite.open(`/contacts?person=${body.data.id}`, { role: 'viewer', width: 375 });
    const button = viewer.getByRole('button', { name: 'Download this person' });
    await button.waitFor();
    expect(await button.getAttribute('aria-disabled')).to.equal('true');
    await viewer.getByRole('link', { name: 'Consents' }).click();
    await viewer.getByText('Given by a program').waitFor();
    expect(await viewer.evaluate('document.documentElement.scrollWidth')).to.equal(375);
    await viewer.goto('/console/contacts?search=fay');
    await viewer.getByRole('link', { name: 'fay@harbour.example' }).click();
    await viewer.getByRole('link', { name: 'Consents' }).click();
    await viewer.getByText('No consent is recorded').waitFor();
  });
});
