import { expect } from 'chai';
import { chooseFile, expectAccessible, shoot, useConsole } from '../../support/browser/console.ts';
import { until } from '../../support/wait.ts';
import { editorOf, png, templatesOf } from './kit.ts';

describe('The editor of mails', () => {
  const suite = useConsole();
  const { stored, make } = templatesOf(suite);

  it('makes a template of blocks by mouse, with words, a picture, a button and columns, and publishes it', async () => {
    const page = await suite.open('/templates');
    await page.getByRole('button', { name: 'New template' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Fresh bread');
    await page.getByRole('dialog').getByRole('button', { name: 'Make template' }).click();
    const { mail, panel, block, add, save, checks } = editorOf(page);
    await mail.getByRole('heading', { name: 'Hello' }).waitFor();
    await checks.getByText('leads to example.com').waitFor();
    await shoot(page, 'blocks-new');
    await expectAccessible(page);

    await block('words').locator('p').click({ clickCount: 3 });
    await page.keyboard.type('The rye is here.');
    await page.keyboard.press('Shift+Home');
    const tools = page.getByRole('toolbar', { name: 'Write' });
    await tools.getByRole('button', { name: 'Bold' }).click();
    await block('words').locator('strong', { hasText: 'The rye is here.' }).waitFor();

    await add('Picture');
    const upload = panel.getByRole('button', { name: 'Upload a picture' });
    await chooseFile(page, () => upload.click(), { name: 'rye.png', mimeType: 'image/png', buffer: png });
    await mail.locator('.m-picture').waitFor({ state: 'attached' });
    await checks.getByText('has no words for people who do not see it').waitFor();
    await panel.getByLabel('Description').fill('A loaf of rye');
    await checks.getByText('has no words for people').waitFor({ state: 'detached' });

    await block('button').locator('.m-button').click();
    await panel.getByRole('heading', { name: 'Button' }).waitFor();
    await panel.getByLabel('Leads to').fill('https://bakery.example/rye');
    await checks.getByText('leads to example.com').waitFor({ state: 'detached' });
    await add('Columns');
    await page.keyboard.type('Left');
    await mail.locator('.m-part').nth(1).locator('p').click();
    await page.keyboard.type('Right');
    await shoot(page, 'blocks-columns');
    await save();
    const content = await stored(page);
    expect(content.blocks.map(({ type }) => type)).to.deep.equal([
      ...['heading', 'text', 'image', 'button', 'columns', 'footer'],
    ]);
    expect(content.blocks[2]).to.include({ alt: 'A loaf of rye' });
    expect(content.blocks[1]).to.deep.include({
      nodes: [{ type: 'paragraph', spans: [{ text: 'The rye is here.', bold: true }] }],
    });
    await page.getByRole('radio', { name: 'Preview' }).check();
    await page.frameLocator('iframe[title="Preview at 720 px"]').getByRole('link', { name: 'Read more' }).waitFor();
    await page.frameLocator('iframe[title="Preview at 320 px"]').getByText('Right').waitFor();
    await shoot(page, 'blocks-preview');
    await page.getByRole('radio', { name: 'Dark' }).check();
    await shoot(page, 'blocks-preview-dark');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.getByText(/^Published version \d+ of Fresh bread/).waitFor();
  });

  it('writes the same by keyboard alone, says where blocks go, and takes everything back', async () => {
    const path = await make({ v: 1, blocks: [{ id: 'end', type: 'footer', unsubscribe: 'Unsubscribe' }] });
    const page = await suite.open(path);
    const { mail, panel, block, said, save } = editorOf(page);
    await mail.focus();
    const { press, type } = page.keyboard;
    const keys = { press: press.bind(page.keyboard), type: type.bind(page.keyboard) };
    await page.getByRole('button', { name: 'Block', exact: true }).focus();
    await keys.press('Enter');
    await keys.type('head');
    await keys.press('Enter');
    await said(/^Heading is added/);
    await keys.type('Fresh bread');
    await keys.press('Alt+ArrowUp');
    await said(/Heading “Fresh bread” is moved: 1 of 2/);
    await keys.press('End');
    await keys.press('Enter');
    await keys.type('Hello {{');
    await page.getByRole('combobox', { name: 'Find a variable' }).waitFor();
    await keys.type('first');
    await keys.press('Enter');
    await mail.locator('.m-chip', { hasText: 'firstName' }).waitFor();
    await keys.type(', welcome');
    await keys.press('Control+Enter');
    await keys.type('/');
    await page.getByRole('combobox', { name: 'Find a block' }).waitFor();
    await keys.type('space');
    await keys.press('Enter');
    await until(
      () => page.evaluate('document.activeElement?.getAttribute("name")'),
      (name) => name === 'height',
    );
    await keys.press('Control+A');
    await keys.type('64');
    await keys.press('Escape');
    await said(/^Space is added/);
    await keys.press('Alt+ArrowUp');
    await said(/Space is moved: 2 of 4/);
    await save();
    expect((await stored(page)).blocks.map(({ type }) => type)).to.deep.equal(['heading', 'space', 'text', 'footer']);
    expect((await stored(page)).blocks[1]).to.include({ height: 64 });
    await mail.focus();
    await keys.press('Control+z');
    await said(/^Taken back/);
    await block('space').waitFor();
    await keys.press('Control+z');
    await until(
      () => panel.getByLabel('Height in pixels').inputValue(),
      (height) => height === '24',
    );
    for (let left = 0; left < 12; left += 1) await keys.press('Control+z');
    await said(/^Nothing is left/);
    await block('heading').waitFor({ state: 'detached' });
    for (let left = 0; left < 14; left += 1) await keys.press('Shift+Control+z');
    await save();
    expect((await stored(page)).blocks.map(({ type }) => type)).to.deep.equal(['heading', 'space', 'text', 'footer']);
    await expectAccessible(page);
    // A key on a chosen block does not take its place.
    await block('heading').click();
    await panel.getByRole('heading', { name: 'Heading' }).waitFor();
    await keys.press('Escape');
    await mail.locator('.m-of-heading.m-chosen').waitFor();
    await keys.type('Below');
    await block('words').getByText('Below').waitFor();
    await mail.getByRole('heading', { name: 'Fresh bread' }).waitFor();
    await keys.press('Escape');
    await mail.locator('.m-of-words.m-chosen').waitFor();
    await keys.press('Delete');
    await said(/^Text “Below” is removed/);
  });

  it('begins with a mail that others have written, and is used on a telephone', async () => {
    const page = await suite.open('/templates', { width: 375 });
    await page.getByRole('button', { name: 'New template' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Winter letter');
    const starter = dialog.getByRole('button', { name: /^Newsletter/ });
    await starter.tap();
    await dialog.locator('button[aria-pressed=true]', { hasText: 'Newsletter' }).waitFor();
    const isDrawn = `[...document.images].some(({ src, naturalWidth }) => /mail-newsletter/.test(src) && naturalWidth === 360)`;
    await until(() => page.evaluate(isDrawn), Boolean);
    await expectAccessible(page);
    await shoot(page, 'blocks-dialog');
    await dialog.getByRole('button', { name: 'Make template' }).click();
    const { mail, panel, block, add, save } = editorOf(page);
    await block('footer').waitFor();
    const before = (await stored(page)).blocks.length;
    await expectAccessible(page);
    await shoot(page, 'blocks-newsletter');
    await block('heading').first().tap();
    await add('Button');
    await page.getByRole('button', { name: 'Settings' }).click();
    await panel.getByRole('heading', { name: 'Button' }).waitFor();
    await panel.getByLabel('Leads to').fill('https://bakery.example/');
    await expectAccessible(page);
    await panel.getByRole('button', { name: 'Close' }).click();
    await mail.getByText('Read more').waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).to.be.at.most(375);
    await save();
    expect((await stored(page)).blocks).to.have.length(before + 1);
  });
});
