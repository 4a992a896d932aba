import { parse } from '@handlebars/parser';
import type { Offset, ProgramNode } from './nodes.ts';

const SOURCE_LENGTH_MAX = 1024 * 1024;
/** Carriage returns and line feeds: the parser's time grows with them too. */
export const LINE_ENDS_MAX = 500_000;
const TAGS_MAX = 5_000;
export const NESTING_MAX = 50;
/** Blocks around a position and the `{{else if}}` before it. */
const BRANCHES_MAX = 250;
const TAG_LENGTH_MAX = 2_000;
const TAGS_LENGTH_MAX = 100_000;

const OPENS_BLOCK = /^\{\{~?(#|\^\s*[^\s~}])/;
const CLOSES_BLOCK = /^\{\{~?\//;
const CONDITIONAL_ELSE = /^\{\{~?\s*else\s+[^\s~}]/;

/** A template that does not parse or is not allowed, with the place of the fault. */
export class TemplateSyntaxError extends Error {
  readonly line: number;
  /** From 1 on, as lines are; the parser counts columns from 0. */
  readonly column: number;

  constructor(message: string, { line, column }: Offset = { line: 1, column: 0 }) {
    super(message);
    this.line = line;
    this.column = column + 1;
  }
}

/** As the parser counts lines. */
const LINE_END = /\r\n?|\n/g;

export function lineStartsOf(source: string): number[] {
  return [0, ...Array.from(source.matchAll(LINE_END), (found) => found.index + found[0].length)];
}

/** Parses a template; one that would take long to parse is refused first. */
export function parseTemplate(source: string): ProgramNode {
  if (source.length > SOURCE_LENGTH_MAX) throw new TemplateSyntaxError('The template is longer than 1 MiB.');
  if (hasTooManyLines(source)) throw new TemplateSyntaxError(`The template has more than ${LINE_ENDS_MAX} line ends.`);
  checkTags(source);
  return readProgram(source);
}

function hasTooManyLines(source: string): boolean {
  if (source.length <= LINE_ENDS_MAX) return false;
  let ends = 0;
  for (let index = 0; index < source.length; index++) {
    const code = source.charCodeAt(index);
    if (code === 10 || code === 13) ends++;
  }
  return ends > LINE_ENDS_MAX;
}

/** The parser's time grows faster than its input in tags, chains and arguments, so those are counted first. */
function checkTags(source: string): void {
  const refuse = (message: string, at: number): never => {
    const starts = lineStartsOf(source.slice(0, at));
    throw new TemplateSyntaxError(message, { line: starts.length, column: at - starts.at(-1)! });
  };
  const nul = source.indexOf('\0');
  if (nul >= 0) refuse('The template contains a NUL character.', nul);
  let tags = 0;
  let length = 0;
  let branches = 0;
  const blocks: number[] = [];
  for (let at = source.indexOf('{{'); at >= 0; ) {
    const end = isEscaped(source, at) ? at + 2 : tagEnd(source, at);
    const tag = source.slice(at, Math.min(end, at + TAG_LENGTH_MAX));
    length += tag.startsWith('{{!') ? 0 : end - at;
    if (++tags > TAGS_MAX) refuse(`The template has more than ${TAGS_MAX} tags.`, at);
    if (tag.startsWith('{{{{')) refuse('Raw blocks ({{{{ }}}}) are not supported.', at);
    if (end - at > TAG_LENGTH_MAX && !tag.startsWith('{{!'))
      refuse(`This tag is not closed, or longer than ${TAG_LENGTH_MAX} characters.`, at);
    if (length > TAGS_LENGTH_MAX) refuse(`The tags are longer than ${TAGS_LENGTH_MAX} characters together.`, at);
    if (OPENS_BLOCK.test(tag)) {
      blocks.push(1);
      branches++;
    } else if (CLOSES_BLOCK.test(tag)) {
      branches -= blocks.pop() ?? 0;
    } else if (CONDITIONAL_ELSE.test(tag) && blocks.length > 0) {
      blocks[blocks.length - 1]!++;
      branches++;
    }
    if (blocks.length > NESTING_MAX) refuse(`Blocks are nested more than ${NESTING_MAX} deep.`, at);
    if (branches > BRANCHES_MAX) refuse(`A chain of "else" conditions is longer than ${BRANCHES_MAX}.`, at);
    at = source.indexOf('{{', end);
  }
}

/** Where the tags of a template are that was parsed. */
export function tagsOf(source: string): Array<{ start: number; end: number }> {
  const tags: Array<{ start: number; end: number }> = [];
  for (let start = source.indexOf('{{'); start >= 0; ) {
    const end = isEscaped(source, start) ? start + 2 : tagEnd(source, start);
    tags.push({ start, end });
    start = source.indexOf('{{', end);
  }
  return tags;
}

function isEscaped(source: string, at: number): boolean {
  return source[at - 1] === '\\' && source[at - 2] !== '\\';
}

/** The end of the tag, as the parser reads it: texts in quotes and names in brackets may contain braces. */
function tagEnd(source: string, at: number): number {
  const comment = /^\{\{~?!(--)?/.exec(source.slice(at, at + 6));
  if (comment) return endOf(source, comment[1] ? /--~?\}\}/g : /\}\}/g, at + comment[0].length);
  for (let index = at + 2; index < source.length && index - at <= TAG_LENGTH_MAX; index++) {
    const character = source[index]!;
    if (source.startsWith('}}', index)) return index + 2;
    if (character === '"' || character === "'" || character === '[')
      index = quoteEnd(source, index, character === '[' ? ']' : character);
  }
  return source.length;
}

function quoteEnd(source: string, at: number, quote: string): number {
  for (let index = at + 1; index < source.length && index - at <= TAG_LENGTH_MAX; index++)
    if (source[index] === quote && source[index - 1] !== '\\') return index;
  return source.length;
}

function endOf(source: string, closing: RegExp, from: number): number {
  closing.lastIndex = from;
  return closing.exec(source) ? closing.lastIndex : source.length;
}

function readProgram(source: string): ProgramNode {
  try {
    return parse(source) as ProgramNode;
  } catch (error) {
    const { message } = error as Error;
    const reason = / on line /.test(message) ? 'this tag is not complete, not closed or not allowed here' : message;
    throw new TemplateSyntaxError(`The template cannot be read: ${reason}.`, placeOf(error as ParseError, source));
  }
}

interface ParseError extends Error {
  /** Of a tag that was read, but does not fit: `{{/if}}` for `{{#each}}`. */
  lineNumber?: number;
  column?: number;
  /** The place of the last word that was read; not there when the next one cannot be read. */
  hash?: { line: number; loc?: { last_line: number; last_column: number } };
}

function placeOf({ lineNumber, column = 0, hash }: ParseError, source: string): Offset {
  if (lineNumber !== undefined) return { line: lineNumber, column };
  if (hash?.loc) return { line: hash.loc.last_line, column: hash.loc.last_column };
  const line = (hash?.line ?? 0) + 1;
  const start = lineStartsOf(source)[line - 1] ?? 0;
  return { line, column: Math.max(0, source.indexOf('{{', start) - start) };
}
