import type { Place } from './escapes.ts';

/** The state of a reader of HTML: enough to know the place of the template's next value. */
export interface Position {
  state: 'data' | 'tag' | 'before name' | 'name' | 'after name' | 'before value' | 'value' | 'raw text' | 'skip';
  tag: string;
  attribute: string;
  quote: string;
  /** Whether the attribute's value has a question mark so far. */
  hasQuery: boolean;
  /** The last character of the attribute's value so far; VALUE for a value of the template. */
  last: string;
  /** The text that ends a skipped part: a comment, a doctype. */
  until: string;
  /** The link of the tag so far. */
  link: PlacedLink | null;
  isUntracked: boolean;
}

/** The href of an `a` or `area`. */
export interface PlacedLink {
  /** False with data-no-track. */
  isTracked: boolean;
}

export interface Mark {
  at: number;
  opens: boolean;
  /** Opens the address of a link. */
  link?: PlacedLink | null;
}

const VALUE = '\ufffc';
const URL_ATTRIBUTES = new Set('href src action formaction background poster cite longdesc data xlink:href'.split(' '));
const RAW_TEXT_TAGS = new Map([
  ['script', /<\/script/gi],
  ['style', /<\/style/gi],
  ['title', /<\/title/gi],
  ['textarea', /<\/textarea/gi],
]);
const SLASH = '/'.charCodeAt(0);
const CLOSES = '>'.charCodeAt(0);
const QUESTION = '?'.charCodeAt(0);
/** Longer than every name that has a meaning here. */
const NAME_LENGTH_MAX = 64;
const REST_OF = { tag: /[^\t\n\f\r />]+/y, attribute: /[^\t\n\f\r />=]+/y };
const RUN_OF_SPACES = /[\t\n\f\r ]+/y;

export function startPosition(): Position {
  return {
    state: 'data',
    tag: '',
    attribute: '',
    quote: '',
    hasQuery: false,
    last: '',
    until: '',
    link: null,
    isUntracked: false,
  };
}

/** Reads the text, and returns where in it the values of URL attributes open and close. */
export function advance(position: Position, text: string): Mark[] {
  const marks: Mark[] = [];
  let at = 0;
  while (at < text.length) at = step(position, text, at, marks);
  return marks;
}

/** The place of a value at this position; `opens` when it begins the unquoted value of a URL attribute. */
export function placeValue(position: Position): { place: Place; opens: boolean; link?: PlacedLink | null } {
  switch (position.state) {
    case 'data':
    case 'skip':
    case 'raw text':
      return { place: 'text', opens: false };
    case 'before value': {
      openValue(position, '');
      position.last = VALUE;
      if (!isUrl(position)) return { place: 'bare', opens: false };
      return { place: 'url', opens: true, link: openLink(position) };
    }
    case 'value': {
      const isQuery = position.hasQuery && position.last === '=';
      position.last = VALUE;
      if (isUrl(position)) return { place: isQuery ? 'query' : 'url', opens: false };
      return { place: position.quote ? 'text' : 'bare', opens: false };
    }
    case 'tag':
      position.tag += VALUE;
      return { place: 'bare', opens: false };
    default:
      position.attribute = position.state === 'name' ? position.attribute + VALUE : VALUE;
      position.state = 'name';
      return { place: 'bare', opens: false };
  }
}

/** Reads the construct at `at` and returns the offset after it. */
function step(position: Position, text: string, at: number, marks: Mark[]): number {
  const character = text[at]!;
  switch (position.state) {
    case 'data':
      return stepData(position, text, at);
    case 'skip':
    case 'raw text':
      return stepSkip(position, text, at);
    case 'tag':
      if (endsName(text.charCodeAt(at))) return stepTag(position, character, at);
      return stepName(position, 'tag', text, at);
    case 'before value':
      if (isSpace(text.charCodeAt(at))) return afterSpaces(text, at);
      if (character === '>') return endTag(position, at);
      return stepBeforeValue(position, character, at, marks);
    case 'value':
      return stepValue(position, text, at, marks);
    default:
      if (character === '=' && position.state !== 'before name') {
        endName(position);
        position.state = 'before value';
      } else if (endsName(text.charCodeAt(at))) return stepTag(position, character, at);
      else if (position.state === 'name') return stepName(position, 'attribute', text, at);
      else {
        position.state = 'name';
        position.attribute = character.toLowerCase();
      }
      return at + 1;
  }
}

/** Reads the rest of a name at once. */
function stepName(position: Position, field: 'tag' | 'attribute', text: string, at: number): number {
  const rest = REST_OF[field];
  rest.lastIndex = at;
  rest.test(text);
  const end = rest.lastIndex;
  if (position[field].length < NAME_LENGTH_MAX)
    position[field] += text.slice(at, Math.min(end, at + NAME_LENGTH_MAX)).toLowerCase();
  return end;
}

function afterSpaces(text: string, at: number): number {
  RUN_OF_SPACES.lastIndex = at;
  RUN_OF_SPACES.test(text);
  return RUN_OF_SPACES.lastIndex;
}

function stepData(position: Position, text: string, at: number): number {
  const open = text.indexOf('<', at);
  if (open < 0) return text.length;
  const next = text[open + 1];
  // Mail for Outlook has its own HTML inside conditional comments, which is read like any other.
  if (text.startsWith('<!--[if', open)) return skipTo(position, ']>', open + 7);
  if (text.startsWith('<!--', open)) return skipTo(position, '-->', open + 4);
  if (next === '!' || next === '?') return skipTo(position, '>', open + 2);
  if (next === undefined || /[a-z/]/i.test(next))
    Object.assign(position, { state: 'tag', tag: '', link: null, isUntracked: false });
  if (next !== '/') return open + 1;
  position.tag = '/';
  return open + 2;
}

function skipTo(position: Position, until: string, at: number): number {
  Object.assign(position, { state: 'skip', until });
  return at;
}

function stepSkip(position: Position, text: string, at: number): number {
  const end = position.state === 'skip' ? text.indexOf(position.until, at) : indexOfClosingTag(text, position.tag, at);
  if (end < 0) return text.length;
  if (position.state === 'raw text') Object.assign(position, { state: 'tag', tag: '' });
  else position.state = 'data';
  return end + position.until.length;
}

function indexOfClosingTag(text: string, tag: string, at: number): number {
  const closing = RAW_TEXT_TAGS.get(tag)!;
  closing.lastIndex = at;
  return closing.exec(text)?.index ?? -1;
}

function stepTag(position: Position, character: string, at: number): number {
  if (position.state === 'name') endName(position);
  if (character === '>') return endTag(position, at);
  const isAfterName = (position.state === 'name' || position.state === 'after name') && character !== '/';
  position.state = isAfterName ? 'after name' : 'before name';
  return at + 1;
}

function endTag(position: Position, at: number): number {
  const isRaw = RAW_TEXT_TAGS.has(position.tag);
  Object.assign(position, isRaw ? { state: 'raw text', until: `</${position.tag}` } : { state: 'data' });
  return at + 1;
}

function stepBeforeValue(position: Position, character: string, at: number, marks: Mark[]): number {
  const quote = character === '"' || character === "'" ? character : '';
  openValue(position, quote);
  const next = at + quote.length;
  if (isUrl(position)) marks.push({ at: next, opens: true, link: openLink(position) });
  return next;
}

/** The first href of a tag is the one that counts. */
function openLink(position: Position): PlacedLink | null {
  const isLink = position.attribute === 'href' && (position.tag === 'a' || position.tag === 'area');
  if (!isLink || position.link) return null;
  position.link = { isTracked: !position.isUntracked };
  return position.link;
}

function endName(position: Position): void {
  if (position.attribute !== 'data-no-track') return;
  position.isUntracked = true;
  if (position.link) position.link.isTracked = false;
}

function openValue(position: Position, quote: string): void {
  position.state = 'value';
  position.quote = quote;
  position.hasQuery = false;
  position.last = '';
}

/** Reads everything up to the closing quote at once. */
function stepQuoted(position: Position, text: string, at: number): number {
  const quote = text.indexOf(position.quote, at);
  const part = text.slice(at, quote < 0 ? text.length : quote);
  position.hasQuery ||= part.includes('?');
  position.last = part.at(-1)!;
  return at + part.length;
}

/** The same without quotes. */
function stepUnquoted(position: Position, text: string, at: number): number {
  let end = at;
  for (; end < text.length; end += 1) {
    const code = text.charCodeAt(end);
    if (endsValue(code)) break;
    if (code === QUESTION) position.hasQuery = true;
  }
  position.last = text[end - 1]!;
  return end;
}

function endsValue(code: number): boolean {
  return isSpace(code) || code === CLOSES;
}

function endsName(code: number): boolean {
  return isSpace(code) || code === CLOSES || code === SLASH;
}

function isSpace(code: number): boolean {
  return code === 0x20 || (code <= 0x0d && code >= 0x09 && code !== 0x0b);
}

function stepValue(position: Position, text: string, at: number, marks: Mark[]): number {
  const character = text[at]!;
  if (position.quote && character !== position.quote) return stepQuoted(position, text, at);
  if (!position.quote && !endsValue(text.charCodeAt(at))) return stepUnquoted(position, text, at);
  if (isUrl(position)) marks.push({ at, opens: false });
  if (character === '>' && !position.quote) return endTag(position, at);
  position.state = 'before name';
  return at + 1;
}

function isUrl(position: Position): boolean {
  return URL_ATTRIBUTES.has(position.attribute);
}
