import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { expectAccessible, shoot, useConsole } from '../../../support/browser/console.ts';
import { made, publishFrench } from '../../../support/client.ts';
import { until } from '../../../support/wait.ts';

const slot = { id: 'slot', type: 'content' };
const words = (text: string) => ({
  v: 1,
  look: { language: 'en' },
  blocks: [{ id: 'title', type: 'heading', level: 1, spans: [{ text }] }],
});

describe('The template of a campaign, changed for it alone', () => {
  const suite = useConsole();
  const stored = async (id: string) => (await suite.own.client.get(`/campaigns/${id}`)).body.data;

  async function openCampaign(layout: object, mail: object) {
    const { client } = suite.own;
    const { id: layoutId } = await made(client, '/layouts', { name: 'House', ...layout });
    const given = { templateName: 'Bread', templateType: 'marketing', layoutId, ...mail };
    const { templateId } = await made(client, '/templates', given);
    const { id } = await made(client, '/campaigns', { name: 'News', subject: 'News', publish: false, templateId });
    return { id, layoutId, templateId, open: () => suite.open(`/campaigns/${id}/edit`) };
  }

  const preview = (page: Page) => page.frameLocator('iframe[title="Preview at 320 px"]');
  const changeAlone = async (page: Page) => {
    await page.getByRole('button', { name: 'More for this mail' }).click();
    await page.getByRole('menuitem', { name: 'Change it for this campaign alone' }).click();
  };

  it('keeps the layout around code, which its preview shows', async () => {
    const { id, layoutId, open } = await openCampaign(
      { emailTemplate: '{{{content}}}<a href="{{unsubscribe}}">Leave</a>' },
      { emailTemplate: '<p>Rye</p>' },
    );
    const page = await open();
    await preview(page).getByText('Rye').waitFor();
    await preview(page).getByText('Leave').waitFor();
    await changeAlone(page);
    const code = page.getByRole('textbox', { name: 'Code' });
    await code.click();
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.press('Delete');
    await page.keyboard.insertText('<p>Wheat</p>');
    await preview(page).getByText('Wheat').waitFor();
    await preview(page).getByText('Leave').waitFor();
    await until(
      async () => (await stored(id)).template,
      (template) => template.emailTemplate === '<p>Wheat</p>',
    );
    expect((await stored(id)).template).to.include({ campaignId: id, layoutId });
  });

  it('keeps the layout around content blocks, and says which languages are left out', async () => {
    const { id, layoutId, templateId, open } = await openCampaign(
      { content: { v: 1, blocks: [slot, { id: 'end', type: 'footer', unsubscribe: 'Leave' }] } },
      { content: words('Rye') },
    );
    await publishFrench(suite.own.client, templateId, { subject: 'Du pain', texts: { title: { spans: 'Seigle' } } });
    const page = await open();
    await preview(page).getByText('Leave').waitFor();
    await changeAlone(page);
    const question = page.getByRole('dialog', { name: 'Change the mail for this campaign alone' });
    await question.getByText('Left out: French.').waitFor();
    await expectAccessible(page);
    await shoot(page, 'own-mail-languages');
    await question.getByRole('button', { name: 'Not now' }).click();
    await page.getByRole('link', { name: 'Edit the template' }).waitFor();
    await changeAlone(page);
    await question.getByRole('button', { name: 'Leave them out' }).click();
    await page.getByRole('button', { name: 'Write the mail' }).click();
    const dialog = page.getByRole('dialog', { name: 'News' });
    await dialog.locator('[data-id="title"], h1').first().click({ clickCount: 3 });
    await page.keyboard.type('Wheat');
    await dialog.getByRole('button', { name: 'Done' }).click();
    await preview(page).getByText('Wheat').waitFor();
    await preview(page).getByText('Leave').waitFor();
    await shoot(page, 'own-mail-in-layout');
    await until(
      async () => (await stored(id)).template,
      (template) => JSON.stringify(template.editorJson).includes('Wheat'),
    );
    expect((await stored(id)).template).to.include({ campaignId: id, layoutId });
    await page.getByRole('button', { name: 'More for this mail' }).click();
    await page.getByRole('menuitem', { name: 'Edit as code…' }).click();
    await page.getByRole('button', { name: 'Make it code' }).click();
    await page.getByRole('textbox', { name: 'Code' }).click();
    await page.keyboard.press('Control+End');
    await page.keyboard.insertText('<!-- Code -->');
    await page.getByRole('button', { name: 'Save draft' }).click();
    await until(
      async () => (await stored(id)).template,
      ({ builderType }) => builderType === 'code',
    );
    const { template } = await stored(id);
    expect([template.layoutId, template.emailTemplate.includes('Leave')]).to.deep.equal([null, true]);
  });
});
