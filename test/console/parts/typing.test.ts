import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { untilQuiet, useConsole } from '../../support/browser/console.ts';
import { type Client, made } from '../../support/client.ts';

const TEXT = 'Typed without a pause, 0 ms a key';

interface Editor {
  name: string;
  path(client: Client): Promise<string> | string;
  /** Until its fields are there. */
  ready?(page: Page): Promise<unknown>;
  fieldsMin: number;
}

const editors: readonly Editor[] = [
  { name: 'campaign', path: () => '/campaigns/new', fieldsMin: 6 },
  {
    ...{ name: 'form', path: () => '/forms/new', fieldsMin: 10 },
    ready: (page) => page.getByRole('button', { name: 'Add a field' }).click(),
  },
  { name: 'settings', path: () => '/settings', fieldsMin: 7 },
  { name: 'segment', path: () => '/lists/new', fieldsMin: 2 },
  {
    ...{ name: 'template', fieldsMin: 3 },
    path: async (client) => {
      const body = { templateName: 'Winter', emailTemplate: '<p>Cold</p>' };
      return `/templates/${(await made(client, '/templates', body)).templateId}`;
    },
  },
];

describe('Keys without a pause', () => {
  const suite = useConsole();

  for (const { name, path, ready, fieldsMin } of editors)
    it(`arrive whole in every field of the editor of the ${name}`, async () => {
      const page = await suite.open(await path(suite.own.client));
      await untilQuiet(page);
      await ready?.(page);
      const fields = page
        .locator('main')
        .locator(
          'input:is([type=text], [type=email], [type=url]):not([role=combobox]), input:not([type]), textarea:not([readonly])',
        );
      // A field may take another away: a page to go to has no text.
      for (let at = 0; at < (await fields.count()); at += 1) {
        await fields.nth(at).focus();
        await page.keyboard.press('ControlOrMeta+a');
        await page.keyboard.type(TEXT);
      }
      const all = await fields.all();
      expect(all.length).to.be.at.least(fieldsMin);
      const values = await Promise.all(all.map((field) => field.inputValue()));
      expect(values).to.deep.equal(all.map(() => TEXT));
    });
});
