import type { Span } from '../../../schemas/templates/block-types.ts';
import { type Variable, variablesOf } from '../blocks/kit/variables.ts';

/**
 * Words with their looks as one line of text, so that a person who translates, or a spreadsheet, has a text and no tree:
 * `Hello {{firstName default="you"}}, the <b>rye</b> is <a href="https://example.com">here</a><br>`.
 */
export function markupOf(spans: readonly Span[]): string {
  let text = '';
  let open: string | undefined;
  for (const { href, ...span } of spans) {
    if (href !== open && open !== undefined) text += '</a>';
    if (href !== open && href !== undefined) text += `<a href="${escaped(href, 'quoted')}">`;
    open = href;
    text += looks(span);
  }
  return open === undefined ? text : `${text}</a>`;
}

function looks({ text, variable, fallback, break: line, bold, italic, colour }: Omit<Span, 'href'>): string {
  const start = `${colour ? `<font color="${colour}">` : ''}${bold ? '<b>' : ''}${italic ? '<i>' : ''}`;
  const end = `${italic ? '</i>' : ''}${bold ? '</b>' : ''}${colour ? '</font>' : ''}`;
  if (line) return `${start}<br>${end}`;
  if (variable === undefined) return `${start}${escaped(text ?? '')}${end}`;
  const otherwise = fallback === undefined ? '' : ` default="${escaped(fallback, 'quoted')}"`;
  return `${start}{{${variable}${otherwise}}}${end}`;
}

/** Throws a sentence about what is wrong with it. */
export function spansOf(markup: string): Span[] {
  const reader = new Reader();
  for (const [token] of markup.matchAll(TOKEN)) reader.take(token);
  return reader.end();
}

export class MarkupFault extends Error {}

/** A tag of a look, a variable, or text up to the next of them. */
const TOKEN = /<[^<>]*>|\{\{[^{}]*\}\}|[^<{]+|[<{]/g;
const TAG = /^<(\/?)(a|b|i|br|font)(?: (?:href|color)="([^"<>]*)")?>$/;
const ALLOWED = '<b>, <i>, <br>, <a href="..."> and <font color="...">; write < as &lt;';

type Looks = Pick<Span, 'bold' | 'italic' | 'href' | 'colour'>;

class Reader {
  readonly #spans: Span[] = [];
  readonly #open: Array<{ name: string; before: Looks }> = [];
  #looks: Looks = {};

  take(token: string): void {
    const variable = token.startsWith('{{') ? variableOf(token) : undefined;
    if (token.startsWith('<')) this.#tag(token);
    else if (variable) this.#spans.push({ ...variable, ...this.#looks });
    else this.#text(unescaped(token));
  }

  end(): Span[] {
    const [open] = this.#open;
    if (open) throw new MarkupFault(`has <${open.name}> without </${open.name}>`);
    return this.#spans;
  }

  #tag(token: string): void {
    const [, slash, name = '', value] = TAG.exec(token) ?? [];
    if (slash === undefined) throw new MarkupFault(`may have no other tags than ${ALLOWED}`);
    if (name === 'br') this.#spans.push({ break: true, ...this.#looks });
    else if (slash) this.#close(name);
    else this.#begin(name, value);
  }

  #begin(name: string, value: string | undefined): void {
    const needsValue = name === 'a' || name === 'font';
    if (needsValue !== (value !== undefined))
      throw new MarkupFault(`has <${name}> ${needsValue ? 'without its value' : 'with a value'}`);
    this.#open.push({ name, before: this.#looks });
    this.#looks = { ...this.#looks, ...lookOf(name, unescaped(value ?? '')) };
  }

  #close(name: string): void {
    const last = this.#open.pop();
    if (last?.name !== name)
      throw new MarkupFault(`has </${name}> where ${last ? `</${last.name}>` : 'nothing'} is open`);
    this.#looks = last.before;
  }

  #text(text: string): void {
    const last = this.#spans.at(-1);
    if (last?.text !== undefined && sameLooks(last, this.#looks)) last.text += text;
    else this.#spans.push({ text, ...this.#looks });
  }
}

function lookOf(name: string, value: string): Looks {
  if (name === 'a') return { href: value };
  if (name === 'font') return { colour: value };
  return name === 'b' ? { bold: true } : { italic: true };
}

function sameLooks(a: Looks, b: Looks): boolean {
  return a.bold === b.bold && a.italic === b.italic && a.href === b.href && a.colour === b.colour;
}

/** Undefined: it is none, and stays words, which the check of content refuses. */
function variableOf(token: string): Variable | undefined {
  const [found, ...others] = variablesOf(token);
  if (!found || others.length > 0) return undefined;
  const { variable, fallback } = found;
  return fallback === undefined ? { variable } : { variable, fallback: unescaped(fallback) };
}

function escaped(text: string, where: 'words' | 'quoted' = 'words'): string {
  const words = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return where === 'words' ? words : words.replaceAll('"', '&quot;');
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' };

function unescaped(text: string): string {
  return text.replace(/&(amp|lt|gt|quot);/g, (_, name) => ENTITIES[name]!);
}
