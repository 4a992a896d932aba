import { escapeHtml } from '../../../base/text/html.ts';

/** A variable of a field that takes them, with the words in its place when it has no value. */
export interface Variable {
  variable: string;
  fallback?: string | undefined;
}

const NAME = /^(?:(?:@root\.|(?:\.\.\/)+)?[A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*)*|@(?:index|key|first|last))$/;
/** A name, with its fallback in double or single quotes. */
const TAG =
  /\{\{ ?((?:@root\.|(?:\.\.\/)+)?[A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*)*|@(?:index|key|first|last))(?: default=(?:"([^"\\{}]*)"|'([^'\\{}]*)'))? ?\}\}/g;

/** undefined: a template can read this variable. */
export function variableFault(name: string): string | undefined {
  if (NAME.test(name) && isReadable(name)) return undefined;
  return 'must be the name of a variable, for example firstName or order.total';
}

/** undefined: the text can be part of a tag. */
export function fallbackFault(fallback = ''): string | undefined {
  return /[\\{}]/.test(fallback) ? 'must not have braces or backslashes' : undefined;
}

/** undefined: the words have no tag. Variables of words are spans of their own. */
export function wordsFault(words = ''): string | undefined {
  return words.includes('{{') ? 'must not have {{tags}}, so write a span with variable instead' : undefined;
}

/** undefined: all tags in it are variables. For addresses, alternative texts and titles. */
export function mixedFault(text = ''): string | undefined {
  const [literals, variables] = [literalsOf(text).join(' '), variablesOf(text)];
  const isClean = !literals.includes('{{') && !/[{\\]\{\{/.test(text);
  return isClean && variables.every(({ variable }) => isReadable(variable))
    ? undefined
    : 'may have variables alone as tags: {{name}} or {{name default="none"}}';
}

/** The tag of a variable. */
export function tagOf({ variable, fallback }: Variable, helper = ''): string {
  const otherwise = fallback ? quoted(fallback) : '';
  if (helper) return `{{${helper} ${otherwise ? `(default ${variable} ${otherwise})` : variable}}}`;
  return `{{${variable}${otherwise ? ` default=${otherwise}` : ''}}}`;
}

/** A text as a literal of the template language. Without braces and backslashes. */
export function quoted(text: string): string {
  return `"${text.replaceAll('"', '\\"')}"`;
}

export function variablesOf(mixed: string): Variable[] {
  return Array.from(mixed.matchAll(TAG), ([, variable = '', double, single]) => ({
    variable,
    fallback: double ?? single,
  }));
}

/** The texts between its variables: one more than there are variables. */
export function literalsOf(mixed: string): string[] {
  const literals: string[] = [];
  let at = 0;
  for (const found of mixed.matchAll(TAG)) {
    literals.push(mixed.slice(at, found.index));
    at = found.index + found[0].length;
  }
  return [...literals, mixed.slice(at)];
}

/** Joins its parts, each written for its place. */
export function mixedOf(mixed: string, literal: (text: string) => string, helper = ''): string {
  const variables = variablesOf(mixed);
  return literalsOf(mixed)
    .map((text, index) => literal(text) + (variables[index] ? tagOf(variables[index], helper) : ''))
    .join('');
}

/** Words of the author in HTML and in attributes: they neither begin nor end a tag. */
export function htmlLiteral(text: string): string {
  return escapeHtml(text).replace(/[{}\\]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Words of the author in the text part: `finishText` takes care of backslashes before tags. */
export function textLiteral(text: string): string {
  return text.replace(/[{}]/g, '{{"$&"}}');
}

/** In the template language a backslash before a tag makes the tag a text, and two of them are one backslash. */
export function finishText(source: string): string {
  return source.replace(/\\(?=\{\{)/g, '\\\\');
}

function isReadable(name: string): boolean {
  return !RESERVED.has(name.split('.', 1)[0]!);
}

/** Words with a meaning of their own at the beginning of a tag. */
const RESERVED = new Set(
  'if unless each with lookup log helperMissing blockHelperMissing else true false null undefined'.split(' '),
);
