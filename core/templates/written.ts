import { isDeepStrictEqual } from 'node:util';
import { invalid } from '../base/errors.ts';
import type { Project } from '../base/model.ts';
import { tagToWriteIn } from '../base/text/languages/tags.ts';
import { assembled, type MadeMail, type Source, sourceOf } from './assemble/assemble.ts';
import type { PartKind, PartName } from './assemble/keys.ts';
import type { CompiledContent } from './blocks/content.ts';
import type { TemplatesDeps } from './deps.ts';
import type { TemplateContent } from './model.ts';
import { withOwnPictures } from './starters/pictures/pictures.ts';

/** A template is written as code or as content blocks; both are stored with the HTML that mail is made of. */

type DbDeps = Pick<TemplatesDeps, 'db'>;
type Tenant = Pick<Project, '_id'>;

interface Written {
  content?: unknown;
  text?: string | null;
  usesBrand?: boolean;
  writtenCode?: string | null;
  parts?: string[];
  layoutId?: string | null;
  translations?: unknown;
  emailTemplate?: string;
  editorJson?: Record<string, unknown> | null;
  builderType?: 'code' | 'editor' | 'visual';
}

export function isWritten({ content, emailTemplate, layoutId }: Written): boolean {
  return content !== undefined || emailTemplate !== undefined || layoutId !== undefined;
}

/**
 * A call with the mail that it writes as it is stored. `base` is the content that it changes. Throws 400 for a mail that is at fault, and
 * for code that is given with content. Fields that only this file makes are none of a caller's, and left out.
 */
export async function withMadeMail<Input extends Written>(
  deps: TemplatesDeps,
  project: Tenant,
  input: Input,
  { base, self }: { base?: TemplateContent | undefined; self?: PartName | undefined } = {},
): Promise<Input> {
  const { content, text: _, usesBrand: __, writtenCode: ___, parts: ____, translations: _____, ...plain } = input;
  const given = plain as unknown as Input;
  const source = sourceGiven(input, base);
  if (!source) return given;
  if (content !== undefined) refuseBoth(input);
  return { ...given, ...(await storedMail(deps, project, source, { self })) };
}

/** null: the mail stays as it is. */
function sourceGiven(
  { content, emailTemplate, layoutId, editorJson }: Written,
  base: TemplateContent | undefined,
): Source | null {
  const known = base && sourceOf(base);
  const layout = layoutId === undefined ? known?.layoutId : layoutId;
  if (content !== undefined) return { content, layoutId: layout };
  // HTML that was made of blocks has its layout in it. It comes back from an editor of code, or to be code from now on.
  const isMade = known !== undefined && known.code === undefined && emailTemplate === base?.emailTemplate;
  if (isMade && editorJson !== undefined) return { code: emailTemplate, layoutId: null };
  if (emailTemplate !== undefined && !isMade) return { code: emailTemplate, layoutId: layout };
  return known && layoutId !== undefined ? { ...known, layoutId } : null;
}

/** Whether content that is stored now still is what a mail was put together with, as far as the call left parts of it out. */
export function isSameBase(base: TemplateContent, now: TemplateContent, { content, emailTemplate, layoutId }: Written) {
  if (layoutId === undefined) return (base.layoutId ?? null) === (now.layoutId ?? null);
  return content !== undefined || emailTemplate !== undefined || isDeepStrictEqual(sourceOf(base), sourceOf(now));
}

/** The mail of a campaign or of a step: code, or content blocks with what was made of them. */
export type WrittenMail = MadeMail;

/** null: the call writes none. `path` is the one of the content in the body. */
export async function writtenMail(
  deps: TemplatesDeps,
  project: Tenant,
  {
    content,
    htmlTemplate,
    layoutId,
  }: { content?: unknown; htmlTemplate?: string | undefined; layoutId?: string | null | undefined },
  path = '',
): Promise<WrittenMail | null> {
  if (content === undefined && htmlTemplate === undefined) {
    if (layoutId === undefined) return null;
    throw invalid('A layout is around a mail that the call brings.', `${path}layoutId: needs content or htmlTemplate`);
  }
  if (content === undefined)
    return assembled(deps, project, { code: htmlTemplate, layoutId }, { field: `${path}htmlTemplate` });
  if (htmlTemplate !== undefined) refuseBeside([`${path}htmlTemplate`]);
  return storedMail(deps, project, { content, layoutId }, { field: `${path}content` });
}

/** A mail as it is stored: with its own copies of the pictures of a starter. */
async function storedMail(
  deps: TemplatesDeps,
  project: Tenant,
  source: Source,
  options: Parameters<typeof assembled>[3],
): Promise<MadeMail> {
  const made = await assembled(deps, project, source, options);
  if (source.content === undefined) return made;
  const content = await withOwnPictures(deps, project, source.content, made.emailTemplate);
  return content === source.content ? made : assembled(deps, project, { ...source, content }, options);
}

export function requireOne({ content, emailTemplate }: Written): void {
  if (content === undefined && emailTemplate === undefined)
    throw invalid('Give emailTemplate or content.', 'emailTemplate: is required without content');
}

type Rendered = Pick<Source, 'content' | 'layoutId'> & { part?: PartKind | undefined; language?: string | undefined };

/** For a look at content that is not saved. */
export async function renderedBlocks(
  deps: DbDeps,
  project: Tenant,
  { part, content: given, language, layoutId }: Rendered,
): Promise<CompiledContent> {
  if (language !== undefined && tagToWriteIn(language) === null)
    throw invalid('No mail is written in this language.', 'language: must be a language tag such as fr or pt-BR');
  const self = part && { kind: part, id: '' };
  const { look, ...rest } = given as { look?: object };
  const source = { content: language === undefined ? given : { ...rest, look: { ...look, language } }, layoutId };
  const { emailTemplate: html, text } = await assembled(deps, project, source, { self });
  return { html, text: text ?? '' };
}

/**
 * Content of a version with what a call gives of it. Code that differs from what was made of blocks takes their place; the same code,
 * as an editor of code sends it back, does not.
 */
export function rewritten(before: TemplateContent, given: Partial<TemplateContent>): TemplateContent {
  const after = { ...before, ...given };
  if (typeof before.text !== 'string' || given.text !== undefined) return after;
  const isCode = after.emailTemplate !== before.emailTemplate || given.editorJson !== undefined;
  const { layoutId = null, writtenCode = null, parts = [] } = before;
  if (!isCode) return { ...after, layoutId, writtenCode, parts, builderType: 'editor' };
  const { builderType = 'code', editorJson = null } = given;
  const alone = given.parts ? {} : { layoutId: null, writtenCode: null, parts: [] };
  return { ...after, ...alone, builderType, editorJson, text: null, usesBrand: false };
}

function refuseBoth(input: Written): void {
  const named = (['emailTemplate', 'editorJson'] as const).filter((name) => input[name] !== undefined);
  if (input.builderType === 'code') refuseBeside(named, ['builderType: must be editor, or left out, beside content']);
  if (named.length > 0) refuseBeside(named);
}

function refuseBeside(named: readonly string[], more: readonly string[] = []): never {
  const faults = [...named.map((name) => `${name}: must be left out beside content, of which it is made`), ...more];
  throw invalid(`The request is not valid: ${faults.join('; ')}`, faults.join('; '));
}
