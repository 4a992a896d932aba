import { decodeHTML } from 'entities';
import type { Align, Span, TextNode } from '../../../schemas/templates/block-types.ts';
import { addressFault } from '../blocks/kit/addresses.ts';
import { literalsOf, variableFault, variablesOf } from '../blocks/kit/variables.ts';
import { NotConvertible, type Text } from './tree.ts';

/** How words look, taken over from the elements around them. */
export interface Format {
  bold?: true;
  italic?: true;
  href?: string;
  colour?: string;
  align?: Align;
}

/** Spaces and line ends are one space, as in a browser; a space that does not break stays. */
export function spansOf({ text, line }: Text, format: Format): Span[] {
  const variables = variablesOf(text);
  return literalsOf(text).flatMap((literal, index) => {
    if (literal.includes('{{')) throw new NotConvertible(line, CODE_ALONE);
    const variable = variables[index];
    if (variable && variableFault(variable.variable)) throw new NotConvertible(line, CODE_ALONE);
    const own = variable ? [{ variable: variable.variable, ...fallbackOf(variable) }] : [];
    return [...textSpans(literal), ...own].map((span) => ({ ...span, ...looks(format) }));
  });
}

const JOINED_MAX = 4_000;
const CODE_ALONE = 'conditions, loops and helpers of the template language have to stay code';

function fallbackOf({ fallback }: { fallback?: string | undefined }): { fallback?: string } {
  return fallback ? { fallback: plain(fallback).slice(0, 200) } : {};
}

/** Two braces that begin no tag are in two spans. */
function textSpans(literal: string): Span[] {
  const words = plain(literal);
  return words === ''
    ? []
    : words
        .replaceAll('{{', '{\u0000{')
        .split('\u0000')
        .map((text) => ({ text }));
}

/** In one line, without characters that control something. */
export function plain(text: string): string {
  return decodeHTML(text).replace(/[\p{Cc}\u2028\u2029 ]+/gu, ' ');
}

function looks({ bold, italic, href, colour }: Format): Omit<Span, 'text'> {
  return {
    ...(bold && { bold }),
    ...(italic && { italic }),
    ...(href && { href }),
    ...(colour && { colour }),
  };
}

/** Without spaces at its edges and at its line breaks; neighbours that look the same are one span. */
export function tidy(spans: readonly Span[]): Span[] {
  const tidied: Span[] = [];
  for (const span of spans) {
    const last = tidied.at(-1);
    if (span.text === undefined) {
      if (span.break && last?.text !== undefined) tidied.push({ ...tidied.pop(), text: last.text.trimEnd() });
      tidied.push(span);
      continue;
    }
    const isAtEdge = !last || last.break || last.text?.endsWith(' ');
    const text = isAtEdge ? span.text.replace(/^ /, '') : span.text;
    if (text === '') continue;
    if (last?.text !== undefined && isAlike(last, span) && joins(last.text, text)) last.text += text;
    else tidied.push({ ...span, text });
  }
  return withoutEdges(tidied.filter(({ text }) => text !== ''));
}

/** Two braces would begin a tag; a text that grows is copied each time. */
function joins(one: string, other: string): boolean {
  return one.length < JOINED_MAX && !(one.endsWith('{') && other.startsWith('{'));
}

function withoutEdges(spans: Span[]): Span[] {
  while (spans[0]?.break) spans.shift();
  for (let last = spans.at(-1); last && (last.break || last.text?.endsWith(' ')); last = spans.at(-1)) {
    spans.pop();
    const text = last.text?.trimEnd() ?? '';
    if (text !== '') spans.push({ ...last, text });
  }
  return spans;
}

function isAlike(one: Span, other: Span): boolean {
  return (['bold', 'italic', 'href', 'colour'] as const).every((name) => one[name] === other[name]);
}

export function hasWords(spans: readonly Span[]): boolean {
  return spans.some(({ text, variable }) => variable !== undefined || (text ?? '').trim() !== '');
}

/** Of paragraphs and lists, as one run of words. */
export function joined(nodes: readonly TextNode[]): Span[] {
  return nodes
    .flatMap(({ spans, items }) => (spans ? [spans] : (items ?? [])))
    .flatMap((spans, index) => (index === 0 ? spans : [{ break: true } as const, ...spans]));
}

export function wordsOf(spans: readonly Span[]): string {
  return spans.map(({ text, break: line }) => (line ? ' ' : (text ?? ''))).join('');
}

/** undefined: the address can be one of a block. */
export function badAddress(address: string, kind: 'href' | 'src'): string | undefined {
  return address.length > 2_000 ? 'must be shorter' : addressFault(address, kind);
}
