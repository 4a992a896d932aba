import { nextUpdate } from '../../base/database/seen.ts';
import { invalid, notFound } from '../../base/errors.ts';
import type { By } from '../../base/maker.ts';
import type { Project, Session } from '../../base/model.ts';
import { canonicalTag, tagToWriteIn } from '../../base/text/languages/tags.ts';
import { breather } from '../../base/work/breathe.ts';
import type { Brand } from '../blocks/brand.ts';
import { changeDraftOf, type TemplateAt } from '../changes.ts';
import type { TemplatesDeps } from '../deps.ts';
import type { Template, TemplateContent, TranslatedText, Translation } from '../model.ts';
import { brandOf } from '../project-brand.ts';
import { readTemplate, refuseUnseenVersion } from '../publish.ts';
import { baseLanguage, isOfBlocks, markOf, withParts } from '../translated/compile.ts';
import { type BaseText, baseTexts, type Gaps, gapsOf } from '../translated/states.ts';
import { draftContent, numbersOf, saveDraft } from '../versions.ts';

type Tenant = Pick<Project, '_id'>;

export const LANGUAGES_MAX = 20;
/** Of the texts of all languages together: a version is one document with them. */
const TEXTS_BYTES_MAX = 2 * 1024 * 1024;

/** A translation as a call writes it: all of it. */
export interface TranslationInput {
  subject?: string | undefined;
  previewText?: string | undefined;
  emailTemplate?: string | undefined;
  /** By the id of the block and the path of the field. */
  texts?: Readonly<Record<string, Readonly<Record<string, string>>>> | undefined;
  /** Names of texts that are right for the base as it is now, although they are as they were. */
  reviewed?: readonly string[] | undefined;
}

export interface TranslationAt extends Gaps {
  at: TemplateAt;
  translation: Translation;
  /** Everything that can be translated. */
  texts: readonly BaseText[];
}

export interface TranslationsAt {
  at: TemplateAt;
  /** null: not known. */
  language: string | null;
  translations: Array<Gaps & Pick<Translation, 'language'>>;
}

/** `version` as of readTemplate; without it, those of the draft: that is where they are written. */
export async function listTranslations(
  deps: TemplatesDeps,
  project: Tenant,
  templateId: string,
  version = 'draft',
): Promise<TranslationsAt> {
  return translationsAt(await readTemplate(deps, project, templateId, version), await brandOf(deps, project));
}

export async function translationsAt(at: TemplateAt, brand: Brand): Promise<TranslationsAt> {
  const { template } = at;
  const texts = baseTexts(template, brand);
  const pause = breather();
  const translations: TranslationsAt['translations'] = [];
  for (const one of template.translations ?? []) {
    await pause();
    translations.push({ language: one.language, ...gapsOf(texts, one) });
  }
  return { at, language: baseLanguage(template), translations };
}

export async function readTranslation(
  deps: TemplatesDeps,
  project: Tenant,
  templateId: string,
  { language, version = 'draft' }: { language: string; version?: string | undefined },
): Promise<TranslationAt> {
  const tag = tagOf(language);
  const at = await readTemplate(deps, project, templateId, version);
  return shown(at, tag, await brandOf(deps, project));
}

/** Saved as the draft, for editors too, and published with it. */
export async function putTranslation(
  deps: TemplatesDeps,
  project: Tenant,
  templateId: string,
  { language, newestVersion, ...input }: TranslationInput & { language: string; newestVersion?: number | undefined },
  by: By,
): Promise<TranslationAt> {
  const tag = tagOf(language, tagToWriteIn);
  const brand = await brandOf(deps, project);
  const change = async (content: TemplateContent) => {
    refuseBase(content, tag);
    const translation = written(content, tag, input, brand);
    return withTranslations(content, [await withParts(deps, content, translation, { project, brand })]);
  };
  return shown(await changeDraft(deps, project, templateId, { newestVersion, change, by }), tag, brand);
}

export async function deleteTranslation(
  deps: TemplatesDeps,
  project: Tenant,
  templateId: string,
  { language, newestVersion }: { language: string; newestVersion?: number | undefined },
  by: By,
): Promise<void> {
  const tag = tagOf(language);
  const change = async (content: TemplateContent) => {
    translationIn(content, tag);
    return { ...content, translations: others(content, [tag]) };
  };
  await changeDraft(deps, project, templateId, { newestVersion, change, by });
}

interface DraftChange {
  newestVersion: number | undefined;
  change(content: TemplateContent): Promise<TemplateContent>;
  by: By;
}

export async function changeDraft(
  deps: TemplatesDeps,
  project: Tenant,
  templateId: string,
  { newestVersion, change, by }: DraftChange,
): Promise<TemplateAt> {
  const save = async (session: Session, template: Template): Promise<Partial<Template>> => {
    refuseUnseenVersion(template, newestVersion);
    const content = await change(await draftContent(deps, template, session));
    const saved = await saveDraft(deps, session, template, content, by);
    const isShown = numbersOf(template).published === 0 && Object.keys(saved).length > 0;
    return { ...saved, ...(isShown ? { updatedAt: nextUpdate(template, deps.clock.now()) } : {}) };
  };
  return changeDraftOf(deps, project, templateId, save);
}

/** With these in the place of those in the same languages. */
export function withTranslations(content: TemplateContent, given: readonly Translation[]): TemplateContent {
  const kept = others(
    content,
    given.map(({ language }) => language),
  );
  const translations = [...kept, ...given].sort((a, b) => (a.language < b.language ? -1 : 1));
  if (translations.length > LANGUAGES_MAX)
    throw invalid(
      `A template has at most ${LANGUAGES_MAX} languages beside its own.`,
      `language: is one of more than ${LANGUAGES_MAX}`,
    );
  const bytes = translations.reduce((sum, { texts }) => sum + bytesOf(texts), 0);
  if (bytes > TEXTS_BYTES_MAX)
    throw invalid(
      'The translations of a template have at most 2 MiB together.',
      `texts: have with those of other languages more than ${TEXTS_BYTES_MAX} bytes`,
    );
  return { ...content, translations };
}

function bytesOf(texts: readonly TranslatedText[]): number {
  return texts.reduce((sum, { name, text }) => sum + Buffer.byteLength(name) + Buffer.byteLength(text), 0);
}

function others({ translations = [] }: TemplateContent, languages: readonly string[]): Translation[] {
  return translations.filter(({ language }) => !languages.includes(language));
}

/** Texts that are not changed stay marked with the base that they were made of. An empty text is none. */
function written(content: TemplateContent, language: string, input: TranslationInput, brand: Brand): Translation {
  const given = namedTexts(input);
  refuseUnknown(content, given, input, brand);
  const bases = new Map(baseTexts(content, brand).map(({ name, base }) => [name, base]));
  return madeOf(content, language, given, { bases, reviewed: input.reviewed });
}

interface Bases {
  bases: ReadonlyMap<string, string>;
  reviewed?: readonly string[] | undefined;
}

export function madeOf(
  content: TemplateContent,
  language: string,
  given: ReadonlyMap<string, string>,
  { bases, reviewed = [] }: Bases,
): Translation {
  const before = new Map(
    content.translations?.find((one) => one.language === language)?.texts.map((one) => [one.name, one]),
  );
  const texts = [...given].map(([name, text]): TranslatedText => {
    const known = before.get(name);
    const isKept = known?.text === text && !reviewed.includes(name);
    return { name, text, of: isKept ? known.of : markOf(bases.get(name) ?? '') };
  });
  return { language, texts: texts.sort((a, b) => (a.name < b.name ? -1 : 1)) };
}

function namedTexts({ subject, previewText, emailTemplate, texts = {} }: TranslationInput): Map<string, string> {
  const own = Object.entries({ subject, previewText, emailTemplate });
  const ofBlocks = Object.entries(texts).flatMap(([blockId, fields]) =>
    Object.entries(fields).map(([field, text]) => [`${blockId}/${field}`, text] as const),
  );
  return new Map([...own, ...ofBlocks].flatMap(([name, text]) => (text ? [[name, text] as const] : [])));
}

const FAULTS_MAX = 20;

function refuseUnknown(
  content: TemplateContent,
  given: ReadonlyMap<string, string>,
  { reviewed = [] }: TranslationInput,
  brand: Brand,
): void {
  const known = new Set(baseTexts(content, brand).map(({ name }) => name));
  const isBlocks = isOfBlocks(content);
  const unknown = isBlocks
    ? 'names no text of a block of the template'
    : 'is of blocks, and the template is code: give emailTemplate';
  const names = [...given.keys()];
  const faults = [
    ...names.filter((name) => !known.has(name)).map((name) => `texts/${name}: ${unknown}`),
    ...(given.has('emailTemplate') && names.some((name) => name.includes('/'))
      ? ['emailTemplate: must be left out beside texts']
      : []),
    ...reviewed.filter((name) => !given.has(name)).map((name) => `reviewed: "${name}" names no text of this call`),
  ];
  if (faults.length === 0) return;
  const details = faults.slice(0, FAULTS_MAX).join('; ');
  throw invalid(`The translation is not valid: ${details}`, details);
}

function refuseBase(content: TemplateContent, tag: string): void {
  if (canonicalTag(baseLanguage(content)) !== tag) return;
  throw invalid(
    `The template itself is written in ${tag}: change the template.`,
    'language: is the one of the template itself',
  );
}

function tagOf(language: string, read = canonicalTag): string {
  const tag = read(language);
  if (tag === null)
    throw invalid(
      'The language is not a tag of BCP 47, such as fr or pt-BR.',
      'language: must be a language tag such as fr or pt-BR',
    );
  return tag;
}

function translationIn({ translations = [] }: TemplateContent, tag: string): Translation {
  const found = translations.find(({ language }) => language === tag);
  if (!found) throw notFound('TRANSLATION');
  return found;
}

function shown(at: TemplateAt, tag: string, brand: Brand): TranslationAt {
  const translation = translationIn(at.template, tag);
  const texts = baseTexts(at.template, brand);
  return { at, translation, texts, ...gapsOf(texts, translation) };
}
