import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { Block, Content } from '../../../schemas/templates/block-types.ts';
import { expectAccessible, holdCall, shoot, useConsole } from '../../support/browser/console.ts';
import { made } from '../../support/client.ts';
import { until } from '../../support/wait.ts';
import { editorOf } from '../mail-editor/kit.ts';

const line = (text: string): Block => ({
  ...{ id: 'first', type: 'text', nodes: [{ type: 'paragraph', spans: [{ text }] }] },
});
const mail: Block = { id: 'mail', type: 'content' };
const blocks = (text: string): Content => ({ v: 1, blocks: [line(text), mail] });

describe('Drafts of layouts and snippets', () => {
  const suite = useConsole();
  const shown = async (path: string) => (await suite.own.client.get(`${path}?version=draft`)).body.data;
  const wordsIn = async (path: string) => JSON.stringify((await shown(path)).editorJson);
  const both = (page: Page) => page.getByRole('region', { name: 'Two versions' });

  it('of blocks are saved by themselves, and both texts are shown where another tab has saved in between', async () => {
    const { id } = await made(suite.own.client, '/layouts', { name: 'Frame', content: blocks('The bakery') });
    const path = `/templates/layouts/${id}`;
    const page = await suite.open(path, { width: 375 });
    const other = await suite.open(path, { besides: page });
    await editorOf(other).mail.getByText('The bakery').click();
    await other.keyboard.press('End');
    await other.keyboard.type(', of theirs');
    await editorOf(other).save();
    await editorOf(page).mail.getByText('The bakery').click();
    await page.keyboard.press('End');
    await page.keyboard.type(', of mine');
    await both(page).locator('.both-texts').getByText('The bakery, of theirs').waitFor();
    await both(page).locator('.both-texts').getByText('The bakery, of mine').waitFor();
    expect(await both(page).locator('dl > div').count()).to.equal(1);
    await expectAccessible(page);
    await shoot(page, 'layout-both');
    expect(await wordsIn(`/layouts/${id}`)).to.contain('of theirs');
    await both(page).getByRole('button', { name: 'Keep mine' }).press('Enter');
    await both(page).waitFor({ state: 'detached' });
    expect(await wordsIn(`/layouts/${id}`)).to.contain('of mine');

    await editorOf(other).mail.getByText('The bakery, of theirs').click();
    await other.keyboard.press('End');
    await other.keyboard.type('!');
    await both(other).getByRole('button', { name: 'Take theirs…' }).click();
    await other.getByRole('dialog').getByRole('button', { name: 'Discard what I typed' }).click();
    await editorOf(other).mail.getByText('The bakery, of mine').waitFor();
    await other.getByText(/^Saved \d\d:/).waitFor();
  });

  it('of blocks are looked through with a slider by keys, and an earlier one is restored after what is typed is saved', async () => {
    const { id } = await made(suite.own.client, '/layouts', { name: 'Frame', content: blocks('One') });
    await suite.own.client.patch(`/layouts/${id}`, { content: blocks('Two'), draft: true });
    const page = await suite.open(`/templates/layouts/${id}`);
    const { mail: written } = editorOf(page);
    await page.getByRole('button', { name: 'Look through them' }).press('Enter');
    await page.getByRole('slider', { name: /^Version 2/ }).press('ArrowLeft');
    const still = page.getByRole('textbox', { name: 'The mail at this version' });
    await still.getByText('One', { exact: true }).waitFor();
    const compared = page.frameLocator('iframe[title="Version 1, published"]');
    await compared.getByText('One', { exact: true }).waitFor();
    await expectAccessible(page);
    await shoot(page, 'layout-slider');
    await written.getByText('Two').click();
    await page.keyboard.press('End');
    await page.keyboard.type(' and more');
    await page.getByRole('button', { name: 'Restore version 1' }).first().press('Enter');
    await page.getByText('Version 1 is in the editor again').waitFor();
    await written.getByText('One', { exact: true }).waitFor();
    await page.getByRole('row', { name: /^4 in the editor/ }).waitFor();
    expect((await shown(`/layouts/${id}`)).editorJson.blocks).to.deep.equal(blocks('One').blocks);
    const { body } = await suite.own.client.get(`/layouts/${id}?version=3`);
    expect(JSON.stringify(body.data.editorJson)).to.contain('Two and more');
    expect((await suite.own.client.get(`/layouts/${id}`)).body.data).to.include({ version: 1, draftVersion: 4 });
  });

  it('of code are saved once they have no fault, with all that was typed while the API was away', async () => {
    const name = 'opening';
    await made(suite.own.client, '/snippets', { name, emailTemplate: '<p>Open</p>' });
    const textOf = async () => (await shown(`/snippets/${name}`)).emailTemplate;
    const page = await suite.open(`/templates/snippets/${name}`);
    const code = page.locator('.cm-content');
    await code.click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('{{#if firstName}}');
    await page.getByText(/^line 1: /).waitFor();
    await page.getByText('Changed, not saved').waitFor();
    await page.context().setOffline(true);
    await page.keyboard.insertText('<b>for {{firstName}}</b>{{/if}}');
    await page.getByText('The API cannot be reached').first().waitFor();
    await page.keyboard.insertText('<i>always</i>');
    await page.context().setOffline(false);
    const typed = '<p>Open</p>{{#if firstName}}<b>for {{firstName}}</b>{{/if}}<i>always</i>';
    expect(await until(textOf, (text) => text !== '<p>Open</p>')).to.equal(typed);
    await page.getByRole('row', { name: /^2 in the editor/ }).waitFor();
    await page.getByRole('radio', { name: 'Lines' }).press('Space');
    await page.locator('ins', { hasText: 'always' }).waitFor();
    await expectAccessible(page);
    await shoot(page, 'snippet-versions');
    await page.getByRole('button', { name: 'Restore version 1' }).press('Enter');
    await page.getByText('Version 1 is in the editor again').waitFor();
    await until(
      () => code.textContent(),
      (text) => text === '<p>Open</p>',
    );
    expect(await textOf()).to.equal('<p>Open</p>');
  });

  it('are not published where another draft is the newest by now, and are once it was looked at', async () => {
    const fields = { templateName: 'Code', subject: 'S', emailTemplate: '<p>One</p>', draft: true };
    const { templateId } = await made(suite.own.client, '/templates', fields);
    const page = await suite.open(`/templates/${templateId}`);
    await page.getByRole('button', { name: 'Publish', exact: true }).waitFor();
    await suite.own.client.patch(`/templates/${templateId}`, { emailTemplate: '<p>Two</p>', draft: true });
    await page.getByRole('button', { name: 'Publish', exact: true }).press('Enter');
    await both(page).locator('.both-texts').getByText('<p>Two</p>').waitFor();
    await shoot(page, 'publish-overtaken');
    await both(page).getByRole('button', { name: 'Take theirs…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Discard what I typed' }).click();
    await page.locator('.cm-content').getByText('Two').waitFor();
    expect(await page.getByText(/^It was not/).count()).to.equal(0);
    await page.getByRole('button', { name: 'Publish', exact: true }).press('Enter');
    await page.getByText('Published version 2 of Code').waitFor();
  });

  it('whose text is refused are there after leaving, and are restored when that is confirmed', async () => {
    const { id } = await made(suite.own.client, '/layouts', { name: 'Code', emailTemplate: '<h1>1</h1>{{{content}}}' });
    await suite.own.client.patch(`/layouts/${id}`, { emailTemplate: '<h1>2</h1>{{{content}}}' });
    const page = await suite.open(`/templates/layouts/${id}`);
    const code = page.locator('.cm-content');
    await code.click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('{{#if firstName}}');
    await page.getByRole('button', { name: 'Restore version 1' }).click();
    const dialog = page.getByRole('dialog', { name: 'Restore version 1' });
    await dialog.getByText('What you typed cannot be saved, and is replaced.').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(await code.textContent()).to.contain('{{#if firstName}}');

    await page.getByRole('link', { name: 'Layouts', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click();
    await page.getByRole('link', { name: 'Code' }).click();
    await page.getByText(/^What you typed .* is here again/).waitFor();
    await until(
      () => code.textContent(),
      (text) => text === '<h1>2</h1>{{{content}}}{{#if firstName}}',
    );
    await page.getByRole('button', { name: 'Restore version 1' }).click();
    await dialog.getByRole('button', { name: 'Restore it' }).click();
    await page.getByText('Version 1 is in the editor again').waitFor();
    await until(
      () => code.textContent(),
      (text) => text === '<h1>1</h1>{{{content}}}',
    );
  });

  for (const [how, close] of [
    ['Escape', (page: Page) => page.keyboard.press('Escape')],
    ['"Not now"', (page: Page) => page.getByRole('button', { name: 'Not now' }).click({ force: true })],
    ['"Close"', (page: Page) => page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()],
  ] as const)
    it(`are asked about until the call that publishes them has its answer, also after ${how}`, async () => {
      const { id } = await made(suite.own.client, '/layouts', {
        name: 'Code',
        emailTemplate: '<h1>1</h1>{{{content}}}',
      });
      await suite.own.client.patch(`/layouts/${id}`, { emailTemplate: '<h1>2</h1>{{{content}}}', draft: true });
      const page = await suite.open(`/templates/layouts/${id}`);
      const { isHeld, release } = await holdCall(page, 'POST', /\/publish$/);
      await page.getByRole('button', { name: /^Publish/ }).press('Enter');
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('button', { name: 'Publish', exact: true }).click();
      await isHeld;
      await close(page);
      await page.evaluate('new Promise(requestAnimationFrame)');
      await dialog.waitFor();
      expect(await dialog.getByRole('button', { name: 'Not now' }).getAttribute('title')).to.equal(
        'Wait for the answer.',
      );
      release();
      await dialog.waitFor({ state: 'detached' });
      expect((await suite.own.client.get(`/layouts/${id}`)).body.data).to.include({ publishedVersion: 2 });
    });
});
