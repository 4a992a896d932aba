import { decodeHTMLAttribute } from 'entities';
import { QuoteType, Tokenizer, type TokenizerCallbacks } from 'htmlparser2';
import { htmlToText } from '../../html/links.ts';
import { CLOSE, hasMarks, OPEN } from '../../language/holes.ts';
import type { StatementNode } from '../../language/nodes.ts';
import { parseTemplate, tagsOf } from '../../language/syntax.ts';
import { compileTemplate } from '../../language/templates.ts';
import { addressFault } from './addresses.ts';
import { textLiteral } from './variables.ts';

/** HTML of an author: it stays inside its cell and runs nothing. */

const ELEMENTS = new Set(
  'a abbr address article b blockquote br caption center cite code col colgroup dd del div dl dt em figcaption figure font h1 h2 h3 h4 h5 h6 hr i img ins li ol p pre q s section small span strike strong sub sup table tbody td tfoot th thead tr u ul'.split(
    ' ',
  ),
);
/** The elements inside those of tables. A browser moves others out, and the next end tag could be that of the mail. */
const INSIDE: Readonly<Record<string, readonly string[]>> = {
  table: ['caption', 'colgroup', 'col', 'thead', 'tbody', 'tfoot', 'tr'],
  thead: ['tr'],
  tbody: ['tr'],
  tfoot: ['tr'],
  tr: ['td', 'th'],
  colgroup: ['col'],
};
const OF_TABLES = new Set(Object.values(INSIDE).flat());
const EMPTY = new Set(['br', 'col', 'hr', 'img']);
const ATTRIBUTES = new Set(
  'align alt bgcolor border cellpadding cellspacing class color colspan data-no-track dir face height href lang rel role rowspan scope size src style target title valign width'.split(
    ' ',
  ),
);
const WITH_VALUES = new Set(['alt', 'href', 'src', 'title']);
/** Of styles: what loads, leaves its place, or hides what it is. */
const ESCAPING_STYLE = /[\\{}<>@]|url\s*\(|expression|behavior|binding|position\s*:|\/\*|image-set/i;

/** Mail programs give up sooner than browsers. */
const OPEN_MAX = 50;
const TAGS_MAX = 300;

/** Characters in place of a value and of a block of the template language, while the HTML around them is read. */
const VALUE = OPEN;
const BLOCK = CLOSE;
const MARK = /[\ue000\ue001]/;

class CodeFault extends Error {}

/** undefined: the code can be part of a mail. */
export function codeFault(code: string): string | undefined {
  if (hasMarks(code)) return 'must not have the characters U+E000 and U+E001';
  if (tagsOf(code).length > TAGS_MAX) return `must have at most ${TAGS_MAX} tags of the template language`;
  const compiled = compileTemplate(code, 'html');
  if (!compiled.ok) return `has a fault in line ${compiled.line}, column ${compiled.column}: ${compiled.message}`;
  try {
    checkBody(parseTemplate(code).body, []);
    return undefined;
  } catch (error) {
    if (error instanceof CodeFault) return error.message;
    throw error;
  }
}

/** The words of the code, its tags of the template language kept. */
export function codeText(code: string): string {
  const tags: string[] = [];
  let marked = '';
  let at = 0;
  for (const { start, end } of tagsOf(code)) {
    marked += `${code.slice(at, start)}${OPEN}${tags.push(code.slice(start, end)) - 1}${CLOSE}`;
    at = end;
  }
  const pieces = htmlToText(marked + code.slice(at)).split(/\ue000(\d+)\ue001/);
  return pieces.map((piece, index) => (index % 2 === 0 ? textLiteral(piece) : tags[Number(piece)])).join('');
}

/** Whatever its branches are, each opens and closes its own elements. `open`: the elements around it. */
function checkBody(statements: readonly StatementNode[], open: readonly string[]): void {
  const inner: StatementNode[] = [];
  const html = statements.map((one) => markedOf(one, inner)).join('');
  const places = checkMarkup(html, open);
  inner.forEach((one, index) => {
    if (one.type !== 'BlockStatement') return;
    for (const branch of [one.program, one.inverse]) if (branch) checkBody(branch.body, places[index]!);
  });
}

function markedOf(statement: StatementNode, inner: StatementNode[]): string {
  switch (statement.type) {
    case 'ContentStatement':
      return statement.value;
    case 'MustacheStatement':
      if (!statement.escaped) throw new CodeFault('must not have values without escaping: write {{name}}');
      return VALUE;
    case 'BlockStatement':
      inner.push(statement);
      return BLOCK;
    default:
      return '';
  }
}

/** Returns the open elements at each block of the template language. */
function checkMarkup(html: string, around: readonly string[]): string[][] {
  if (/<\/?[\ue000\ue001]/.test(html)) throw new CodeFault('must not have a variable as the name of an element');
  // A browser reads these as comments.
  if (/<\/[^A-Za-z]/.test(html)) throw new CodeFault('has a </ that closes no element');
  if (html.lastIndexOf('<') > html.lastIndexOf('>')) throw new CodeFault('has a < that opens no element: write &lt;');
  const reader = new Markup(html, around);
  const tokenizer = new Tokenizer({ decodeEntities: false }, reader);
  tokenizer.write(html);
  tokenizer.end();
  if (reader.open.length > around.length) throw new CodeFault(`must close <${reader.open.at(-1)}>`);
  return reader.places;
}

class Markup implements TokenizerCallbacks {
  readonly open: string[];
  readonly places: string[][] = [];
  readonly #html: string;
  readonly #depth: number;
  #tag = '';
  #attribute = '';
  #valueStart = -1;
  #hasAlt = false;

  constructor(html: string, around: readonly string[]) {
    this.#html = html;
    this.#depth = around.length;
    this.open = [...around];
  }

  ontext(start: number, end: number): void {
    for (const character of this.#html.slice(start, end)) if (character === BLOCK) this.places.push([...this.open]);
  }

  onopentagname(start: number, end: number): void {
    this.#tag = this.#html.slice(start, end).toLowerCase();
    this.#hasAlt = false;
    if (!ELEMENTS.has(this.#tag)) throw new CodeFault(`must not have the element <${shown(this.#tag)}>`);
    const around = this.open.at(-1) ?? '';
    if (INSIDE[around] ? !INSIDE[around].includes(this.#tag) : OF_TABLES.has(this.#tag))
      throw new CodeFault(`must not have <${this.#tag}> directly inside ${around ? `<${around}>` : 'the block'}`);
  }

  onattribname(start: number, end: number): void {
    this.#attribute = this.#html.slice(start, end).toLowerCase();
    this.#valueStart = -1;
    if (!ATTRIBUTES.has(this.#attribute) && !/^aria-[a-z]+$/.test(this.#attribute))
      throw new CodeFault(`must not have the attribute ${shown(this.#attribute)}`);
  }

  onattribdata(start: number): void {
    if (this.#valueStart < 0) this.#valueStart = start;
  }

  onattribend(type: QuoteType, end: number): void {
    const quotes = type === QuoteType.Double || type === QuoteType.Single ? 1 : 0;
    const value = this.#valueStart < 0 ? '' : this.#html.slice(this.#valueStart, end - quotes);
    if (type === QuoteType.Unquoted && MARK.test(value))
      throw new CodeFault('must have quotes around values with variables');
    if (this.#attribute === 'alt') this.#hasAlt = true;
    checkValue(this.#attribute, decodeHTMLAttribute(value));
  }

  onopentagend(): void {
    if (this.#tag === 'img' && !this.#hasAlt) throw new CodeFault('must have alt for each <img>');
    if (EMPTY.has(this.#tag)) return;
    if (this.open.push(this.#tag) > OPEN_MAX) throw new CodeFault(`must nest elements ${OPEN_MAX} deep at most`);
  }

  onselfclosingtag(): void {
    this.onopentagend();
  }

  onclosetag(start: number, end: number): void {
    const tag = this.#html.slice(start, end).toLowerCase();
    if (this.open.length <= this.#depth || this.open.pop() !== tag)
      throw new CodeFault(`has </${shown(tag)}> where it closes nothing`);
  }

  oncomment(): void {
    throw new CodeFault('must not have comments');
  }

  oncdata(): void {
    throw new CodeFault('must not have CDATA');
  }

  ondeclaration(): void {
    throw new CodeFault('must not have a doctype');
  }

  onprocessinginstruction(): void {
    throw new CodeFault('must not have processing instructions');
  }

  onattribentity(): void {}
  ontextentity(): void {}
  onend(): void {}
}

function checkValue(name: string, value: string): void {
  if (value.includes(BLOCK)) throw new CodeFault(`must not have conditions or loops inside ${name}`);
  if (value.includes(VALUE) && !WITH_VALUES.has(name))
    throw new CodeFault(`must not have variables in ${name}, only in href, src, alt and title`);
  if (name === 'style' && ESCAPING_STYLE.test(value))
    throw new CodeFault('must not have styles that load or leave their place');
  if (name !== 'href' && name !== 'src') return;
  const fault = addressFault(value.replaceAll(VALUE, '{{x}}'), name);
  if (fault) throw new CodeFault(`has an address in ${name} that ${fault}`);
}

function shown(name: string): string {
  return name.replace(/[\ue000\ue001]/g, '{{}}').slice(0, 40);
}
