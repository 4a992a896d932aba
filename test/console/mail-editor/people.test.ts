import { expect } from 'chai';
import type { Content } from '../../../schemas/templates/block-types.ts';
import { expectAccessible, shoot, useConsole } from '../../support/browser/console.ts';
import { made } from '../../support/client.ts';
import { until } from '../../support/wait.ts';
import { editorOf, templatesOf } from './kit.ts';

const greeting: Content = {
  v: 1,
  blocks: [
    { id: 'title', type: 'heading', level: 1, spans: [{ text: 'Hello ' }, { variable: 'firstName' }] },
    {
      id: 'plan',
      type: 'text',
      nodes: [{ type: 'paragraph', spans: [{ variable: 'lastName' }, { text: ', welcome' }] }],
    },
    {
      ...{ id: 'pro', type: 'when', tests: [{ variable: 'plan', is: 'equals', value: 'pro' }] },
      blocks: [{ id: 'thanks', type: 'heading', level: 3, spans: [{ text: 'Thank you for being pro' }] }],
    },
    { id: 'pale', type: 'text', nodes: [{ type: 'paragraph', spans: [{ text: 'Pale', colour: '#eeeeee' }] }] },
    { id: 'hero', type: 'image', src: 'https://elsewhere.example/rye.jpg', alt: '' },
    { id: 'odd', type: 'text', nodes: [{ type: 'paragraph', spans: [{ variable: 'shoeSize' }] }] },
  ],
};

describe('A mail of blocks for people', () => {
  const suite = useConsole();
  const { stored, make } = templatesOf(suite);
  before(async () => {
    const { client } = suite.own;
    await made(client, '/custom-fields', { fieldName: 'plan', fieldType: 'string', label: 'Plan' });
    await made(client, '/contacts', {
      email: 'marta@norrland.example',
      firstName: 'Marta',
      contactProperties: { plan: 'pro' },
    });
  });

  it('shows the values of a person, what is only for some, and says what to mend at its block', async () => {
    const page = await suite.open(await make(greeting));
    const { mail, panel, checks, block, add, save } = editorOf(page);
    await mail.waitFor();
    for (const words of [
      'has no words for people',
      'hard to read on this paper',
      'no link to unsubscribe',
      'names “shoeSize”',
    ])
      await checks.getByText(words).waitFor();
    await mail.getByText('Only when plan is pro').waitFor();
    await mail.getByText('elsewhere.example, shown in the preview').waitFor();
    await shoot(page, 'blocks-checks');

    await page.getByRole('radio', { name: 'Preview' }).check();
    const desk = page.frameLocator('iframe[title="Preview at 720 px"]');
    await desk.getByText('welcome').waitFor();
    expect(await desk.getByText('Thank you for being pro').count()).to.equal(0);
    await page.getByRole('searchbox', { name: 'Shown with the data of' }).fill('marta@norrland.example');
    await desk.getByText('Hello Marta').waitFor();
    await desk.getByText('Thank you for being pro').waitFor();
    // The choice of the page is asked, and not that of a test.
    await page.emulateMedia({ colorScheme: null });
    await page.getByRole('radio', { name: 'Dark' }).check();
    const frame = page.frames().find((one) => /\/previews\//.test(one.url()));
    await until(
      async () => frame?.evaluate('matchMedia("(prefers-color-scheme: dark)").matches'),
      (isDark) => isDark === true,
    );
    await shoot(page, 'blocks-person');
    await page.getByRole('radio', { name: 'Text', exact: true }).check();
    await page.getByRole('region', { name: 'The mail as text' }).getByText('Thank you for being pro').waitFor();

    await checks.getByRole('button', { name: 'Show it: Picture' }).click();
    await panel.getByRole('heading', { name: 'Picture' }).waitFor();
    await panel.getByLabel('Description').fill('A loaf of rye');
    await checks.getByText('has no words for people').waitFor({ state: 'detached' });
    await mail.locator('.m-chip', { hasText: 'Marta' }).waitFor();
    await mail.locator('.m-chip.amber', { hasText: 'lastName' }).click();
    await panel.getByLabel('Without a value').fill('Dear reader');
    await mail.locator('.m-chip:not(.amber)', { hasText: 'Dear reader' }).waitFor();

    await mail.getByText('Only when plan is pro').click();
    await block('when').first().locator('> .m-handle').click({ force: true });
    await panel.getByRole('heading', { name: 'Only for some' }).waitFor();
    await panel.getByLabel('Value').fill('team');
    await mail.getByText('Only when plan is team').waitFor();
    await panel.getByRole('button', { name: 'Add blocks for everybody else' }).click();
    await mail.locator('.m-part').nth(1).locator('p').last().click();
    await panel.getByRole('heading', { name: 'Text' }).waitFor();
    await page.keyboard.type('Become part of a team');
    await add('Footer');
    await checks.getByText('no link to unsubscribe').waitFor({ state: 'detached' });
    await save();
    const content = await stored(page);
    const types = content.blocks.map(({ type }) => type);
    expect(types).to.deep.equal(['heading', 'text', 'when', 'footer', 'text', 'image', 'text']);
    const [, , when] = content.blocks;
    expect(when).to.deep.include({ id: 'pro', tests: [{ variable: 'plan', is: 'equals', value: 'team' }] });
    expect(JSON.stringify(when)).to.include('"otherwise":[{').and.to.include('Become part of a team');
    expect(content.blocks[4]).to.deep.equal(greeting.blocks[3]);
  });

  it('asks for the condition of a new part first, among the fields of people, and keeps the footer', async () => {
    const footer = { id: 'end', type: 'footer' as const, unsubscribe: 'Leave' };
    const page = await suite.open(await make({ v: 1, blocks: [...greeting.blocks.slice(0, 2), footer] }));
    const { mail, panel, block, add, save } = editorOf(page);
    await block('words').locator('p').click();
    await add('Only for some');
    const whose = panel.getByLabel('Only for people whose');
    await panel.getByRole('heading', { name: 'Only for some' }).waitFor();
    await whose.and(page.locator(':focus')).waitFor();
    await whose.selectOption({ label: 'Plan' });
    await panel.getByLabel('Comparison').selectOption('is');
    await panel.getByLabel('Value').fill('pro');
    await mail.getByText('Only when plan is pro').waitFor();
    await expectAccessible(page);
    await shoot(page, 'blocks-condition');
    await whose.selectOption({ label: 'Another variable…' });
    await panel.getByLabel('Name of the variable').fill('order.total');
    await mail.getByText('Only when order.total is pro').waitFor();
    await block('when').locator('p').first().click();
    await page.keyboard.type('Thank you');
    await panel.getByRole('button', { name: 'Settings of “Only for some” around it' }).click();
    await panel.getByRole('heading', { name: 'Only for some' }).waitFor();

    // A button takes no key from the mail: the mail takes it back, and not the browser.
    await panel.getByRole('button', { name: 'Copy' }).focus();
    await page.keyboard.press('Control+z');
    await mail.getByText('Thank you').waitFor({ state: 'detached' });
    await page.keyboard.press('Control+Shift+z');
    await mail.getByText('Thank you').waitFor();

    await block('footer').locator('> .m-handle').click({ force: true });
    expect(await panel.getByRole('button', { name: 'Remove' }).getAttribute('aria-disabled')).to.equal('true');
    await page.keyboard.press('Delete');
    await block('footer').waitFor();
    await block('heading').click();
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Backspace');
    await block('heading').waitFor({ state: 'detached' });
    await block('footer').waitFor();
    await page.keyboard.type('Again');
    await save();
    expect((await stored(page)).blocks.map(({ type }) => type).at(-1)).to.equal('footer');
  });

  it('repeats blocks for each item, moves one by dragging, and takes tables and links in a row', async () => {
    const page = await suite.open(
      await make({ v: 1, blocks: greeting.blocks.slice(0, 2) }, { templateType: 'transactional' }),
    );
    const { mail, panel, block, add, save } = editorOf(page);
    await block('words').locator('p').click();
    await add('For each item');
    await page.keyboard.type('One of them');
    await mail.getByText('For each of items').waitFor();
    await block('each')
      .locator('> .m-handle')
      .dragTo(block('heading').first(), { targetPosition: { x: 4, y: 2 } });
    await add('Table');
    await panel.getByRole('button', { name: 'Add a row' }).click();
    await panel.getByLabel('Head 1').fill('Bread');
    await mail.getByRole('cell').nth(2).click();
    await page.getByRole('button', { name: 'Bold' }).and(page.locator(':not([aria-disabled])')).waitFor();
    await page.keyboard.type('Rye');
    await page.keyboard.press('Tab');
    await page.keyboard.type('4.20');
    await add('Links in a row');
    await panel.getByLabel('Link 1', { exact: true }).fill('Loaves');
    await panel.getByLabel('Link 1 leads to').fill('javascript:alert(1)');
    await panel.getByText('must be an address of http, https').waitFor();
    await page.getByRole('button', { name: 'Save draft' }).click();
    await page.getByText(/^It was not saved/).waitFor();
    await panel.getByLabel('Link 1 leads to').fill('https://bakery.example/');
    await panel.getByText('must be an address of http, https').waitFor({ state: 'detached' });
    await save();
    const { blocks } = await stored(page);
    expect(blocks.map(({ type }) => type)).to.deep.equal(['each', 'table', 'menu', 'heading', 'text']);
    expect(blocks[1]).to.deep.include({
      head: ['Bread', 'Price'],
      rows: [
        [[{ text: 'One' }], [{ text: '1.00' }]],
        [[{ text: 'Rye' }], [{ text: '4.20' }]],
      ],
    });
    await expectAccessible(page);
    await shoot(page, 'blocks-table');
  });
});
