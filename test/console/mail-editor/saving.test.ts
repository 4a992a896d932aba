import { expect } from 'chai';
import type { Block, Content } from '../../../schemas/templates/block-types.ts';
import { busyTime, holdCall, shoot, useConsole } from '../../support/browser/console.ts';
import { until } from '../../support/wait.ts';
import { editorOf, png, templatesOf } from './kit.ts';

const BLOCKS = 200;
const KEYS = 100;
/** A picture of the screen, at sixty a second. */
const KEY_MS_MAX = 16;

const line = (id: string, text: string): Block => ({
  ...{ id, type: 'text', nodes: [{ type: 'paragraph', spans: [{ text }] }] },
});
const footer: Block = { id: 'end', type: 'footer', unsubscribe: 'Unsubscribe' };
const content: Content = { v: 1, blocks: [line('first', 'The first line'), footer] };

/** HTML in the clipboard, as another program puts it there. */
const paste = (html: string, text = '') => `(() => {
  const data = new DataTransfer();
  data.setData('text/html', ${JSON.stringify(html)});
  data.setData('text/plain', ${JSON.stringify(text)});
  document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
})()`;

describe('A mail of blocks is saved', () => {
  const suite = useConsole();
  const { stored, make } = templatesOf(suite);

  it('by itself, and shows both texts where another tab has saved in between', async () => {
    const path = await make(content);
    const page = await suite.open(path);
    const { mail } = editorOf(page);
    await mail.getByText('The first line').click();
    const other = await suite.open(path, { besides: page });
    const { mail: otherMail, save } = editorOf(other);
    await otherMail.getByText('The first line').click();
    await other.keyboard.press('End');
    await other.keyboard.type(', from the other tab');
    await save();
    await page.keyboard.press('End');
    await page.keyboard.type(', from this tab');
    await page.getByText('Another version was saved elsewhere while you typed').waitFor();
    await page.locator('.both-texts').getByText('The first line, from the other tab').waitFor();
    await page.locator('.both-texts').getByText('The first line, from this tab').waitFor();
    await shoot(page, 'blocks-both');
    for (const name of ['Save draft', 'Publish']) {
      const button = page.getByRole('button', { name, exact: true });
      expect(await button.getAttribute('title')).to.equal('Choose first which version stays.');
    }
    await page.getByRole('button', { name: 'Take theirs…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Discard what I typed' }).click();
    await mail.getByText('The first line, from the other tab').click();
    await page.getByText(/^Saved \d\d:/).waitFor();
    await page.keyboard.press('End');
    await page.keyboard.type('!');
    await until(
      () => stored(page),
      ({ blocks }) => JSON.stringify(blocks[0]).includes('other tab!'),
    );
  });

  it('with what is typed while a save is on its way', async () => {
    const page = await suite.open(await make(content));
    const { mail } = editorOf(page);
    await mail.getByText('The first line').click();
    await page.clock.install();
    const { release, isHeld } = await holdCall(page, 'PATCH', /\/templates\/A-/);
    await page.keyboard.press('End');
    await page.keyboard.type(' goes on');
    await page.getByRole('button', { name: 'Save draft' }).click();
    await isHeld;
    await mail.getByText('The first line goes on').click();
    await page.keyboard.press('End');
    await page.keyboard.type(' and on');
    // The text rests while the call has no answer.
    await page.clock.fastForward(10_000);
    release();
    await page.clock.runFor(10_000);
    await until(
      () => stored(page),
      ({ blocks }) => JSON.stringify(blocks[0]).includes('goes on and on'),
    );
  });

  it('keeps what is not saved in this browser, and becomes code only when that is confirmed', async () => {
    const path = await make(content);
    const page = await suite.open(path);
    const { mail } = editorOf(page);
    await mail.getByText('The first line').click();
    await page.keyboard.press('End');
    await page.keyboard.type(' goes on');
    await page.goto('/console/templates');
    await page.goto(`/console${path}`);
    await mail.getByText('The first line goes on').waitFor();
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Edit as code…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Edit as code' });
    await dialog.getByText('the blocks do not come back').waitFor();
    await dialog.getByRole('button', { name: 'Not now' }).click();
    expect((await stored(page))?.v).to.equal(1);
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Edit as code…' }).click();
    await dialog.getByRole('button', { name: 'Make it code' }).click();
    const code = page.locator('.cm-content');
    await code.getByText('The first line goes on').waitFor();
    expect(await stored(page)).to.equal(null);
    // An earlier version brings the blocks back.
    await page.getByRole('button', { name: 'Restore version 1' }).click();
    await mail.getByText('The first line').waitFor();
    expect((await stored(page)).blocks).to.deep.equal(content.blocks);
  });

  it('before an earlier version is restored, which undo takes back too', async () => {
    const page = await suite.open(await make(content));
    const { mail, said } = editorOf(page);
    await mail.getByText('The first line').click();
    // The comparison with what is published needs the HTML of the mail.
    const { release } = await holdCall(page, 'POST', /\/templates\/render$/);
    await page.keyboard.press('End');
    await page.keyboard.type(' goes on');
    await page.getByRole('button', { name: 'Save draft' }).click();
    await page.getByRole('row', { name: /^2 in the editor/ }).waitFor();
    const button = page.getByRole('button', { name: 'Restore version 1' });
    await button.hover();
    await page.mouse.down();
    // Drawn away it does nothing.
    await page.mouse.move(0, 0);
    await page.mouse.up();
    await mail.getByText('goes on').click();
    await page.keyboard.press('End');
    await page.keyboard.type(' and on');
    // The comparison grows above the button while it is pressed.
    await button.hover();
    const before = await button.boundingBox();
    await page.mouse.down();
    release();
    await until(
      () => button.boundingBox(),
      (box) => box?.y !== before?.y,
    );
    await page.mouse.up();
    await page.getByText('Version 1 is in the editor again').waitFor();
    await page.getByRole('row', { name: /^4 in the editor/ }).waitFor();
    expect((await stored(page)).blocks).to.deep.equal(content.blocks);
    await mail.getByText('The first line', { exact: true }).click();
    await page.keyboard.press('Control+z');
    await said(/^Taken back/);
    await mail.getByText('The first line goes on and on').waitFor();
  });

  it('is read by a viewer, who changes nothing', async () => {
    const ofBrand = ['header', 'social'].map((type) => ({ id: type, type, brand: true }) as unknown as Block);
    const page = await suite.open(await make({ v: 1, blocks: [...ofBrand, ...content.blocks] }), { role: 'viewer' });
    const { mail, panel } = editorOf(page);
    await mail.getByText('Profiles of the brand').waitFor();
    await mail.getByText('The first line').click();
    await page.keyboard.type('x');
    expect(await mail.getAttribute('contenteditable')).to.equal('false');
    expect(await panel.getByRole('button', { name: 'Remove' }).count()).to.equal(0);
    expect(await page.getByRole('toolbar').count()).to.equal(0);
    await page.getByRole('radio', { name: 'Preview' }).check();
    await page.frameLocator('iframe[title="Preview at 720 px"]').getByText('The first line').waitFor();
  });

  it('takes words, lists and links of other programs, {{variables}} in texts, and pictures', async () => {
    const page = await suite.open(await make({ v: 1, blocks: [line('first', ''), footer] }));
    const { mail, block, save } = editorOf(page);
    await block('words').locator('p').click();
    await page.evaluate(
      paste(
        '<html><!--StartFragment--><p class="MsoNormal">Fresh <b>rye</b> and <i>wheat</i><o:p></o:p></p><ul><li>One</li><li><a href="https://bakery.example/">Two</a></li></ul><p onclick="x()">End<script>alert(1)</script></p><!--EndFragment--></html>',
      ),
    );
    await mail.getByText('Two').waitFor();
    await page.evaluate(paste('', ' Hello {{firstName default="you"}}!'));
    await mail.locator('.m-chip').waitFor();
    await page.evaluate(`(() => {
      const bytes = Uint8Array.from(atob(${JSON.stringify(png.toString('base64'))}), (one) => one.charCodeAt(0));
      const data = new DataTransfer();
      data.items.add(new File([bytes], 'dot.png', { type: 'image/png' }));
      document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
    })()`);
    await mail.locator('.m-picture').waitFor({ state: 'attached' });
    await save();
    const { blocks } = await stored(page);
    expect(blocks.map(({ type }) => type)).to.deep.equal(['text', 'image', 'footer']);
    expect(blocks[0]).to.deep.equal({
      ...{ id: 'first', type: 'text' },
      nodes: [
        {
          type: 'paragraph',
          spans: [{ text: 'Fresh ' }, { text: 'rye', bold: true }, { text: ' and ' }, { text: 'wheat', italic: true }],
        },
        { type: 'list', items: [[{ text: 'One' }], [{ text: 'Two', href: 'https://bakery.example/' }]] },
        {
          type: 'paragraph',
          spans: [{ text: 'End Hello ' }, { variable: 'firstName', fallback: 'you' }, { text: '!' }],
        },
      ],
    });
  });

  it(`draws a key in a mail of ${BLOCKS} blocks in less than a picture of the screen takes`, async () => {
    const many = Array.from({ length: BLOCKS }, (_, index) => line(`b${index}`, `Line ${index} `.repeat(8)));
    const page = await suite.open(await make({ v: 1, blocks: [...many, footer] }));
    const { mail } = editorOf(page);
    await mail.getByText('Line 100 Line').click();
    await page.keyboard.press('End');
    await page.keyboard.type('warm');
    const spent = await busyTime(page);
    for (let key = 0; key < KEYS; key += 1) await page.keyboard.press('x');
    const perKey = (await spent()) / KEYS;
    console.log(`      ${perKey.toFixed(2)} ms of the page a key`);
    expect(perKey).to.be.below(KEY_MS_MAX);
  });
});
