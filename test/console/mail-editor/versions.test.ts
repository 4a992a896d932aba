import { expect } from 'chai';
import { changesBetween, wordsOfChanges } from '../../../console/mail-editor/model/changes.ts';
import type { Block, Content } from '../../../schemas/templates/block-types.ts';
import { expectAccessible, shoot, useConsole } from '../../support/browser/console.ts';
import { until } from '../../support/wait.ts';
import { editorOf, templatesOf } from './kit.ts';

const line = (id: string, text: string): Block => ({
  ...{ id, type: 'text', nodes: [{ type: 'paragraph', spans: [{ text }] }] },
});
const footer: Block = { id: 'end', type: 'footer', unsubscribe: 'Unsubscribe' };
const mail = (...blocks: Block[]): Content => ({ v: 1, blocks: [...blocks, footer] });
const heading: Block = { id: 'title', type: 'heading', level: 1, spans: [{ text: 'Bread' }] };

describe('Through the versions of a mail', () => {
  const suite = useConsole();
  const { stored, make } = templatesOf(suite);

  it('shows the mail at each with its changes, by mouse and by keys, and brings one back', async () => {
    const path = await make(mail(line('first', 'Fresh rye')));
    const { client } = suite.own;
    await client.patch(path, { content: mail(heading, line('first', 'Fresh wheat')) });
    await client.patch(path, { content: mail(heading), draft: true });
    const page = await suite.open(path);
    const { mail: written } = editorOf(page);
    await page.getByRole('button', { name: 'Look through them' }).click();
    const slider = page.getByRole('slider', { name: /^Version \d/ });
    const still = page.getByRole('textbox', { name: 'The mail at this version' });
    await page.getByText('Version 3: gone: Text “Fresh wheat”.').waitFor();
    await slider.focus();
    await page.keyboard.press('ArrowLeft');
    await page.getByText('Version 2: 1 new, 1 changed.').waitFor();
    await still.locator('[data-mark="new"]', { hasText: 'Bread' }).waitFor();
    await still.locator('[data-mark="changed"]', { hasText: 'Fresh wheat' }).waitFor();
    expect(await still.locator('[data-mark]').count()).to.equal(2);
    expect(await still.getAttribute('contenteditable')).to.equal('false');
    await expectAccessible(page);
    await slider.scrollIntoViewIfNeeded();
    await shoot(page, 'versions-slider');
    await slider.fill('0');
    await page.getByText('Version 1: there is no mail of blocks before it.').waitFor();
    await page.getByRole('button', { name: 'Restore version 1' }).first().click();
    await written.getByText('Fresh rye').waitFor();
    const { blocks } = await until(
      () => stored(page),
      (now) => now.blocks.length === 2,
    );
    expect(blocks).to.deep.equal(mail(line('first', 'Fresh rye')).blocks);
  });

  it('is not offered for a mail with one version', async () => {
    const page = await suite.open(await make(mail(heading)));
    await editorOf(page).mail.waitFor();
    await page.getByRole('heading', { name: 'Versions', exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Look through them' }).count()).to.equal(0);
  });

  it('says that a frame has changed with its own fields, and not with the blocks inside', () => {
    const when = (variable: string, text: string): Block => ({
      ...{ id: 'frame', type: 'when', tests: [{ variable, is: 'set' }], blocks: [line('inside', text)] },
    });
    const inside = changesBetween(mail(when('plan', 'One')), mail(when('plan', 'Two')));
    expect(inside).to.deep.equal({ changed: ['inside'], added: [], removed: [], isOtherLook: false });
    expect(changesBetween(mail(when('plan', 'One')), mail(when('city', 'One'))).changed).to.deep.equal(['frame']);
    expect(wordsOfChanges(changesBetween(mail(heading), mail(heading)))).to.equal(null);
    const look = { ...mail(heading), look: { accent: '#a03060' } };
    expect(wordsOfChanges(changesBetween(mail(heading), look))).to.equal('another look');
  });
});
