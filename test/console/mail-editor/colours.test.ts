import { expect } from 'chai';
import type { Content } from '../../../schemas/templates/block-types.ts';
import { expectAccessible, shoot, useConsole } from '../../support/browser/console.ts';
import { until } from '../../support/wait.ts';
import { editorOf, templatesOf } from './kit.ts';

const content: Content = {
  v: 1,
  blocks: [
    { id: 'go', type: 'button', spans: [{ text: 'Order' }], href: 'https://bakery.example/' },
    { id: 'end', type: 'footer', unsubscribe: 'Unsubscribe' },
  ],
};

describe('Colours of a mail', () => {
  const suite = useConsole();
  const { stored, make } = templatesOf(suite);
  before(() =>
    suite.own.client.patch('/brand', {
      colours: { primary: '#7a1f3d', paper: '#fff8fa', text: '#202020' },
      font: 'serif',
    }),
  );

  it('are those of the brand first, and say whether they can be read', async () => {
    const page = await suite.open(await make(content));
    const { block, panel, save, checks } = editorOf(page);
    const ground = () => page.evaluate(`getComputedStyle(document.querySelector('.m-button')).backgroundColor`);
    await block('button').locator('.m-button').click();
    await panel.getByRole('button', { name: /^Colour of the button: Main colour of the brand, \d/ }).click();
    await until(ground, (colour) => colour === 'rgb(122, 31, 61)');
    await panel.getByRole('button', { name: /^Colour of its words: Text of the brand, \d/ }).click();
    await panel.getByText('hard to read').first().waitFor();
    await checks.getByText('is hard to read').waitFor();
    await shoot(page, 'colours-of-a-button');
    await panel.getByLabel('Colour of its words', { exact: true }).fill('#ffffff');
    await checks.getByText('is hard to read').waitFor({ state: 'detached' });
    await expectAccessible(page);
    await save();
    expect((await stored(page)).blocks[0]).to.include({ background: 'brand.primary', colour: '#ffffff' });
  });

  it('and letters are those of the brand where the mail begins with it', async () => {
    const page = await suite.open(await make(content));
    const { mail, panel, save } = editorOf(page);
    await mail.waitFor();
    await panel.getByRole('radio', { name: 'Mail' }).check();
    await panel.getByLabel('Begins with').selectOption('The brand');
    const look = () =>
      page.evaluate(
        `(({ backgroundColor, fontFamily }) => backgroundColor + fontFamily)(getComputedStyle(document.querySelector('.m-surface')))`,
      );
    await until(look, (now) => String(now).startsWith('rgb(255, 248, 250)Georgia'));
    await panel.getByRole('button', { name: /^Links and buttons: Text of the brand, \d/ }).click();
    await shoot(page, 'colours-of-a-mail');
    await expectAccessible(page);
    await save();
    expect((await stored(page)).look).to.deep.equal({ brand: true, accent: 'brand.text' });
    await panel.getByLabel('Begins with').selectOption('Our look');
    await until(look, (now) => String(now).startsWith('rgb(253, 253, 253)'));
  });
});
