import { expect } from 'chai';
import {
  expectAccessible,
  expectCopied,
  holdCall,
  pickFound,
  shoot,
  useConsole,
} from '../../support/browser/console.ts';

describe('The pages of forms', () => {
  const suite = useConsole();
  let listId: string;
  before(async () => {
    const { client } = suite.own;
    const list = await client.post('/contact-lists', { name: 'Newsletter' });
    listId = list.body.data.id;
    await client.post('/suppression-groups', { name: 'Product news' });
    await client.post('/custom-fields', { fieldName: 'city', fieldType: 'string' });
  });

  it('makes a form, says what is wrong at its field, activates it, and shows what to embed', async () => {
    const page = await suite.open('/forms');
    await page.getByText('No form yet').waitFor();
    await page.getByRole('link', { name: 'New form' }).click();
    await page.getByLabel('Name of the form').fill('Footer of the shop');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('group', { name: 'They join' }).locator('.t-bad').waitFor();
    await pickFound(page.getByLabel('Add a list'), 'Newsletter');

    await page.getByRole('button', { name: 'Add a field' }).click();
    await page.getByLabel('Asks for').fill('Your first name');
    await page.getByLabel('Kept as').fill('userId');
    await page.getByRole('button', { name: 'Add a field' }).click();
    await page.getByLabel('Asks for').nth(1).fill('Which books');
    await page.getByLabel('Kept as').nth(1).fill('genre');
    await page.getByLabel('Is', { exact: true }).nth(1).selectOption('One of several');
    await page.getByLabel('Choices, one a line').fill('Novels\nPoems');
    await page.getByLabel('Begins with').nth(1).fill('Novels');
    await page.getByLabel('Must be filled in').nth(1).check();
    await page.getByLabel('Heading').fill('Letters from the harbour');
    await page.getByLabel('What people agree to').fill('Yes, write to me once a month.');
    await pickFound(page.getByLabel('Add a group'), 'Product news');
    await page.getByLabel('When they have confirmed, they go to').fill('https://harbour.example/welcome');
    await page.getByLabel(/^Sites that may show it/).fill('https://harbour.example\nhttp://harbour.example');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('is not a field that a form may ask for', { exact: true }).waitFor();
    expect(await page.getByLabel('Heading').inputValue()).to.equal('Letters from the harbour');
    await page.getByLabel('Kept as').first().fill('firstName');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/^entry 2: must be an origin/i).waitFor();
    await page.getByLabel(/^Sites that may show it/).fill('https://harbour.example');
    await page.getByRole('button', { name: 'Move Which books up' }).click();

    const look = page.frameLocator('iframe[title="The page of the form"]');
    await look.getByRole('heading', { name: 'Letters from the harbour' }).waitFor();
    await look.getByText('Yes, write to me once a month.').waitFor();
    await look.getByLabel(/^Which books/).waitFor();
    await page.getByLabel('Language').selectOption('Deutsch');
    await look.locator('html[lang="de"]').waitFor();
    await page.getByLabel('Heading').fill('<b>Letters</b>');
    await look.getByRole('heading', { name: '<b>Letters</b>' }).waitFor();
    await page.getByRole('radio', { name: 'Confirm', exact: true }).check();
    await look.getByText('pr•••@example.com').waitFor();
    await page.getByRole('radio', { name: 'Form', exact: true }).check();
    await page.getByLabel('Heading').fill('Letters from the harbour');
    await look.getByRole('heading', { name: 'Letters from the harbour' }).waitFor();
    await expectAccessible(page);
    await shoot(page, 'form-new');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.waitForURL(/\/forms\/[0-9a-f]{24}$/);

    const [form] = (await suite.own.client.get('/forms')).body.data.forms;
    expect(form).to.deep.include({
      ...{ name: 'Footer of the shop', listIds: [listId], doubleOptIn: true, isActive: false },
      allowedOrigins: ['https://harbour.example'],
      redirectTo: { submitted: null, confirmed: 'https://harbour.example/welcome' },
    });
    expect(form.fields).to.deep.equal([
      {
        ...{ name: 'genre', label: 'Which books', type: 'select', options: ['Novels', 'Poems'] },
        ...{ required: true, default: 'Novels' },
      },
      { name: 'firstName', label: 'Your first name', type: 'text', options: null, required: false, default: null },
    ]);
    expect(form.texts).to.include({ title: 'Letters from the harbour', intro: null });
    expect(form.unsubscribeGroupIds).to.have.lengthOf(1);

    await page.getByText('It is not public yet').waitFor();
    await page.getByRole('button', { name: 'Copy the code of the frame' }).click();
    await expectCopied(page, form.embed.iframe);
    await page.getByRole('button', { name: 'Activate' }).click();
    await page.getByText('It is not public yet').waitFor({ state: 'detached' });
    await expectAccessible(page);
    await shoot(page, 'form');
    await page.getByRole('link', { name: 'Forms' }).first().click();
    await page
      .getByRole('row', { name: /Footer of the shop/ })
      .getByText('Takes subscriptions')
      .waitFor();
    await shoot(page, 'forms');

    await page.getByRole('link', { name: 'Footer of the shop' }).click();
    const more = page.getByRole('button', { name: 'More for this form' });
    const dialog = page.getByRole('dialog');
    await more.click();
    await page.getByRole('menuitem', { name: 'Switch off…' }).click();
    await dialog.getByRole('button', { name: 'Switch off' }).click();
    await page.getByText('It is not public yet').waitFor();
    await more.click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    await dialog.getByRole('button', { name: 'Delete form' }).click();
    await page.getByText('No form yet').waitFor();
  });

  it('keeps what is typed while a new form is made', async () => {
    const page = await suite.open('/forms/new');
    await page.getByLabel('Name of the form').fill('Typed on');
    await pickFound(page.getByLabel('Add a list'), 'Newsletter');
    const heading = page.getByLabel('Heading');
    await heading.fill('Letters');
    const { isHeld, release } = await holdCall(page, 'POST', /\/forms$/);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await isHeld;
    await heading.fill('Letters from the pier');
    release();
    await page.waitForURL(/\/forms\/[0-9a-f]{24}$/);
    await page.getByText(/^What you typed .* was not saved, and is here again$/).waitFor();
    expect(await heading.inputValue()).to.equal('Letters from the pier');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Changed, not saved').waitFor({ state: 'detached' });
    const { body } = await suite.own.client.get(`/forms/${page.url().split('/').at(-1)}`);
    expect(body.data.texts.title).to.equal('Letters from the pier');
  });

  it('shows a viewer a form on a telephone, and changes nothing', async () => {
    const { body } = await suite.own.client.post('/forms', { name: 'Blog', listIds: [listId] });
    const page = await suite.open(`/forms/${body.data.id}`, { role: 'viewer', width: 375 });
    await page.getByLabel('Name of the form').waitFor();
    expect(await page.getByLabel('Name of the form').getAttribute('readonly')).to.not.equal(null);
    expect(await page.getByRole('button', { name: 'Save' }).getAttribute('aria-disabled')).to.equal('true');
    expect(await page.getByRole('button', { name: 'Add a field' }).count()).to.equal(0);
    expect(await page.getByLabel('People confirm their address by a mail').isDisabled()).to.equal(true);
    expect(await page.evaluate('document.documentElement.scrollWidth')).to.equal(375);
    await expectAccessible(page);
  });
});
