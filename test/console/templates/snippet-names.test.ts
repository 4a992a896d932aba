import { expect } from 'chai';
import { expectAccessible, shoot, useConsole } from '../../support/browser/console.ts';
import { made } from '../../support/client.ts';
import { until } from '../../support/wait.ts';
import { editorOf, templatesOf } from '../mail-editor/kit.ts';

describe('Names of snippets', () => {
  const suite = useConsole();
  const { make, stored } = templatesOf(suite);
  const content = { v: 1, blocks: [{ id: 'a', type: 'heading', level: 3, spans: [{ text: 'Market 1' }] }] };

  it('are offered for {{> in code, and taken by a key, with the braces that are there already', async () => {
    const { client } = suite.own;
    await made(client, '/snippets', { name: 'below', emailTemplate: '<p>Below</p>' });
    await made(client, '/snippets', { name: 'above', emailTemplate: '<p>Above</p>' });
    await made(client, '/snippets', { name: 'between', emailTemplate: '<p>Between</p>', draft: true });
    await made(client, '/snippets', { name: 'beneath', content });
    const { templateId } = await made(client, '/templates', {
      ...{ templateName: 'Code', subject: 'S', emailTemplate: '<p>Hi</p>' },
    });
    const page = await suite.open(`/templates/${templateId}`);
    const code = page.locator('.cm-content');
    const names = page.getByRole('listbox').getByRole('option');
    await code.click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('{{>');
    await names.getByText('above').waitFor();
    expect((await names.allTextContents()).sort()).to.deep.equal(['above', 'below']);
    await expectAccessible(page);
    await shoot(page, 'snippet-names');
    await page.keyboard.type(' be');
    await until(
      () => names.allTextContents(),
      (found) => found.length === 1,
    );
    await page.keyboard.press('Enter');
    await page.keyboard.type('!');
    expect(await code.textContent()).to.equal('<p>Hi</p>{{> below}}!');
    await page.frameLocator('iframe').first().getByText('Below').waitFor();
    // Typed to the end, a name needs no list.
    await page.keyboard.type('{{> above}}');
    expect(await code.textContent()).to.equal('<p>Hi</p>{{> below}}!{{> above}}');
    await page.keyboard.type('{{firstName}} > {');
    expect(await names.count()).to.equal(0);
  });

  it('are offered for {{> in a mail of blocks, and become a block', async () => {
    await made(suite.own.client, '/snippets', { name: 'address', content });
    const footer = { id: 'end', type: 'footer', unsubscribe: 'Unsubscribe' } as const;
    const words = { id: 'w', type: 'text', nodes: [{ type: 'paragraph', spans: [{ text: 'Hi' }] }] } as const;
    const page = await suite.open(await make({ v: 1, blocks: [words, footer] } as never));
    const { mail } = editorOf(page);
    await mail.getByText('Hi', { exact: true }).click();
    await page.keyboard.press('End');
    await page.keyboard.type('{{> ad');
    await page.getByRole('option', { name: '> address' }).waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Enter');
    await mail.getByText('Snippet “address”').waitFor();
    await editorOf(page).save();
    const { blocks } = await stored(page);
    expect(blocks.map(({ type }) => type)).to.deep.equal(['text', 'snippet', 'footer']);
    expect(blocks[0]).to.deep.include({ nodes: words.nodes });
    expect(blocks[1]).to.include({ type: 'snippet', name: 'address' });
  });
});
