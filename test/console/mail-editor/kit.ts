import type { Page } from 'playwright-core';
import type { Content } from '../../../schemas/templates/block-types.ts';
import type { ConsoleSuite } from '../../support/browser/console.ts';
import { made } from '../../support/client.ts';

/** One transparent pixel. */
export const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

export function editorOf(page: Page) {
  const mail = page.getByRole('textbox', { name: 'The mail', exact: true });
  return {
    mail,
    panel: page.getByRole('complementary', { name: 'Settings' }),
    block: (type: string) => mail.locator(`.m-of-${type}`),
    add: async (name: string) => {
      await page.getByRole('button', { name: 'Block', exact: true }).click();
      await page.getByRole('combobox', { name: 'Find a block' }).fill(name);
      await page
        .getByRole('option', { name: new RegExp(`^${name}`) })
        .first()
        .click();
    },
    save: async () => {
      await page.getByRole('button', { name: 'Save draft' }).click();
      await page.getByText(/^Saved \d\d:/).waitFor();
    },
    checks: page.getByRole('region', { name: 'Checks' }),
    said: (words: RegExp) => page.getByRole('status').getByText(words).waitFor({ state: 'attached' }),
  };
}

export function templatesOf(suite: ConsoleSuite) {
  return {
    /** The content of the draft whose page is open. */
    stored: async (page: Page): Promise<Content> => {
      const id = /templates\/(A-[0-9a-f]+)/.exec(page.url())?.[1];
      const { body } = await suite.own.client.get(`/templates/${id}?version=draft`);
      return body.data.editorJson;
    },
    make: async (content: Content, fields: object = {}): Promise<string> => {
      const given = { templateName: 'Bread', subject: 'Bread', templateType: 'marketing', content, ...fields };
      const { templateId } = await made(suite.own.client, '/templates', given);
      return `/templates/${templateId}`;
    },
  };
}
