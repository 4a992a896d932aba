import { createHash } from 'node:crypto';
import type { Block, Content } from '../../../schemas/templates/block-types.ts';
import { invalid } from '../../base/errors.ts';
import type { Project } from '../../base/model.ts';
import { assembled } from '../assemble/assemble.ts';
import { withoutSnippets } from '../assemble/code.ts';
import type { Instead, PartsRead } from '../assemble/read.ts';
import { type Brand, branded } from '../blocks/brand.ts';
import { compiledOnce } from '../cache.ts';
import { checkSource, hasWayOut } from '../check-source.ts';
import type { TemplatesDeps } from '../deps.ts';
import type { LanguageMail, TemplateContent, Translation } from '../model.ts';
import { MarkupFault } from './markup.ts';
import { everyBlock, hasPlace, type Part, partsOf, withTexts } from './parts.ts';

/** Code that an editor of a caller keeps its state with has no text part of ours. */
export function isOfBlocks({ text, editorJson }: TemplateContent): boolean {
  return typeof text === 'string' && editorJson !== null;
}

/** null: the template is code, or does not say. */
export function baseLanguage(content: TemplateContent): string | null {
  return (isOfBlocks(content) && (content.editorJson as unknown as Content).look?.language) || null;
}

/** The texts of content blocks, those of the brand among them; none of code. */
export function partsIn(content: TemplateContent, brand: Brand): Part[] {
  if (!isOfBlocks(content)) return [];
  const { blocks } = content.editorJson as unknown as Content;
  const shown = branded(content.editorJson, brand).content as Content;
  const written = new Map(everyBlock(blocks).map((block) => [block.id, block]));
  return partsOf(shown.blocks).flatMap((part) => {
    const block = written.get(part.blockId);
    if (!block || !hasPlace(block, part.field)) return [];
    return isNameOfBrand(block, part.field, brand) ? [{ ...part, isOptional: true }] : [part];
  });
}

/** Name and address are the same in all languages. */
function isNameOfBrand(block: Block, field: string, brand: Brand): boolean {
  if (Object.hasOwn(block, field)) return false;
  return field === 'name' || (field === 'spans' && brand.footer.spans === undefined);
}

/**
 * The mail of a template in a language: whole code of its own, or the blocks of the base with the texts that are translated. Throws 400 with
 * the text at fault.
 */
export async function compiledIn(
  deps: DbDeps,
  content: TemplateContent,
  translation: Translation,
  making: Making,
): Promise<LanguageMail> {
  return (await madeIn(deps, content, translation, making)).mail;
}

/** The translation with the parts that its own code names, as they are published now; blocks have those of the base. */
export async function withParts(
  deps: DbDeps,
  content: TemplateContent,
  { language, texts }: Translation,
  making: Making,
): Promise<Translation> {
  const { mail, parts } = await madeIn(deps, content, { language, texts }, making);
  const translation = { language, texts, ...(parts.length > 0 ? { parts, made: markOf(mail.html) } : {}) };
  if (parts.length > 0) madeWith.set(translation, mail);
  return translation;
}

/** For a call that publishes the translation at once: its mail is not made again. */
const madeWith = new WeakMap<Translation, LanguageMail>();

/** undefined: the translation was read, or is of blocks, whose mail follows from the base. */
export function mailMadeWith(translation: Translation): LanguageMail | undefined {
  return madeWith.get(translation);
}

const MARK_LENGTH = 16;

/** Of a text, to find out that it was changed. */
export function markOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, MARK_LENGTH);
}

async function madeIn(deps: DbDeps, content: TemplateContent, translation: Translation, making: Making) {
  const texts = new Map(translation.texts.map(({ name, text }) => [name, text]));
  const { subject, previewText } = content;
  const own = { subject: texts.get('subject') ?? subject, previewText: texts.get('previewText') ?? previewText };
  const { parts, ...body } = await bodyIn(deps, content, translation.language, { path: '', ...making, texts });
  checkSource(own);
  refuseNoWayOut(content, body.html, making.path ?? '');
  return { mail: { ...own, ...body }, parts };
}

type DbDeps = Pick<TemplatesDeps, 'db'>;

interface Making {
  project: Pick<Project, '_id'>;
  brand: Brand;
  path?: string;
  instead?: Instead | undefined;
  read?: PartsRead | undefined;
}

interface Given extends Making {
  texts: ReadonlyMap<string, string>;
  path: string;
}

async function bodyIn(
  deps: DbDeps,
  content: TemplateContent,
  language: string,
  { texts, project, brand, path, instead, read }: Given,
): Promise<Pick<LanguageMail, 'html' | 'text'> & { parts: string[] }> {
  const { layoutId = null } = content;
  const isBlocks = isOfBlocks(content);
  const whole = texts.get('emailTemplate');
  if (whole !== undefined) {
    const field = `${path}emailTemplate`;
    compiledOnce(withoutSnippets(whole), 'html', field);
    const source = { code: whole, layoutId: isBlocks ? null : layoutId };
    const { emailTemplate: html, parts = [] } = await assembled(deps, project, source, { field, brand, instead, read });
    return { html, text: null, parts };
  }
  if (!isBlocks) return { html: content.emailTemplate, text: content.text ?? null, parts: [] };
  const { look, blocks, ...rest } = content.editorJson as unknown as Content;
  const at = (blockId: string, field: string) => texts.get(`${blockId}/${field}`);
  const translated = withTextsOrRefuse(() => withTexts(blocks, partsIn(content, brand), at), path);
  const source = { content: { ...rest, look: { ...look, language }, blocks: translated }, layoutId };
  const made = await assembled(deps, project, source, { field: `${path}texts`, brand, read });
  return { html: made.emailTemplate, text: made.text ?? null, parts: [] };
}

function withTextsOrRefuse<Made>(make: () => Made, path: string): Made {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof MarkupFault)) throw error;
    throw invalid(`The translation is not valid: ${error.message}`, `${path}texts/${error.message}`);
  }
}

/** Blocks have the footer of the base in every language; code of its own may lack the link that the base has. */
function refuseNoWayOut({ emailTemplate }: TemplateContent, html: string, path: string): void {
  if (!hasWayOut(emailTemplate) || hasWayOut(html)) return;
  throw invalid(
    'The translation has no unsubscribe link, and the template has one: use {{unsubscribe}} or {{preferencesUrl}}.',
    `${path}emailTemplate: needs {{unsubscribe}} or {{preferencesUrl}}, as the template has`,
  );
}
