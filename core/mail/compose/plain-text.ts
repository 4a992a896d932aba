import { withoutEnd } from '../../base/text/text-ends.ts';
import { BoundedMap } from '../../base/work/cache.ts';
import { decorateHtml, htmlToText } from '../../templates/html/links.ts';
import { scanHtml } from '../../templates/html/scan.ts';
import { CLOSE, needsWhole, OPEN } from '../../templates/language/holes.ts';
import { renderTemplate, type Template, templateParts, type Variables } from '../../templates/language/templates.ts';

const HOLE = /\ue000(\d+)\ue001/;
const ONE_HOLE = /^\ue000(\d+)\ue001$/;

type Hole = (variables: Variables) => string;
interface PlainText {
  /** Text and holes in turn, text first. */
  pieces: string[];
  holes: Hole[];
}

/** A change of the links of a mail: null leaves one as it is. */
export interface LinkRewrite {
  /** The same for the same results. */
  key: string;
  link(url: string): string | null;
}

const REWRITES_KEPT_MAX = 20;
const NO_REWRITE: LinkRewrite = { key: '', link: () => null };
const PROBE = 'https://probe.invalid/unsubscribe';

const read = new WeakMap<Template, BoundedMap<string, PlainText | null>>();

/** The text part of a mail that was given without one. A template's HTML is read once; a recipient costs only the values. */
export function textOfHtml(
  template: Template,
  source: string,
  variables: Variables,
  rewrite: LinkRewrite = NO_REWRITE,
): string {
  const plain = readOnce(template, source, rewrite);
  if (plain === null) return htmlToText(rewritten(renderTemplate(template, variables), rewrite));
  const lines = fill(plain, variables).split('\n');
  return lines
    .map((line) => withoutEnd(line, ' '))
    .join('\n')
    .trim();
}

/** For a link without a target no address is written after its text. */
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

function readOnce(template: Template, source: string, rewrite: LinkRewrite): PlainText | null {
  const kept = read.get(template) ?? new BoundedMap<string, PlainText | null>(REWRITES_KEPT_MAX);
  read.set(template, kept);
  const known = kept.get(rewrite.key);
  if (known !== undefined) return known;
  const plain = readMarked(template, source, rewrite);
  kept.set(rewrite.key, plain);
  return plain;
}

function rewritten(html: string, { key, link }: LinkRewrite): string {
  return key === '' ? html : decorateHtml(html, { rewriteLink: link });
}

function readMarked(template: Template, source: string, rewrite: LinkRewrite): PlainText | null {
  if (needsWhole(source)) return null;
  const holes: Hole[] = [];
  const marked = templateParts(template)
    .map((part) => (typeof part === 'string' ? part : `${OPEN}${holes.push(part) - 1}${CLOSE}`))
    .join('');
  if (maySayItself(marked) || (rewrite.key !== '' && dependsOnValues(marked, holes))) return null;
  return { pieces: htmlToText(rewritten(marked, rewrite)).split(HOLE), holes };
}

/** Whether the address of a link, other than that to unsubscribe, has values in it. */
function dependsOnValues(marked: string, holes: readonly Hole[]): boolean {
  const isUnsubscribe = (url: string) => {
    const index = ONE_HOLE.exec(url)?.[1];
    return index !== undefined && holes[Number(index)]!({ unsubscribe: PROBE }) === PROBE;
  };
  return scanHtml(marked).links.some(({ url }) => url.includes(OPEN) && !isUnsubscribe(url));
}

/** A link whose text is its own address is written once; whether it is depends on the values. */
function maySayItself(marked: string): boolean {
  return scanHtml(marked).links.some(({ url, end }) => {
    if (!url.includes(OPEN)) return false;
    const textStart = marked.indexOf('>', end);
    const textEnd = marked.indexOf('<', textStart);
    return marked.slice(textStart, textEnd < 0 ? marked.length : textEnd).includes(OPEN);
  });
}

const ENTITIES: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"' };

/** The text that a reader of HTML would show: entities become characters, white space becomes one space. */
function plainValue(html: string): string {
  return html
    .replace(/&(?:#(\d+)|amp|lt|gt|quot);/g, (entity, code) => ENTITIES[entity] ?? String.fromCodePoint(Number(code)))
    .replace(/[ \t\r\n]+/g, ' ');
}
