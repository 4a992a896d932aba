import { CONTENT_TAGS_MAX } from '../../../schemas/templates/blocks.ts';
import { TEMPLATE_LENGTH_MAX } from '../../../schemas/templates/templates.ts';
import { AppError, invalid } from '../../base/errors.ts';
import type { Project } from '../../base/model.ts';
import { breather } from '../../base/work/breathe.ts';
import type { Brand } from '../blocks/brand.ts';
import { checkContent } from '../blocks/check.ts';
import { type CompiledContent, compileContent } from '../blocks/content.ts';
import { compiled, compiledOnce } from '../cache.ts';
import type { TemplatesDeps } from '../deps.ts';
import type { TemplateContent } from '../model.ts';
import { brandOf } from '../project-brand.ts';
import { checkedBlocks, checkSlots, namedFaults, snippetsInBlocks, togetherInBlocks } from './blocks.ts';
import { checkSlot, snippetsInCode, togetherInCode, withoutSnippets } from './code.ts';
import type { PartName } from './keys.ts';
import type { Parts } from './parts.ts';
import { type Instead, type PartsRead, readParts } from './read.ts';

type DbDeps = Pick<TemplatesDeps, 'db'>;
type Tenant = Pick<Project, '_id'>;

/** A mail, or a part of mails, as it was written: one of code and content. */
export interface Source {
  code?: string | undefined;
  content?: unknown;
  layoutId?: string | null | undefined;
}

/** The mail of a template, a campaign or a step, with all that was put into it. */
export type MadeMail = Pick<TemplateContent, 'emailTemplate'> &
  Partial<
    Pick<TemplateContent, 'text' | 'editorJson' | 'builderType' | 'usesBrand' | 'writtenCode' | 'layoutId' | 'parts'>
  >;

interface Making {
  /** Of the content, or of the code, in the body. */
  field?: string | undefined;
  /** The part that is written; left out: a mail. */
  self?: PartName | undefined;
  /** Left out: the brand of the project. */
  brand?: Brand | undefined;
  instead?: Instead | undefined;
  /** For many mails that are looked at together. */
  read?: PartsRead | undefined;
}

/**
 * A source with its snippets, its layout and the brand put in, of which mail is made. Throws 400 with the line or the block at fault. A mail
 * in several languages is one call for each, with the words of that language in the source.
 */
export async function assembled(deps: DbDeps, project: Tenant, source: Source, making: Making = {}): Promise<MadeMail> {
  const { code } = source;
  return code === undefined
    ? ofBlocks(deps, project, source, making)
    : ofCode(deps, project, { ...source, code }, making);
}

/** How the content of a template was written. */
export function sourceOf({ text, editorJson, writtenCode, emailTemplate, layoutId }: TemplateContent): Source {
  const isOfBlocks = typeof text === 'string';
  return { ...(isOfBlocks ? { content: editorJson } : { code: writtenCode ?? emailTemplate }), layoutId };
}

async function ofBlocks(
  deps: DbDeps,
  project: Tenant,
  { content: given, layoutId = null }: Source,
  { field = 'content', self, instead, read, ...making }: Making,
): Promise<MadeMail> {
  const brand = making.brand ?? (await brandOf(deps, project));
  const { content: own, usesBrand } = checkedBlocks(given, { brand, path: field });
  checkSlots(own, self?.kind, field);
  const named = { names: snippetsInBlocks(own), layoutId, instead, read };
  const parts = { brand, ...(await readParts(deps, project, named)) };
  checkLayout(parts, layoutId, { isCode: false });
  const together = namedFaults(() => togetherInBlocks(own, parts, field, snippetName(self)), layoutField(field));
  const { html, text } = await compiledBlocks(together.content, parts.layout ? layoutField(field) : field);
  return {
    ...{ emailTemplate: html, text, editorJson: given as Record<string, unknown>, builderType: 'editor' },
    ...{ usesBrand: usesBrand || together.usesBrand, writtenCode: null, layoutId, parts: [...parts.keys] },
  };
}

async function ofCode(
  deps: DbDeps,
  project: Tenant,
  { code, layoutId = null }: Source & { code: string },
  { field = 'emailTemplate', self, instead, read }: Making,
): Promise<MadeMail> {
  if (self?.kind === 'layout') checkSlot(code, field);
  const names = snippetsInCode(code);
  if (layoutId === null && names.length === 0) return { emailTemplate: code, writtenCode: null, layoutId, parts: [] };
  const parts = await readParts(deps, project, { names, layoutId, instead, read });
  checkLayout(parts, layoutId, { isCode: true });
  const pause = breather();
  compiledOnce(withoutSnippets(code), 'html', field);
  await pause();
  const emailTemplate = togetherInCode(code, parts, field, snippetName(self));
  await pause();
  checkTogether(emailTemplate, field);
  return { emailTemplate, writtenCode: code, layoutId, parts: [...parts.keys] };
}

/** The line is one of the mail as it is put together: each source is free of faults of its own. */
function checkTogether(source: string, field: string): void {
  try {
    compiled(source, 'html', field);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const details = `${error.details}, in the mail with its layout and snippets`;
    throw invalid(`The mail has a fault as it is put together: ${details}`, details);
  }
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

function checkLayout(
  { layout }: Pick<Parts, 'layout'>,
  layoutId: string | null,
  { isCode }: { isCode: boolean },
): void {
  if (layoutId === null) return;
  if (!layout) throw invalid('There is no such layout.', 'layoutId: names no published layout of this project');
  if ((layout.code !== null) === isCode) return;
  const sentence = isCode
    ? `the layout "${layout.name}" is made of content blocks, and the mail is code`
    : `the layout "${layout.name}" is code, and the mail is made of content blocks`;
  throw invalid(`The layout does not fit: ${sentence}.`, `layoutId: ${sentence}`);
}

function layoutField(field: string): string {
  return field.replace(/content$/, 'layoutId');
}

function snippetName(self: PartName | undefined): string | undefined {
  return self?.kind === 'snippet' ? self.id : undefined;
}

function tooLong(limit: string, path: string) {
  return invalid(`The content makes more than ${limit}.`, `${path}: makes more than ${limit}`);
}

function tagsIn(source: string): number {
  return source.split('{{').length - 1;
}
