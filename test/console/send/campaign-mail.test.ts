import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import type { Page } from 'playwright-core';
import { seedVerifiedDomain } from '../../../core/domains/domains.ts';
import { SENDER } from '../../delivery/support.ts';
import { png } from '../../providers/images.ts';
import { expectAccessible, pickFound, shoot, useConsole } from '../../support/browser/console.ts';
import { made, uploadPicture } from '../../support/client.ts';
import { until } from '../../support/wait.ts';
import { editorOf } from '../mail-editor/kit.ts';

const contentOf = (text: string) => ({
  v: 1 as const,
  blocks: [
    { id: 'words', type: 'text', nodes: [{ type: 'paragraph', spans: [{ text }] }] },
    { id: 'end', type: 'footer', unsubscribe: 'Leave' },
  ],
});

describe('The mail of a campaign, written in place', () => {
  const suite = useConsole();
  before(async () => {
    const { client, project } = suite.own;
    await seedVerifiedDomain(suite.deps, project, 'mail.example.com', new ObjectId());
    const { id } = await made(client, '/contact-lists', { name: 'Newsletter' });
    await client.post('/contacts', { email: 'ada@in.test', firstName: 'Ada', listIds: [id] });
  });

  const draftOf = (fields: object) =>
    made(suite.own.client, '/campaigns', { name: 'News', subject: 'News', publish: false, ...fields });
  const stored = async (id: string) => (await suite.own.client.get(`/campaigns/${id}`)).body.data;
  const partsOf = (page: Page) => ({
    ...editorOf(page),
    dialog: page.getByRole('dialog'),
    preview: page.frameLocator('iframe[title="Preview at 320 px"]'),
    write: page.getByRole('button', { name: 'Write the mail' }),
    more: async (item: string) => {
      await page.getByRole('button', { name: 'More for this mail' }).click();
      await page.getByRole('menuitem', { name: item }).click();
    },
  });
  const idIn = (page: Page) => /campaigns\/([0-9a-f]{24})/.exec(page.url())?.[1] ?? '';

  it('begins with a starter, is written as it looks, saved by itself, shown for a person, and published', async () => {
    const page = await suite.open('/campaigns/new');
    const { dialog, preview, write, block, panel } = partsOf(page);
    await page.getByLabel('Name of the campaign').fill('Bread');
    await write.click();
    await dialog.getByRole('button', { name: /^Welcome/ }).waitFor();
    await expectAccessible(page);
    await shoot(page, 'campaign-own-mail-begun');
    await dialog.getByRole('button', { name: /^Announcement/ }).click();
    await block('heading').first().click({ clickCount: 3 });
    await page.keyboard.type('Fresh rye');
    await panel.waitFor();
    await dialog.getByLabel('Subject').fill('Rye');
    await expectAccessible(page);
    await shoot(page, 'campaign-own-mail-written');
    await dialog.getByRole('button', { name: 'Done' }).click();
    await preview.getByText('Fresh rye').waitFor();
    expect(await page.getByLabel('Subject').inputValue()).to.equal('Rye');
    await pickFound(page.getByLabel('Add a list or a segment'), 'Newsletter');
    await page.getByLabel('From', { exact: true }).fill(SENDER);
    await page.getByRole('button', { name: 'Save draft' }).click();
    await page.waitForURL(/\/campaigns\/[0-9a-f]{24}\/edit/);
    const id = idIn(page);
    const first = await stored(id);
    expect(first.template).to.include({ campaignId: id, builderType: 'editor' });
    await preview.getByText('Fresh rye').waitFor();
    await shoot(page, 'campaign-own-mail');
    await expectAccessible(page);

    await write.click();
    await block('heading').first().click({ clickCount: 3 });
    await page.keyboard.type('Stale rye');
    await until(async () => JSON.stringify((await stored(id)).template.editorJson).includes('Stale rye'), Boolean);
    expect((await stored(id)).templateId).to.equal(first.templateId);
    await dialog.getByRole('button', { name: 'Done' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Publish…' }).click();
    await page.getByLabel('Subject').waitFor();
    await dialog.getByRole('button', { name: 'Send to 1 person' }).click();
    await page.waitForURL(/\/campaigns\/[0-9a-f]{24}$/);
    expect(await stored(id)).to.include({ status: 'scheduled', subject: 'Rye' });
  });

  it('takes its pictures along, and says when they are too large for it', async () => {
    const upload = async (bytes: Buffer) => (await uploadPicture(suite.own.client, bytes)).body.data.url as string;
    const [small, large] = [
      await upload(png(20, 20)),
      await upload(Buffer.concat([png(21, 20), Buffer.alloc(500_000)])),
    ];
    const codeWith = (url: string) => `<img src="${url}" alt="Logo"><a href="{{unsubscribe}}">Leave</a>`;
    const { id } = await draftOf({ htmlTemplate: codeWith(large) });
    const page = await suite.open(`/campaigns/${id}/edit`);
    const pictures = page.getByLabel('Pictures');
    await pictures.selectOption('Inside the mail');
    await page.getByRole('button', { name: 'Save draft' }).click();
    await page.getByText(/the pictures have \d+ bytes together, and 500000 at most go inside a mail/i).waitFor();
    await expectAccessible(page);
    await shoot(page, 'campaign-pictures-too-large');
    expect((await stored(id)).inlinePictures).to.equal(false);

    await page.getByRole('textbox', { name: 'Code' }).click();
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.press('Backspace');
    await page.keyboard.insertText(codeWith(small));
    await page.getByRole('button', { name: 'Save draft' }).click();
    await until(async () => (await stored(id)).inlinePictures === true, Boolean);
    await page.reload();
    expect(await pictures.inputValue()).to.equal('yes');
    const other = await suite.open(`/campaigns/${id}`);
    await other.getByText('Inside the mail').waitFor();
  });

  it('is looked through at its versions, and an earlier one is brought back as a change, by keys', async () => {
    const { id } = await draftOf({ content: contentOf('One'), subject: 'First' });
    await suite.own.client.patch(`/campaigns/${id}`, { content: contentOf('Two'), subject: 'Second' });
    const page = await suite.open(`/campaigns/${id}/edit`);
    const { dialog, write, mail } = partsOf(page);
    await write.press('Enter');
    await page.getByRole('button', { name: 'Look through them' }).press('Enter');
    await page.getByRole('slider', { name: /^Version 2/ }).press('ArrowLeft');
    await page.getByRole('textbox', { name: 'The mail at this version' }).getByText('One').waitFor();
    await expectAccessible(page);
    await shoot(page, 'campaign-own-versions');
    await page.getByRole('button', { name: 'Restore version 1' }).press('Enter');
    await mail.getByText('One', { exact: true }).waitFor();
    const said = page.getByText('Version 1 is in the editor again');
    await said.waitFor();
    await dialog.getByRole('button', { name: 'Close this message' }).click();
    await said.waitFor({ state: 'detached' });
    await until(
      () => stored(id),
      ({ template }) => JSON.stringify(template.editorJson).includes('One'),
    );
    expect(await stored(id)).to.include({ subject: 'First' });
    await page.getByRole('slider', { name: /^Version 1/ }).waitFor();
    await mail.click();
    await page.keyboard.press('Control+z');
    await mail.getByText('Two', { exact: true }).waitFor();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'Save draft' }).click();
    await until(
      () => stored(id),
      ({ template }) => JSON.stringify(template.editorJson).includes('Two'),
    );
  });

  it('becomes code, is saved as a template, and gives way to a template', async () => {
    const { id } = await draftOf({ content: contentOf('To be code') });
    const page = await suite.open(`/campaigns/${id}/edit`);
    const { preview, more, dialog } = partsOf(page);
    await preview.getByText('To be code').waitFor();
    await more('Save as template…');
    await dialog.getByLabel('Name').fill('Kept words');
    await dialog.getByRole('button', { name: 'Save template' }).click();
    await page.getByText('Saved the template Kept words').waitFor();
    const { templates } = (await suite.own.client.get('/templates?search=Kept')).body.data;
    expect(templates).to.have.length(1);
    expect(templates[0]).to.deep.include({ campaignId: null, editorJson: contentOf('To be code') });

    await more('Edit as code…');
    await dialog.getByRole('button', { name: 'Make it code' }).click();
    await page.getByRole('textbox', { name: 'Code' }).waitFor();
    await until(async () => (await stored(id)).template.campaignId === id, Boolean);

    await more('Begin again, or choose a template…');
    await dialog.getByRole('button', { name: 'Take it out' }).click();
    await pickFound(page.getByLabel('Template'), 'Kept words');
    await preview.getByText('To be code').waitFor();
    await page.getByRole('button', { name: 'Save draft' }).click();
    await until(async () => (await stored(id)).templateId === templates[0].templateId, Boolean);

    await more('Change it for this campaign alone');
    await page.getByRole('button', { name: 'Write the mail' }).waitFor();
    await page.getByRole('button', { name: 'Save draft' }).click();
    await until(async () => (await stored(id)).template.campaignId === id, Boolean);
    expect((await stored(id)).template.editorJson).to.deep.equal(contentOf('To be code'));
  });

  it('is gone for good when it is taken out of a draft', async () => {
    const { id } = await draftOf({ content: contentOf('To be taken out') });
    const page = await suite.open(`/campaigns/${id}/edit`);
    const { preview, more, dialog, write } = partsOf(page);
    await preview.getByText('To be taken out').waitFor();
    await more('Begin again, or choose a template…');
    await dialog.getByRole('button', { name: 'Take it out' }).click();
    await page.getByRole('button', { name: 'Save draft' }).click();
    await page.getByText('Saved News').waitFor();
    expect(await stored(id)).to.deep.include({ templateId: '', template: null });
    await page.reload();
    await page.getByText('Or a mail of its own').waitFor();
    await page.getByText('Write the mail, or choose a template', { exact: true }).waitFor();
    await write.click();
    await dialog.getByRole('button', { name: /^Announcement/ }).click();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'Save draft' }).click();
    await until(async () => (await stored(id)).template?.campaignId === id, Boolean);
  });

  it('is not lost when another person saves: both are shown, and one is chosen', async () => {
    const { id } = await draftOf({ content: contentOf('One') });
    const page = await suite.open(`/campaigns/${id}/edit`);
    const { write, block, dialog } = partsOf(page);
    await write.click();
    await block('words').locator('p').click({ clickCount: 3 });
    await suite.own.client.patch(`/campaigns/${id}`, { content: contentOf('Theirs') });
    await page.keyboard.type('Mine');
    await dialog.getByText('Another version was saved elsewhere').waitFor();
    await dialog.getByRole('button', { name: 'Done' }).click();
    const both = page.getByRole('region', { name: 'Two versions' });
    await both.getByText(/^Text\s+Theirs/).waitFor();
    await both.getByText(/^Text\s+Mine/).waitFor();
    await both.getByRole('button', { name: 'Keep mine' }).click();
    await both.waitFor({ state: 'detached' });
    await until(async () => JSON.stringify((await stored(id)).template.editorJson).includes('Mine'), Boolean);
  });

  it('is read by a viewer, who has no way to write it', async () => {
    const { id } = await draftOf({ content: contentOf('Only read') });
    const page = await suite.open(`/campaigns/${id}/edit`, { role: 'viewer' });
    const { preview, write } = partsOf(page);
    await preview.getByText('Only read').waitFor();
    expect(await write.count()).to.equal(0);
    expect(await page.getByRole('button', { name: 'More for this mail' }).count()).to.equal(0);
  });
});
