import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { checkContent } from '../../../core/templates/blocks/check.ts';
import { compileContent } from '../../../core/templates/blocks/content.ts';
import { startersIn } from '../../../core/templates/starters/starters.ts';
import type { Block } from '../../../schemas/templates/block-types.ts';
import { starterLanguages } from '../../../schemas/templates/starters.ts';
import { useBrowser } from '../../support/browser/chromium.ts';
import { expectAccessible } from '../../support/browser/console.ts';
import { type Tenant, useEnvironment } from '../../support/environment.ts';

const golden = join(import.meta.dirname, '../../fixtures/starters');
/** Writes the golden files again: look at their difference. */
const UPDATE = 'EVERPOST_GOLDEN';
/** Of the mails that need some. */
const DATA = {
  firstName: 'Ada',
  plan: 'pro',
  resetUrl: 'https://example.com/reset?token=1',
  minutes: 30,
  order: {
    number: 'A-17',
    total: '24.00',
    url: 'https://example.com/orders/17',
    items: [
      { name: 'Rye bread', amount: 2, price: '8.40' },
      { name: 'Apple cake', amount: 1, price: '15.60' },
    ],
  },
  items: [
    { title: 'Slow dough', summary: 'Two days in the cold make it light.', url: 'https://example.com/dough' },
    { title: 'The stone oven', summary: 'It was built by hand.', url: 'https://example.com/oven' },
  ],
};

const [english = [], ...translated] = starterLanguages.map((language) => startersIn(language));

describe('Mails to begin with', () => {
  const environment = useEnvironment();
  const browser = useBrowser();
  let own: Tenant;
  before(() => {
    own = environment.own;
  });

  it('are twelve, listed in each language, and in English when none is named', async () => {
    const list = async (query: string) => (await own.client.get(`/templates/starters${query}`)).body.data.starters;
    expect((await list('')).map(({ id }: { id: string }) => id)).to.deep.equal(english.map(({ id }) => id));
    expect(new Set(english.map(({ id }) => id)).size).to.equal(12);
    expect(await list('?language=de')).to.deep.equal(startersIn('de'));
    const refused = await own.client.get('/templates/starters?language=xx');
    expect([refused.status, refused.body.error.details]).to.deep.equal([400, 'language: must be one of en, de, fr']);
  });

  it('have the same blocks in each language, and words of their own', () => {
    for (const language of translated)
      for (const [index, one] of language.entries()) {
        const [here, there] = [one.content.blocks, english[index]!.content.blocks];
        expect(idsOf(here), one.id).to.deep.equal(idsOf(there));
        const sentences = new Set(sentencesOf(there));
        expect(sentencesOf(here).filter((words) => sentences.has(words))).to.deep.equal([], one.id);
        expect([one.subject, one.previewText]).to.not.have.any.members([english[index]!.subject]);
      }
  });

  it('have the link to unsubscribe where they are marketing, and there alone', () => {
    for (const { id, templateType, content } of english)
      expect(
        content.blocks.some(({ type }) => type === 'footer'),
        id,
      ).to.equal(templateType === 'marketing');
  });

  for (const { id, content } of english)
    it(`compile to the golden file: ${id}`, () => {
      const { html, text } = compileContent(checkContent(content));
      const made = `${html}\n\n===== text\n${text}\n`;
      const file = join(golden, `${id}.txt`);
      if (process.env[UPDATE]) writeFileSync(file, made);
      expect(made).to.equal(readFileSync(file, 'utf8'));
    });

  it('are taken as templates as they are, and show the values of their data', async () => {
    for (const { id, content, subject, previewText, templateType } of [english, ...translated].flat()) {
      const fields = { templateName: id, content, subject, previewText, templateType };
      const made = await own.client.post('/templates', fields);
      expect(made.status, made.text).to.equal(201);
      const path = `/templates/${made.body.data.templateId}/preview`;
      for (const dynamicData of [DATA, {}]) {
        const shown = await own.client.post(path, { dynamicData });
        expect(shown.status, shown.text).to.equal(200);
        const { subject: line, html } = shown.body.data;
        expect(`${line} ${html}`).to.not.match(/\{\{|undefined|\[object/);
        if (dynamicData === DATA) expect(html).to.match(valuesIn(id));
      }
    }
  });

  it('are readable on a telephone and on a desk, in light and dark', async () => {
    const page = await (await browser()).newPage();
    const folder = process.env.EVERPOST_SCREENSHOTS;
    for (const { id, subject, previewText, html: emailTemplate } of english) {
      const drafted = { subject, previewText, emailTemplate, dynamicData: DATA };
      const { body } = await own.client.post('/templates/preview', drafted);
      await page.setContent(body.data.html);
      // As a mail program does.
      await page.evaluate(`document.title = ${JSON.stringify(body.data.subject)}`);
      for (const width of [320, 720]) {
        await page.setViewportSize({ width, height: 900 });
        expect(await page.evaluate('document.documentElement.scrollWidth'), `${id} at ${width}`).to.be.at.most(width);
        if (width === 320) await expectAccessible(page);
        if (folder) await shootBoth(page, join(folder, `${id}-${width}`));
      }
    }
    await page.close();
  }).timeout(120_000);
});

function valuesIn(id: string): RegExp {
  if (id === 'receipt') return /A-17[\s\S]*2 × Rye bread[\s\S]*15\.60[\s\S]*24\.00[\s\S]*orders\/17/;
  if (id === 'password') return /token=1[\s\S]*30/;
  return id === 'digest' ? /Slow dough[\s\S]*oven/ : /./;
}

async function shootBoth(page: Page, path: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: `${path}-${colorScheme}.png`, fullPage: true });
  }
}

function idsOf(blocks: readonly Block[]): string[] {
  return Array.from(JSON.stringify(blocks).matchAll(/"id":"([^"]*)"/g), ([, id = '']) => id);
}

/** Texts of more than one word: a code, a number and a name may be the same. */
function sentencesOf(blocks: readonly Block[]): string[] {
  const texts = Array.from(JSON.stringify(blocks).matchAll(/"(?:text|label|unsubscribe|preferences)":"([^"]*)"/g));
  return texts.map(([, words = '']) => words).filter((words) => /\p{L}{3,} \p{L}{2,}/u.test(words));
}
