import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { expectAccessible, holdCall, shoot, useConsole } from '../../support/browser/console.ts';
import { made } from '../../support/client.ts';
import { until } from '../../support/wait.ts';

describe('A template of code is saved', () => {
  const suite = useConsole();

  async function opened() {
    const fields = { templateName: 'Code', subject: 'S', emailTemplate: '<p>One</p>' };
    const { templateId } = await made(suite.own.client, '/templates', fields);
    const read = async (query: string) => (await suite.own.client.get(`/templates/${templateId}${query}`)).body.data;
    const path = `/templates/${templateId}`;
    return { path, page: await suite.open(path), draft: () => read('?version=draft'), published: () => read('') };
  }
  const both = (page: Page) => page.getByRole('region', { name: 'Two versions' });
  async function typeAtEnd(page: Page, text: string): Promise<void> {
    await page.locator('.cm-content').click();
    await page.keyboard.press('ControlOrMeta+End');
    await page.keyboard.insertText(text);
  }

  it('by itself as a draft, once it has no fault; an empty one waits for its code', async () => {
    const { page, draft, published } = await opened();
    await typeAtEnd(page, '{{#if firstName}}');
    await page.getByText(/^line 1: /).waitFor();
    await page.getByText('Changed, not saved').waitFor();
    await page.keyboard.insertText('for you{{/if}}');
    const typed = '<p>One</p>{{#if firstName}}for you{{/if}}';
    await until(draft, ({ emailTemplate }) => emailTemplate === typed);
    await page.getByText('Draft, not published').waitFor();
    expect(await published()).to.include({ emailTemplate: '<p>One</p>', publishedVersion: 1 });
    await page.locator('.cm-content').click();
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.press('Delete');
    await page.getByText('Changed, not saved').waitFor();
    expect((await draft()).emailTemplate).to.equal(typed);
  });

  it('with what is typed while a save is on its way', async () => {
    const { page, draft } = await opened();
    await page.locator('.cm-content').waitFor();
    await page.clock.install();
    const { release, isHeld } = await holdCall(page, 'PATCH', /\/templates\/A-/);
    await typeAtEnd(page, '<p>Two</p>');
    await page.getByRole('button', { name: 'Save draft' }).click();
    await isHeld;
    await page.locator('.cm-content').click();
    await page.keyboard.press('ControlOrMeta+End');
    await page.keyboard.insertText('<p>Three</p>');
    // The text rests while the call has no answer.
    await page.clock.fastForward(10_000);
    release();
    await page.clock.runFor(10_000);
    await until(draft, ({ emailTemplate }) => emailTemplate === '<p>One</p><p>Two</p><p>Three</p>');
    await page.getByText(/^Saved \d\d:/).waitFor();
    expect((await draft()).newestVersion).to.equal(3);
  });

  it('and both texts are shown where another person has saved in between; none is lost', async () => {
    const { page, path, draft } = await opened();
    await page.locator('.cm-content').waitFor();
    const theirs = '<p>One</p><p>Theirs</p>';
    await suite.own.client.patch(path, { emailTemplate: theirs, draft: true });
    await typeAtEnd(page, '<p>Mine</p>');
    await both(page).locator('.both-texts').getByText(theirs).waitFor();
    await both(page).locator('.both-texts').getByText('<p>One</p><p>Mine</p>').waitFor();
    await page.getByText('Changed, not saved').waitFor();
    await expectAccessible(page);
    await shoot(page, 'code-both');
    expect((await draft()).emailTemplate).to.equal(theirs);
    await both(page).getByRole('button', { name: 'Keep mine' }).click();
    await both(page).waitFor({ state: 'detached' });
    expect((await draft()).emailTemplate).to.equal('<p>One</p><p>Mine</p>');
    const { body } = await suite.own.client.get(`${path}?version=2`);
    expect(body.data.emailTemplate).to.equal(theirs);
  });
});
