import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { seedVerifiedDomain } from '../../../core/domains/domains.ts';
import { chooseFile, expectAccessible, shoot, useConsole } from '../../support/browser/console.ts';
import { until } from '../../support/wait.ts';

/** One transparent pixel. */
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

describe('The pages of templates', () => {
  const suite = useConsole();

  it('makes a template, shows the mail while it is typed, marks faults, and takes pictures', async () => {
    await suite.own.client.post('/contacts', { email: 'marta@norrland.example', firstName: 'Marta' });
    const page = await suite.open('/templates');
    await page.getByText('No template yet').waitFor();
    await page.getByRole('button', { name: 'New template' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Winter catalogue');
    await page.getByRole('dialog').getByRole('radio', { name: /^Code/ }).check();
    await page.getByRole('dialog').getByRole('button', { name: 'Make template' }).click();

    const mail = page.frameLocator('iframe[title="Preview at 720 px"]');
    await mail.getByRole('heading', { name: 'Hello' }).waitFor();
    await page.getByRole('searchbox', { name: 'Shown with the data of' }).fill('marta@norrland.example');
    await mail.getByRole('heading', { name: 'Hello Marta' }).waitFor();
    await page.locator('.chip', { hasText: 'firstName' }).waitFor();

    const editor = page.getByRole('textbox', { name: 'HTML of the mail' });
    await editor.click();
    await page.keyboard.press('ControlOrMeta+End');
    await page.keyboard.insertText('{{#if firstName}}never closed');
    await page.getByText(/^line \d+: /).waitFor();
    await page.locator('.cm-lint-marker-error').waitFor();
    await page.getByRole('button', { name: 'Save draft' }).click();
    await page
      .getByRole('alert')
      .getByText(/^line \d+, column \d+: /)
      .waitFor();
    await page.keyboard.press('ControlOrMeta+Home');
    await page.getByRole('button', { name: 'Show it: Code' }).press('Enter');
    expect(await page.locator('.cm-content').textContent()).to.include('never closed');
    await page.locator('.cm-content:focus').waitFor();
    await page.keyboard.press('ControlOrMeta+End');

    await page.keyboard.insertText('{{/if}}<p>Only today</p>');
    await mail.getByText('Only today').waitFor();
    await page.getByText(/^It was not saved/).waitFor({ state: 'detached' });
    const insert = page.getByRole('button', { name: 'Insert a picture' });
    await chooseFile(page, () => insert.click(), { name: 'dot.png', mimeType: 'image/png', buffer: png });
    await page.getByText('Uploaded dot.png').waitFor();
    await mail.locator('img[width="1"]').waitFor({ state: 'attached' });
    await expectAccessible(page);
    await shoot(page, 'template');
    await page.getByRole('button', { name: 'Save draft' }).click();
    const listed = async () => (await suite.own.client.get('/templates')).body.data.templates[0];
    const saved = /Only today<\/p><img src="http[^"]+" width="1" height="1"/;
    const template = await until(listed, ({ emailTemplate }) => saved.test(emailTemplate));
    expect(template).to.include({ source: 'dashboard', templateName: 'Winter catalogue' });
    await page.getByText(/^Saved \d\d:/).waitFor();
    await page.getByRole('link', { name: 'Templates' }).first().click();
    await page.getByRole('link', { name: 'Winter catalogue' }).waitFor();
    await shoot(page, 'templates');
  });

  it('keeps every key that is typed without a pause, and stays open for more', async () => {
    const { body } = await suite.own.client.post('/templates', { templateName: 'Typed fast', emailTemplate: '<p>' });
    const page = await suite.open(`/templates/${body.data.templateId}`);
    const editor = page.locator('.cm-content');
    await editor.click();
    await page.keyboard.press('ControlOrMeta+End');
    const words = 'The quick brown fox jumps over the lazy dog. '.repeat(8);
    await page.keyboard.type(words);
    await page.keyboard.press('Backspace');
    await page.keyboard.type(' And stays open', { delay: 20 });
    await page.keyboard.insertText('</p>');
    const whole = `<p>${words.slice(0, -1)} And stays open</p>`;
    await page.frameLocator('iframe[title="Preview at 720 px"]').getByText('And stays open').waitFor();
    expect(await editor.textContent()).to.equal(whole);
    await page.getByRole('button', { name: 'Save draft' }).click();
    await page.getByText(/^Saved \d\d:/).waitFor();
    const { body: saved } = await suite.own.client.get(`/templates/${body.data.templateId}?version=draft`);
    expect(saved.data.emailTemplate).to.equal(whole);
  });

  it('asks before what is typed is left, and has it again afterwards, until it is saved', async () => {
    const { body } = await suite.own.client.post('/templates', {
      templateName: 'Unsaved',
      emailTemplate: '<p>One</p>',
    });
    const path = `/templates/${body.data.templateId}`;
    const page = await suite.open('/templates');
    await page.getByRole('link', { name: 'Unsaved' }).click();
    const editor = page.locator('.cm-content');
    const type = async (text: string) => {
      await editor.click();
      await page.keyboard.press('ControlOrMeta+End');
      await page.keyboard.type(text);
    };
    // Code with a fault is not saved by itself.
    await type('<p>Two{{');
    await page.getByText(/^line 1: /).waitFor();
    const dialog = page.getByRole('dialog', { name: 'Leave without saving' });
    for (const leave of [
      () => page.getByRole('link', { name: 'Campaigns' }).click(),
      () => page.evaluate('history.back()'),
    ]) {
      await leave();
      await dialog.getByText('It is kept in this browser').waitFor();
      await dialog.getByRole('button', { name: 'Not now' }).click();
      expect(new URL(page.url()).pathname).to.include(path);
      expect(await editor.textContent()).to.equal('<p>One</p><p>Two{{</p>');
    }
    await page.keyboard.press('ControlOrMeta+k');
    await page.getByRole('combobox').fill('suppressions');
    await page.keyboard.press('Enter');
    await dialog.getByRole('button', { name: 'Leave', exact: true }).click();
    await page.getByRole('heading', { name: 'Suppressions' }).waitFor();

    await page.goto(`/console${path}`);
    await page.getByText(/^What you typed .* was not saved, and is here again$/).waitFor();
    expect(await editor.textContent()).to.equal('<p>One</p><p>Two{{</p>');
    await expectAccessible(page);
    await shoot(page, 'template-restored');
    await page.getByRole('button', { name: 'Show what is saved' }).click();
    await until(
      () => editor.textContent(),
      (text) => text === '<p>One</p>',
    );
    await type('<p>Three');
    await page.getByRole('button', { name: 'Save draft' }).click();
    await page.getByText(/^Saved \d\d:/).waitFor();
    await page.getByRole('link', { name: 'Suppressions' }).click();
    await page.getByRole('heading', { name: 'Suppressions' }).waitFor();
    await page.goto(`/console${path}`);
    await editor.getByText('Three').waitFor();
    expect(await page.getByText('What you typed').count()).to.equal(0);
  });

  it('lets a person type before the editor is loaded, and continue at the same place', async () => {
    const { body } = await suite.own.client.post('/templates', {
      templateName: 'Typed early',
      emailTemplate: '<p>One',
    });
    const page = await suite.open('/templates');
    const { promise: isTyped, resolve: load } = Promise.withResolvers<void>();
    await page.route(/\/code-mirror-/, async (route) => {
      await isTyped;
      await route.continue();
    });
    await page.goto(`/console/templates/${body.data.templateId}`);
    await page.getByRole('textbox', { name: 'HTML of the mail' }).click();
    await page.keyboard.press('ControlOrMeta+End');
    await page.keyboard.insertText(', two');
    load();
    await page.locator('.cm-content').waitFor();
    await page.keyboard.insertText(', three</p>');
    expect(await page.locator('.cm-content').textContent()).to.equal('<p>One, two, three</p>');
  });

  it('shows what differs from the published version, publishes, and restores an earlier one', async () => {
    const { client } = suite.own;
    const code = (price: string) => `<h1>Winter</h1>\n<p>The lamp costs ${price}.</p>\n<p>Come in.</p>`;
    const made = await client.post('/templates', {
      ...{ templateName: 'Price list', templateType: 'marketing', subject: 'Prices', emailTemplate: code('20 euros') },
    });
    const { templateId } = made.body.data;
    const published = async () => (await client.get(`/templates/${templateId}`)).body.data;
    const page = await suite.open(`/templates/${templateId}`, { role: 'editor' });
    await page.getByText('Nothing differs.').waitFor();
    const publish = page.getByRole('button', { name: 'Publish' });
    expect(await publish.getAttribute('aria-disabled')).to.equal('true');
    const editor = page.locator('.cm-content');
    const textOf = async () => (await editor.locator('.cm-line').allTextContents()).join('\n');
    const write = async (text: string) => {
      await editor.click();
      await page.keyboard.press('ControlOrMeta+A');
      await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
      await page.keyboard.press('ControlOrMeta+V');
    };

    await write(code('18 euros'));
    const before = page.frameLocator('iframe[title="Version 1, published"]');
    const after = page.frameLocator('iframe[title="The editor"]');
    await before.getByText('The lamp costs 20 euros.').waitFor();
    await after.getByText('The lamp costs 18 euros.').waitFor();
    await expectAccessible(page);
    await page.getByRole('heading', { name: 'Versions' }).scrollIntoViewIfNeeded();
    await shoot(page, 'template-pictures');
    await page.getByRole('radio', { name: 'Lines' }).check();
    const lines = page.getByRole('group', { name: 'Code', exact: true });
    expect(await lines.locator('del').allTextContents()).to.deep.equal(['<p>The lamp costs 20 euros.</p>']);
    expect(await lines.locator('ins').allTextContents()).to.deep.equal(['<p>The lamp costs 18 euros.</p>']);
    await expectAccessible(page);
    await shoot(page, 'template-lines');

    await page.getByRole('button', { name: 'Save draft' }).click();
    await page.getByText('Draft, not published').waitFor();
    expect((await published()).emailTemplate).to.equal(code('20 euros'));
    const row = (version: number) => page.getByRole('row', { name: new RegExp(`^${version}\\b`) });
    await row(2).getByText('Draft', { exact: true }).waitFor();
    await row(2)
      .getByText(/^ada\.editor@/)
      .waitFor();
    await row(1).getByText('a program').first().waitFor();
    await publish.click();
    await page.getByText('Published version 2 of Price list').waitFor();
    expect(await published()).to.include({ emailTemplate: code('18 euros'), publishedVersion: 2 });

    await page.getByRole('button', { name: 'Restore version 1' }).click();
    await page.getByText('Version 1 is in the editor again').waitFor();
    await until(textOf, (text) => text === code('20 euros'));
    expect((await published()).emailTemplate).to.equal(code('18 euros'));

    // Another person publishes while this one types.
    await write(code('17 euros'));
    await client.patch(`/templates/${templateId}`, { emailTemplate: code('16 euros') });
    await page.getByRole('button', { name: 'Save draft' }).click();
    await page.getByText(/was saved elsewhere while you typed/).waitFor();
    expect(await textOf()).to.equal(code('17 euros'));
    await lines.locator('del', { hasText: '16 euros' }).waitFor();
    await page.evaluate('scrollTo(0, 0)');
    await shoot(page, 'template-overtaken');
    await page.getByRole('button', { name: 'Keep mine' }).click();
    await page.getByText('Draft, not published').waitFor();
    await publish.click();
    await until(published, ({ emailTemplate }) => emailTemplate === code('17 euros'));
  });

  it('sends a test from a saved sender, with the data of the person in the preview', async () => {
    const { client, project } = suite.own;
    await seedVerifiedDomain(suite.deps, project, 'mail.example.com', new ObjectId());
    const sender = (await client.post('/senders', { email: 'post@mail.example.com', name: 'The harbour' })).body.data;
    const contact = (await client.post('/contacts', { email: 'bo@norrland.example', firstName: 'Bo' })).body.data;
    const made = await client.post('/templates', { templateName: 'Tested', subject: 'Hi', emailTemplate: '<p>Hi' });
    const page = await suite.open(`/templates/${made.body.data.templateId}`);
    await page.getByRole('searchbox', { name: 'Shown with the data of' }).fill('bo@norrland.example');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Send a test…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('With the data of bo@norrland.example').waitFor();
    await until(
      () => dialog.getByLabel('From').inputValue(),
      (shown) => shown === 'The harbour (post@mail.example.com)',
    );
    await dialog.getByLabel('To', { exact: true }).fill('ada@harbour.example');
    await expectAccessible(page);
    await shoot(page, 'template-test');
    const [request] = await Promise.all([
      page.waitForRequest(/\/templates\/[^/]+\/test$/),
      dialog.getByRole('button', { name: 'Send test' }).click(),
    ]);
    expect(request.postDataJSON()).to.deep.equal({
      ...{ emails: ['ada@harbour.example'], contactId: contact.id, senderId: sender.id, version: 'draft' },
    });
    await page.getByText('The test is on its way to 1 address').waitFor();
  });

  it('lets an author save and restore drafts, and says who publishes them', async () => {
    const { client } = suite.own;
    const made = await client.post('/templates', { templateName: 'Letter', emailTemplate: '<p>One</p>' });
    const { templateId } = made.body.data;
    await client.patch(`/templates/${templateId}`, { emailTemplate: '<p>Two</p>' });
    const page = await suite.open(`/templates/${templateId}`, { role: 'author' });
    await page.getByText('Mail changes when an editor or an owner publishes them.').waitFor();
    expect(await page.getByRole('button', { name: 'Publish' }).count()).to.equal(0);
    const editor = page.locator('.cm-content');
    await editor.click();
    await page.keyboard.type('<p>Three');
    await page.getByRole('button', { name: 'Save draft' }).click();
    await page.getByText('Draft, not published').waitFor();
    await shoot(page, 'template-author');
    await page.getByRole('button', { name: 'Restore version 1' }).click();
    await page.getByText('Version 1 is in the editor again').waitFor();
    expect(await editor.textContent()).to.equal('<p>One</p>');
    const { data } = (await client.get(`/templates/${templateId}`)).body;
    expect(data).to.include({ emailTemplate: '<p>Two</p>', publishedVersion: 2 });

    // Owners alone read who the members are.
    const author = `ada.author@${suite.own.organization._id.toHexString()}.example`;
    const owners = await suite.open(`/templates/${templateId}`);
    await owners.getByRole('cell', { name: author }).first().waitFor();
    const editors = await suite.open(`/templates/${templateId}`, { role: 'editor' });
    await editors.getByRole('cell', { name: 'another member' }).first().waitFor();
    expect(await editors.getByText(author).count()).to.equal(0);
  });
});
