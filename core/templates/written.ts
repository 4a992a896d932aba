import { CONTENT_TAGS_MAX } from '../../schemas/templates/blocks.ts';
import { TEMPLATE_LENGTH_MAX } from '../../schemas/templates/templates.ts';
import { invalid } from '../base/errors.ts';
import type { Project } from '../base/model.ts';
import { breather } from '../base/work/breathe.ts';
import { type Brand, branded } from './blocks/brand.ts';
import { checkContent } from './blocks/check.ts';
import { type CompiledContent, compileContent } from './blocks/content.ts';
import { compiledOnce } from './cache.ts';
import type { TemplatesDeps } from './deps.ts';
import type { TemplateContent } from './model.ts';
import { brandOf } from './project-brand.ts';

/** A template is written as code or as content blocks; both are stored with the HTML that mail is made of. */

type DbDeps = Pick<TemplatesDeps, 'db'>;
type Tenant = Pick<Project, '_id'>;

interface Written {
  content?: unknown;
  text?: string | null;
  usesBrand?: boolean;
  emailTemplate?: string;
  editorJson?: Record<string, unknown> | null;
  builderType?: 'code' | 'editor' | 'visual';
}

/** Throws 400 for content that is at fault, and for code that is given with content. A text of the caller is none of ours: it is left out. */
export async function withoutBlocks<Input extends Written>(
  deps: DbDeps,
  project: Tenant,
  input: Input,
): Promise<Input> {
  const { content, text: _, usesBrand: __, ...code } = input;
  if (content === undefined) return code as unknown as Input;
  refuseBoth(input);
  return { ...(code as unknown as Input), ...(await madeOfBlocks(content, { brand: await brandOf(deps, project) })) };
}

/** The mail of a campaign or of a step: code, or content blocks with what was made of them. */
export type WrittenMail = Pick<TemplateContent, 'emailTemplate'> &
  Partial<Pick<TemplateContent, 'text' | 'editorJson' | 'builderType' | 'usesBrand'>>;

/** null: the call writes none. `path` is the one of the content in the body. */
export async function writtenMail(
  deps: DbDeps,
  project: Tenant,
  { content, htmlTemplate }: { content?: unknown; htmlTemplate?: string | undefined },
  path = '',
): Promise<WrittenMail | null> {
  if (content === undefined) return htmlTemplate === undefined ? null : { emailTemplate: htmlTemplate };
  if (htmlTemplate !== undefined) refuseBeside([`${path}htmlTemplate`]);
  return madeOfBlocks(content, { brand: await brandOf(deps, project), path: `${path}content` });
}

export function requireOne({ content, emailTemplate }: Written): void {
  if (content === undefined && emailTemplate === undefined)
    throw invalid('Give emailTemplate or content.', 'emailTemplate: is required without content');
}

export async function madeOfBlocks(
  given: unknown,
  { brand, path }: { brand: Brand; path?: string },
): Promise<WrittenMail> {
  const { content, usesBrand } = branded(given, brand);
  const { html, text } = await compiledBlocks(content, path);
  const editorJson = given as Record<string, unknown>;
  return { emailTemplate: html, text, editorJson, builderType: 'editor', usesBrand };
}

/** For a look at content that is not saved. */
export async function renderedBlocks(deps: DbDeps, project: Tenant, content: unknown): Promise<CompiledContent> {
  const { emailTemplate: html, text } = await madeOfBlocks(content, { brand: await brandOf(deps, project) });
  return { html, text: text ?? '' };
}

/** Throws 400 for content that is at fault. Long content takes some milliseconds a step, with pauses between. */
export async function compiledBlocks(content: unknown, path = 'content'): Promise<CompiledContent> {
  const pause = breather();
  const checked = checkContent(content, path);
  await pause();
  const compiled = compileContent(checked);
  const { html, text } = compiled;
  if (html.length > TEMPLATE_LENGTH_MAX) throw tooLong('1 MiB of HTML', path);
  if (tagsIn(html) > CONTENT_TAGS_MAX || tagsIn(text) > CONTENT_TAGS_MAX)
    throw tooLong(`${CONTENT_TAGS_MAX} variables and conditions`, path);
  await pause();
  compiledOnce(html, 'html', path);
  await pause();
  compiledOnce(text, 'text', path);
  await pause();
  return compiled;
}

function tooLong(limit: string, path: string) {
  return invalid(`The content makes more than ${limit}.`, `${path}: makes more than ${limit}`);
}

function tagsIn(source: string): number {
  return source.split('{{').length - 1;
}

/**
 * Content of a version with what a call gives of it. Code that differs from what was made of blocks takes their place; the same code,
 * as an editor of code sends it back, does not.
 */
export function rewritten(before: TemplateContent, given: Partial<TemplateContent>): TemplateContent {
  const after = { ...before, ...given };
  if (typeof before.text !== 'string' || given.text !== undefined) return after;
  const isCode = after.emailTemplate !== before.emailTemplate || given.editorJson !== undefined;
  if (!isCode) return { ...after, builderType: 'editor' };
  const { builderType = 'code', editorJson = null } = given;
  return { ...after, builderType, editorJson, text: null, usesBrand: false };
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
