import { htmlToText } from './rules/html.ts';
import { renderTemplate, type Template, templateParts, type Variables } from './rules/templates.ts';

/** A hole travels through the HTML as its number between two characters that nobody writes. */
const OPEN = '\ue000';
const CLOSE = '\ue001';
const HOLE = /\ue000(\d+)\ue001/;
/** Blocks and unescaped values may hold markup of their own, so that every recipient's HTML has to be read. */
const NEEDS_WHOLE = /\{\{\{|\{\{[#^&]|[\ue000\ue001]/;

type Hole = (variables: Variables) => string;
interface PlainText {
  /** Text and holes in turn, text first. */
  pieces: string[];
  holes: Hole[];
}

const read = new WeakMap<Template, PlainText | null>();

/** A link that says its own address is written once, which is not known before the values are. */
const MAY_SAY_ITSELF = /<a\b[^>]*\ue000[^>]*>[^<]*\ue000/i;

/** The text part of a mail that came without one. A template's HTML is read once; a recipient costs only the values. */
export function textOfHtml(template: Template, source: string, variables: Variables): string {
  const known = read.get(template);
  const plain = known === undefined ? readOnce(template, source) : known;
  if (known === undefined) read.set(template, plain);
  if (plain === null) return htmlToText(renderTemplate(template, variables));
  return fill(plain, variables).replace(/ +$/gm, '').trim();
}

/** A link that leads nowhere has no address beside its text. */
function fill({ pieces, holes }: PlainText, variables: Variables): string {
  let text = pieces[0]!;
  for (let index = 1; index < pieces.length; index += 2) {
    const value = plainValue(holes[Number(pieces[index])]!(variables));
    const next = pieces[index + 1]!;
    const isNowhere = (value === '' || value === '#') && /\s\($/.test(text) && next.startsWith(')');
    text = isNowhere ? text.slice(0, -2) + next.slice(1) : text + value + next;
  }
  return text;
}

function readOnce(template: Template, source: string): PlainText | null {
  if (NEEDS_WHOLE.test(source)) return null;
  const holes: Hole[] = [];
  const marked = templateParts(template)
    .map((part) => (typeof part === 'string' ? part : `${OPEN}${holes.push(part) - 1}${CLOSE}`))
    .join('');
  return MAY_SAY_ITSELF.test(marked) ? null : { pieces: htmlToText(marked).split(HOLE), holes };
}

const ENTITIES: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"' };

/** What the reader of HTML would have made of it: entities are characters again, white space is one space. */
function plainValue(html: string): string {
  return html
    .replace(/&(?:#(\d+)|amp|lt|gt|quot);/g, (entity, code) => ENTITIES[entity] ?? String.fromCodePoint(Number(code)))
    .replace(/[ \t\r\n]+/g, ' ');
}
