import { expect } from 'chai';
import { republicationQueue } from '../../../core/templates/parts/run.ts';
import { expectAccessible, shoot, useConsole } from '../../support/browser/console.ts';
import { made } from '../../support/client.ts';
import { until } from '../../support/wait.ts';
import { editorOf } from './kit.ts';

describe('Layouts and snippets in the console', () => {
  const suite = useConsole();
  const shown = async (path: string) => (await suite.own.client.get(path)).body.data;
  async function work(): Promise<void> {
    const { runs } = await republicationQueue(suite.deps).take(suite.own.project._id, 4);
    await Promise.all(runs.map((run) => run()));
  }

  it('are made, put into a mail of blocks, and published with the mails that they change', async () => {
    const { client } = suite.own;
    await made(client, '/snippets', {
      name: 'address',
      content: { v: 1, blocks: [{ id: 'a', type: 'heading', level: 3, spans: [{ text: 'Market 1' }] }] },
    });
    const page = await suite.open('/templates');
    await page.getByRole('link', { name: 'Layouts', exact: true }).click();
    await page.getByText('No layout yet').waitFor();
    await page.getByRole('button', { name: 'New layout' }).click();
    await page.getByLabel('Name').fill('Newsletter');
    await page.getByRole('button', { name: 'Make layout' }).click();
    const editor = editorOf(page);
    await editor.mail.getByText('The mail stands here').waitFor();
    await page.getByText('Never published').waitFor();
    await editor.mail.getByText('The mail stands here').click();
    await editor.add('Snippet');
    await editor.panel.getByLabel('Snippet').selectOption('address');
    await editor.mail.getByText('Snippet “address”').waitFor();
    await expectAccessible(page);
    await shoot(page, 'layout-blocks');
    await page.getByRole('button', { name: 'Publish…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('No published mail changes').waitFor();
    await dialog.getByRole('button', { name: 'Publish', exact: true }).click();
    const layoutId = /layouts\/(L-[0-9a-f]+)/.exec(page.url())![1]!;
    await page.getByRole('row', { name: /^2 in the editor Published/ }).waitFor();
    expect(await shown(`/layouts/${layoutId}`)).to.include({ publishedVersion: 2, draftVersion: null });

    const content = { v: 1, blocks: [{ id: 'b', type: 'heading', level: 1, spans: [{ text: 'Fresh rye' }] }] };
    const { templateId } = await made(client, '/templates', {
      ...{ templateName: 'Bread', subject: 'Bread', templateType: 'marketing', content },
    });
    await page.goto(`/console/templates/${templateId}`);
    await page.getByLabel('Layout').selectOption('Newsletter');
    await until(
      () => shown(`/templates/${templateId}?version=draft`),
      (draft) => draft.layoutId === layoutId,
    );
    await page.getByRole('radio', { name: 'Preview' }).check();
    await page.frameLocator('iframe').first().getByText('Market 1').waitFor();
    await shoot(page, 'template-in-layout');
    await page.getByRole('button', { name: 'Publish', exact: true }).click();
    await page.getByText(/^Published version/).waitFor();

    await client.patch('/snippets/address', {
      content: { v: 1, blocks: [{ id: 'a', type: 'heading', level: 3, spans: [{ text: 'Market 2' }] }] },
      draft: true,
    });
    await page.goto('/console/templates/snippets/address');
    await page.getByRole('link', { name: 'Bread' }).waitFor();
    await page.getByRole('button', { name: 'Publish…' }).click();
    await dialog.getByLabel('Bread').waitFor();
    expect(await dialog.getByRole('checkbox').count()).to.equal(1);
    await expectAccessible(page);
    await shoot(page, 'publish-snippet');
    await dialog.getByRole('button', { name: 'Publish, with 1 template' }).click();
    await dialog.getByText('Publishing: 0 of 1 template').waitFor();
    await work();
    await dialog.getByText('Done: 1 of 1 template, 1 with a new version').waitFor();
    await shoot(page, 'publish-snippet-done');
    await dialog.getByRole('button', { name: 'Close', exact: true }).last().click();
    expect((await shown(`/templates/${templateId}`)).emailTemplate)
      .to.contain('Market 2')
      .and.not.contain('Market 1');
  });

  it('are named in code, and an author saves drafts of them', async () => {
    const { client } = suite.own;
    await made(client, '/snippets', { name: 'below', emailTemplate: '<p>Below</p>' });
    const layout = await made(client, '/layouts', { name: 'Plain', emailTemplate: '<h1>Bakery</h1>{{{content}}}' });
    const code = { templateName: 'Code', subject: 'S', emailTemplate: '<p>Hi</p>' };
    const { templateId } = await made(client, '/templates', code);
    const page = await suite.open(`/templates/${templateId}`, { role: 'author' });
    await page.getByLabel('Layout').selectOption('Plain');
    await page.locator('.cm-content').click();
    await page.getByRole('button', { name: 'Insert a snippet' }).click();
    await page.getByRole('menuitem', { name: '{{> below}}' }).click();
    await page.frameLocator('iframe').first().getByText('Below').waitFor();
    await page.frameLocator('iframe').first().getByText('Bakery').waitFor();
    await page.getByRole('button', { name: 'Save draft' }).click();
    await page.getByText(/^Saved \d\d:/).waitFor();
    const draft = await shown(`/templates/${templateId}?version=draft`);
    expect(draft).to.include({ layoutId: layout.id });
    expect(draft.emailTemplate).to.contain('{{> below}}').and.not.contain('Bakery');
    await shoot(page, 'template-code-layout');

    await page.goto(`/console/templates/layouts/${layout.id}`);
    await page.getByText('You save drafts').waitFor();
    expect(await page.getByRole('button', { name: 'Publish…' }).count()).to.equal(0);
    await page.locator('.cm-content').click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('<hr>');
    await page.getByRole('button', { name: 'Save draft' }).click();
    await page.getByText('Draft, not published').waitFor();
    await page.getByRole('link', { name: 'Code' }).waitFor();
    await expectAccessible(page);
    await shoot(page, 'layout-code');
    expect(await shown(`/layouts/${layout.id}`)).to.include({ publishedVersion: 1, draftVersion: 2 });
    await page.goto('/console/templates/snippets');
    await page.getByRole('link', { name: 'below' }).waitFor();
    await shoot(page, 'snippets');
  });
});
