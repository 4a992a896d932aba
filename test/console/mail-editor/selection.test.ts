import { expect } from 'chai';
import type { Block, Content } from '../../../schemas/templates/block-types.ts';
import { expectAccessible, shoot, useConsole } from '../../support/browser/console.ts';
import { editorOf, templatesOf } from './kit.ts';

const line = (id: string, text: string): Block => ({
  ...{ id, type: 'text', nodes: [{ type: 'paragraph', spans: [{ text }] }] },
});
const content: Content = {
  v: 1,
  blocks: [line('first', 'Fresh rye'), { id: 'end', type: 'footer', unsubscribe: 'Unsubscribe' }],
};
const spansOf = ({ blocks: [first] }: Content) => (first as Block<'text'>).nodes[0]?.spans;

describe('Tools at the selected words of a mail', () => {
  const suite = useConsole();
  const { stored, make } = templatesOf(suite);
  before(() => suite.own.client.patch('/brand', { colours: { primary: '#a03060', paper: '#fffafc' } }));

  it('make them bold, and of a colour of the brand or of their own, by mouse', async () => {
    const page = await suite.open(await make(content));
    const { mail, save, block } = editorOf(page);
    const bar = page.getByRole('toolbar', { name: 'Selected words' });
    await mail.getByText('Fresh rye').click();
    expect(await bar.count()).to.equal(0);
    await mail.getByText('Fresh rye').dblclick({ position: { x: 10, y: 10 } });
    await bar.getByRole('button', { name: 'Bold' }).click();
    await bar.locator('button[aria-label="Bold"][aria-pressed="true"]').waitFor();
    await bar.getByRole('button', { name: 'Colour' }).click();
    await bar.getByRole('button', { name: /^Words: Main colour of the brand, \d+\.\d\d:1$/ }).click();
    await block('words').locator('[data-colour="brand.primary"]').waitFor();
    await expectAccessible(page);
    await shoot(page, 'selection-bar');
    await save();
    const [first, second] = spansOf(await stored(page)) ?? [];
    expect([first, second].map((span) => span?.colour)).to.have.members(['brand.primary', undefined]);
    await mail
      .getByText('Fresh')
      .or(mail.getByText('rye'))
      .first()
      .dblclick({ position: { x: 10, y: 10 } });
    await bar.getByRole('button', { name: 'Colour' }).click();
    await bar.getByLabel('Words, picked').fill('#f0d0e0');
    await bar.getByText('hard to read').waitFor();
    await bar.getByRole('button', { name: 'As the text' }).click();
    await mail.locator('[data-colour="#f0d0e0"]').waitFor({ state: 'detached' });
    await page.getByLabel('Subject').click();
    await bar.waitFor({ state: 'detached' });
  });

  it('are reached by a key, link the words, put a variable in their place, and are left by Escape', async () => {
    const page = await suite.open(await make(content));
    const { mail, save } = editorOf(page);
    const bar = page.getByRole('toolbar', { name: 'Selected words' });
    const focused = (name: string) => bar.locator(`button:focus`, { hasText: name }).waitFor();
    await mail.getByText('Fresh rye').click();
    await page.keyboard.press('Home');
    for (const _ of 'Fresh') await page.keyboard.press('Shift+ArrowRight');
    await bar.waitFor();
    await page.keyboard.press('Alt+F10');
    await focused('B');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await mail.locator('em', { hasText: 'Fresh' }).waitFor();
    // It stays for the next one.
    await focused('I');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await page.getByLabel('Address').fill('bakery.example');
    await page.keyboard.press('Enter');
    await mail.locator('a[data-href="https://bakery.example"]', { hasText: 'Fresh' }).waitFor();
    await bar.waitFor();
    await page.keyboard.press('End');
    for (const _ of 'rye') await page.keyboard.press('Shift+ArrowLeft');
    await page.keyboard.press('Tab');
    await focused('B');
    await page.keyboard.press('ArrowLeft');
    await focused('{ }');
    await page.keyboard.press('Escape');
    await mail.and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Alt+F10');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Enter');
    await page.getByRole('combobox', { name: 'Find a variable' }).fill('first');
    await page.keyboard.press('Enter');
    await mail.locator('.m-chip').waitFor();
    await save();
    expect(spansOf(await stored(page))).to.deep.equal([
      { text: 'Fresh', italic: true, href: 'https://bakery.example' },
      { text: ' ' },
      { variable: 'firstName' },
    ]);
  });
});
