import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { checkContent } from '../../../core/templates/blocks/check.ts';
import { compileContent } from '../../../core/templates/blocks/content.ts';
import { startersIn } from '../../../core/templates/starters/starters.ts';
import type { Block } from '../../../schemas/templates/block-types.ts';
import { type StarterLanguage, starterIds, starterLanguages } from '../../../schemas/templates/starters.ts';
import { signIn } from '../../accounts/signed-in.ts';
import { useBrowser } from '../../support/browser/chromium.ts';
import { expectAccessible } from '../../support/browser/console.ts';
import { type Tenant, useEnvironment } from '../../support/environment.ts';
import { STARTER_VALUES as DATA } from './values.ts';

const golden = join(import.meta.dirname, '../../fixtures/starters');
/** Writes the golden files again: look at their difference. */
const UPDATE = 'EVERPOST_GOLDEN';
/** Any, where mails are not shown. */
const PUBLIC_URL = 'https://mail.example.com';

const [english = [], ...translated] = starterLanguages.map((language) => startersIn(language, PUBLIC_URL));

describe('Mails to begin with', () => {
  const environment = useEnvironment();
  const browser = useBrowser();
  let own: Tenant;
  before(() => {
    own = environment.own;
  });
  const startersHere = (language: StarterLanguage) => startersIn(language, environment.deps.config.publicUrl);

  it('are twelve, listed in each language, and in English when none is named', async () => {
    const list = async (query: string) => (await own.client.get(`/templates/starters${query}`)).body.data.starters;
    expect((await list('')).map(({ id }: { id: string }) => id)).to.deep.equal(english.map(({ id }) => id));
    expect(english.map(({ id }) => id)).to.deep.equal([...starterIds]);
    expect(new Set(starterIds).size).to.equal(12);
    expect(await list('?language=de')).to.deep.equal(startersHere('de'));
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

  it('have no subject that filters of spam mind', () => {
    const subjects = [english, ...translated].flat().map(({ subject }) => subject);
    expect(subjects.filter((subject) => /[?!]\s*$/.test(subject))).to.deep.equal([]);
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

  it('are begun with their languages as translations, which make the mails that they are in those languages', async () => {
    const made = async (body: object) => {
      const { status, body: answer, text } = await own.client.post('/templates', { templateName: 'Begun', ...body });
      expect(status, text).to.equal(201);
      return answer.data;
    };
    for (const [index, { id, templateType }] of english.entries()) {
      const [base, ...others] = index % 2 ? starterLanguages : starterLanguages.toReversed();
      const template = await made({ starter: id, starterLanguages: [base, ...others] });
      const one = startersHere(base!)[index]!;
      expect(template).to.include({ subject: one.subject, templateType });
      expect(anyPicture(template.editorJson)).to.deep.equal(anyPicture(one.content));
      expect(anyPicture(template.emailTemplate)).to.equal(anyPicture(one.html));
      const { translations } = (await own.client.get(`/templates/${template.templateId}/translations`)).body.data;
      expect(translations, id).to.deep.equal(
        others.toSorted().map((language) => ({ language, missing: [], outdated: [] })),
      );
      for (const language of others) {
        const stored = await environment.deps.db.templateLanguages.findOne({
          ...{ projectId: own.project._id, templateId: template.templateId, language },
        });
        const { subject, previewText, html } = startersHere(language)[index]!;
        expect(stored, `${id} in ${language}`).to.include({ subject, previewText });
        expect(anyPicture(stored?.html)).to.equal(anyPicture(html));
      }
    }
  });

  it('are begun in English, with fields of the call before theirs, as a draft of an author too', async () => {
    const author = await signIn(environment, own, 'author');
    const body = { templateName: 'Begun', starter: 'letter', subject: 'Ours' };
    const { data } = (await author.client.post('/templates', { ...body, starterLanguages: ['en', 'fr'] })).body;
    expect(data).to.include({ subject: 'Ours', publishedVersion: null, draftVersion: 1 });
    const { translations } = (await own.client.get(`/templates/${data.templateId}/translations`)).body.data;
    expect(translations).to.deep.equal([{ language: 'fr', missing: [], outdated: ['subject'] }]);
    const alone = (await own.client.post('/templates', body)).body.data;
    expect(alone.editorJson.look.language).to.equal('en');
    expect(await environment.deps.db.templateLanguages.countDocuments({ templateId: alone.templateId })).to.equal(0);
  });

  it('are refused with a mail of the call, in other languages, and twice in one; nothing is written', async () => {
    const before = await environment.deps.db.templates.countDocuments({ projectId: own.project._id });
    const faults: Array<[object, RegExp]> = [
      [{ starter: 'none' }, /^starter: must be one of newsletter/],
      [{ starter: 'letter', emailTemplate: '<p>x</p>' }, /^emailTemplate: must be left out beside starter/],
      [{ starter: 'letter', content: { v: 1, blocks: [] } }, /^content: must be left out beside starter/],
      [{ starter: 'letter', starterLanguages: ['it'] }, /^starterLanguages\/0: must be one of/],
      [{ starter: 'letter', starterLanguages: ['de', 'de'] }, /^starterLanguages/],
      [{ starter: 'letter', starterLanguages: [] }, /^starterLanguages/],
      [{ starterLanguages: ['de'], emailTemplate: '<p>x</p>' }, /^starterLanguages: must be left out without starter/],
    ];
    for (const [body, details] of faults) {
      const reply = await own.client.post('/templates', { templateName: 'Begun', ...body });
      expect([reply.status, reply.body.error?.code], reply.text).to.deep.equal([400, 'VALIDATION_ERROR']);
      expect(reply.body.error.details).to.match(details);
    }
    expect(await environment.deps.db.templates.countDocuments({ projectId: own.project._id })).to.equal(before);
  });

  it('are readable on a telephone and on a desk, in light and dark', async () => {
    const page = await (await browser()).newPage();
    const folder = process.env.EVERPOST_SCREENSHOTS;
    for (const { id, subject, previewText, html: emailTemplate } of english) {
      const drafted = { subject, previewText, emailTemplate, dynamicData: DATA };
      const { body } = await own.client.post('/templates/preview', drafted);
      await page.setContent(body.data.html.replaceAll(PUBLIC_URL, environment.url));
      expect(await page.evaluate('[...document.images].every((image) => image.naturalWidth > 0)'), id).to.equal(true);
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

/** Pictures of a project have an address there. */
function anyPicture<T>(mail: T): T {
  return JSON.parse(JSON.stringify(mail).replace(/\/media\/[\w-]+\.png/g, '/media/picture.png'));
}

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
  const texts = Array.from(JSON.stringify(blocks).matchAll(/"(?:text|label|alt|unsubscribe|preferences)":"([^"]*)"/g));
  return texts.map(([, words = '']) => words).filter((words) => /\p{L}{3,} \p{L}{2,}/u.test(words));
}
