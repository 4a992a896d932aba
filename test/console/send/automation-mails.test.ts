import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { activeAutomation, created, email, makeSending, wait } from '../../automations/support.ts';
import { png } from '../../providers/images.ts';
import { expectAccessible, pickFound, shoot, useConsole } from '../../support/browser/console.ts';
import { until } from '../../support/wait.ts';
import { editorOf } from '../mail-editor/kit.ts';

const contentOf = (text: string) => ({
  v: 1 as const,
  blocks: [
    { id: 'words', type: 'text', nodes: [{ type: 'paragraph', spans: [{ text }] }] },
    { id: 'end', type: 'footer', unsubscribe: 'Leave' },
  ],
});
const written = (text: string) => email('letter', { email: { content: contentOf(text), subject: 'Letter' } });

describe('The mail of a step, written in place', () => {
  const suite = useConsole();
  before(() => makeSending(suite.deps, suite.own));

  const mailOf = async (id: string, query = '') => {
    const { steps } = (await suite.own.client.get(`/automations/${id}${query}`)).body.data;
    return steps.findLast((step: { type: string }) => step.type === 'email').email;
  };
  const wordsOf = (mail: { editorJson?: object }) => JSON.stringify(mail.editorJson);
  const partsOf = (page: Page) => ({
    ...editorOf(page),
    step: page.getByRole('complementary', { name: 'Step' }),
    dialog: page.getByRole('dialog'),
    preview: page.frameLocator('iframe[title="Preview of the mail"]'),
    saved: () => page.getByText(/^Saved \d\d:/).waitFor(),
    write: () => page.getByRole('button', { name: 'Write the mail' }),
  });

  it('begins with blocks, is written by mouse, and is one step of undo', async () => {
    const { id } = await created(suite.own.client, '/automations', { name: 'Bread', steps: [wait(1), email('first')] });
    const page = await suite.open(`/automations/${id}/edit`);
    const { step, dialog, preview, block, add, write, saved } = partsOf(page);
    await page.getByRole('button', { name: 'Add a step after first', exact: true }).click();
    await page.getByRole('menuitem', { name: /^Mail / }).click();
    await preview.getByText('Write here what you want to say.').waitFor();
    await saved();
    await write().click();
    await block('words').locator('p').click({ clickCount: 3 });
    await page.keyboard.type('The rye is here.');
    await add('Line');
    await dialog.getByLabel('Subject').fill('Rye');
    await shoot(page, 'in-place');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Done' }).click();
    await dialog.waitFor({ state: 'detached' });
    await preview.getByText('The rye is here.').waitFor();
    expect(await step.getByLabel('Subject').inputValue()).to.equal('Rye');
    await saved();
    await expectAccessible(page);
    await shoot(page, 'in-place-done');
    const { editorJson, subject } = await mailOf(id);
    expect(subject).to.equal('Rye');
    const types = editorJson.blocks.map(({ type }: { type: string }) => type);
    expect(types).to.deep.equal(['heading', 'text', 'divider', 'button', 'footer']);
    expect(wordsOf({ editorJson })).to.contain('The rye is here.');

    await page.getByRole('button', { name: 'Undo' }).click();
    await preview.getByText('Write here what you want to say.').waitFor();
    expect(await step.getByLabel('Subject').inputValue()).to.equal('New mail');
    await page.getByRole('button', { name: 'Redo' }).click();
    await preview.getByText('The rye is here.').waitFor();
    await saved();
  });

  it('is written by keyboard, keeps all of it when the dialog is left with Escape, and each opening is an act', async () => {
    const steps = [wait(1), written('One')];
    const { id } = await activeAutomation(suite.own.client, { steps });
    const page = await suite.open(`/automations/${id}/edit?step=letter`);
    const { dialog, preview, write, mail, panel, said } = partsOf(page);
    await preview.getByText('One').waitFor();
    const { press, type } = page.keyboard;
    const keys = { press: press.bind(page.keyboard), type: type.bind(page.keyboard) };
    const writeHeading = async (words: string) => {
      await write().focus();
      await keys.press('Enter');
      await page.getByRole('button', { name: 'Block', exact: true }).focus();
      await keys.press('Enter');
      await keys.type('head');
      await keys.press('Enter');
      await said(/^Heading is added/);
      await keys.type(words);
      await mail.getByRole('heading', { name: words }).waitFor();
    };
    const stored = (isThere: (words: string) => boolean) =>
      until(async () => wordsOf(await mailOf(id, '?version=draft')), isThere);
    await writeHeading('Two');
    // In the settings Escape leads back to the mail, and the dialog stays.
    await panel.getByRole('radio', { name: 'Block' }).focus();
    await keys.press('Escape');
    await until(
      () => mail.evaluate((element) => element.contains(element.ownerDocument.activeElement)),
      (isInside) => isInside,
    );
    expect(await dialog.count()).to.equal(1);
    // It is saved while it is open, and keys of the page below do nothing.
    await stored((words) => words.includes('Two'));
    await dialog.getByRole('button', { name: 'Done' }).focus();
    await keys.press('Control+K');
    await keys.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(await page.evaluate('document.activeElement?.textContent')).to.equal('Write the mail');
    await preview.getByRole('heading', { name: 'Two' }).waitFor();
    expect(wordsOf(await mailOf(id))).to.equal(JSON.stringify(contentOf('One')));

    await writeHeading('Three');
    await dialog.getByRole('button', { name: 'Done' }).focus();
    await keys.press('Enter');
    await preview.getByRole('heading', { name: 'Three' }).waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await preview.getByRole('heading', { name: 'Three' }).waitFor({ state: 'detached' });
    await preview.getByRole('heading', { name: 'Two' }).waitFor();
    await stored((words) => words.includes('Two') && !words.includes('Three'));
    await page.getByRole('button', { name: 'Undo' }).click();
    await stored((words) => words === JSON.stringify(contentOf('One')));
  });

  it('becomes code on demand, code stays code, and untouched blocks stay byte for byte', async () => {
    const { id } = await created(suite.own.client, '/automations', { name: 'Code', steps: [wait(1), written('One')] });
    const page = await suite.open(`/automations/${id}/edit?step=letter`);
    const { step, dialog, preview, saved, write } = partsOf(page);
    await preview.getByText('One').waitFor();
    await step.getByLabel('Subject').fill('Another');
    await until(
      () => mailOf(id),
      ({ subject }) => subject === 'Another',
    );
    expect(wordsOf(await mailOf(id))).to.equal(JSON.stringify(contentOf('One')));
    await page.getByRole('button', { name: 'More for this mail' }).click();
    await page.getByRole('menuitem', { name: 'Edit as code…' }).click();
    await dialog.getByRole('button', { name: 'Make it code' }).click();
    await step.locator('.cm-content').fill('<p>One</p><a href="{{unsubscribe}}">Leave</a>');
    const code = await until(
      () => mailOf(id),
      ({ editorJson }) => editorJson === undefined,
    );
    expect(code.htmlTemplate).to.contain('One');
    await saved();
    await page.reload();
    await step.locator('.cm-content').waitFor();
    expect(await write().count()).to.equal(0);
  });

  it('takes the subject of the template that is chosen instead', async () => {
    const { client } = suite.own;
    const template = { templateName: 'Bread letter', subject: 'Bread', templateType: 'marketing' };
    const { templateId } = await created(client, '/templates', { ...template, content: contentOf('Rye') });
    const { id } = await created(client, '/automations', { name: 'Chosen', steps: [wait(1), written('One')] });
    const page = await suite.open(`/automations/${id}/edit?step=letter`);
    const { step } = partsOf(page);
    await step.getByRole('radio', { name: 'A template' }).check();
    await pickFound(step.getByLabel('Template', { exact: true }), 'Bread letter');
    await until(
      () => mailOf(id),
      (mail) => mail.templateId === templateId,
    );
    await step.getByText('Left empty: that of the template.').waitFor();
    expect(await step.getByLabel('Subject').inputValue()).to.equal('');
    const stored = await until(
      () => mailOf(id),
      (mail) => mail.subject === null || mail.subject === undefined,
    );
    expect(stored.htmlTemplate ?? null).to.equal(null);
  });

  it('takes its pictures inside, says at the box why it does not, and has them as links again', async () => {
    const shown = async (bytes: Buffer) => {
      const form = new FormData();
      form.set('file', new Blob([new Uint8Array(bytes)]), 'logo.png');
      const { url } = (await suite.own.client.send('POST', '/v1/media', { body: form })).body.data;
      return `<p>Logo</p><img src="${url}" alt="Logo">`;
    };
    const logo = await shown(png(12, 7));
    const large = await shown(Buffer.concat([png(13, 7), Buffer.alloc(500_000)]));
    const letter = (htmlTemplate: string) => email('letter', { email: { htmlTemplate, subject: 'Letter' } });
    const draft = (name: string, html: string) =>
      created(suite.own.client, '/automations', { name, steps: [wait(1), letter(html)] });
    const { id } = await draft('Small', logo);
    const page = await suite.open(`/automations/${id}/edit?step=letter`);
    const { step } = partsOf(page);
    const box = step.getByLabel('Send pictures inside the mail');
    const storedAs = (isInside: true | undefined) =>
      until(
        () => mailOf(id, '?version=draft'),
        ({ inlinePictures }) => inlinePictures === isInside,
      );
    await box.check();
    await storedAs(true);
    await box.uncheck();
    await storedAs(undefined);

    const other = await draft('Large', large);
    await page.goto(`/console/automations/${other.id}/edit?step=letter`);
    await box.check();
    await step.getByText(/500 ?\d+ bytes together/).waitFor();
    await expectAccessible(page);
    await box.scrollIntoViewIfNeeded();
    await shoot(page, 'automation-pictures-refused');
    expect((await mailOf(other.id)).inlinePictures).to.equal(undefined);
  });

  it('is written on a telephone, and only looked at by viewers', async () => {
    const { id } = await created(suite.own.client, '/automations', { name: 'Small', steps: [wait(1), written('One')] });
    const page = await suite.open(`/automations/${id}/edit`, { width: 375 });
    const { dialog, preview, block, write, saved } = partsOf(page);
    await page
      .getByRole('list', { name: 'Steps' })
      .getByRole('button', { name: /^Letter/ })
      .tap();
    await write().tap();
    await block('words').locator('p').tap();
    await page.keyboard.press('End');
    await page.keyboard.type(' and two');
    await expectAccessible(page);
    await shoot(page, 'in-place-telephone');
    expect(await page.evaluate('document.documentElement.scrollWidth')).to.be.at.most(375);
    await dialog.getByRole('button', { name: 'Done' }).tap();
    await preview.getByText('One and two').waitFor();
    await saved();

    const viewer = await suite.open(`/automations/${id}/edit?step=letter`, { role: 'viewer' });
    const looked = partsOf(viewer);
    await looked.preview.getByText('One and two').waitFor();
    expect(await looked.write().count()).to.equal(0);
    expect(await viewer.getByRole('button', { name: 'More for this mail' }).count()).to.equal(0);
  });
});
