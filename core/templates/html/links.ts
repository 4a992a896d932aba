import { compile } from 'html-to-text';
import { Parser } from 'htmlparser2';
import { escapeHtml } from '../../base/text/html.ts';
import { withoutEnd } from '../../base/text/text-ends.ts';
import { type HtmlLink, scanHtml } from './scan.ts';

const TEXT_COLUMNS = 78;
/** The limit of the text part of a longer mail, in characters and elements of its HTML. */
const TEXT_INPUT_LENGTH_MAX = 250_000;
const TEXT_ELEMENTS_MAX = 10_000;
/** The reader of HTML takes quadratic time in the depth of open elements. */
const TEXT_OPEN_ELEMENTS_MAX = 1_000;
/** Links after this many are not tracked, since each takes a signature. */
const TRACKED_LINKS_MAX = 2_000;
/** The tracked link contains the address and is a third longer; servers and proxies refuse request lines of more than 8 kB. */
export const TRACKED_URL_BYTES_MAX = 5_000;

export interface Decoration {
  /** Plain text that mail programs show after the subject; it becomes the hidden first element. */
  previewText?: string | undefined;
  /** The address of the open pixel, which becomes the last element. */
  pixelUrl?: string | undefined;
  /** The tracked address of a link, or null to leave it. Called for http and https addresses of a and area, entities decoded. */
  rewriteLink?: ((url: string, number: number | undefined) => string | null) | undefined;
  /** The numbers of links, by the offsets at which their addresses begin. */
  numbers?: ReadonlyMap<number, number> | undefined;
  /** Of the mail itself: never rewritten, also with something behind them, so that unsubscribing works without tracking. */
  ownLinks?: readonly string[] | undefined;
}

/** Inserts the additions into the source: every other byte stays as it was written, however wrong the HTML is. */
export function decorateHtml(html: string, decoration: Decoration): string {
  const { previewText, pixelUrl, rewriteLink, ownLinks, numbers } = decoration;
  if (!previewText && !pixelUrl && !rewriteLink) return html;
  const { links, bodyStart, bodyEnd } = scanHtml(html);
  const edits: Edit[] = [];
  if (previewText) edits.push({ start: bodyStart, end: bodyStart, text: hidden(previewText) });
  for (const link of rewriteLink ? links.slice(0, TRACKED_LINKS_MAX) : []) {
    const url = trackableUrl(link);
    const isOwn = ownLinks?.some((own) => own !== '' && url?.startsWith(own));
    const tracked = url === null || isOwn ? null : rewriteLink!(url, numbers?.get(link.start));
    if (tracked !== null) edits.push({ start: link.start, end: link.end, text: attributeValue(tracked, link.quote) });
  }
  if (pixelUrl) edits.push({ start: bodyEnd, end: bodyEnd, text: pixel(pixelUrl) });
  return splice(html, edits);
}

/** The text part of a mail that was given without one: links kept, pictures dropped. */
export function htmlToText(html: string): string {
  return toText(html.slice(0, textInputEnd(html))).trim();
}

/** Where the text part ends: the same offset on every machine, whatever the HTML is. */
function textInputEnd(html: string): number {
  const input = html.slice(0, TEXT_INPUT_LENGTH_MAX);
  let elements = 0;
  let open = 0;
  let end = input.length;
  const parser = new Parser({
    onopentag() {
      if (++elements <= TEXT_ELEMENTS_MAX && ++open <= TEXT_OPEN_ELEMENTS_MAX) return;
      end = parser.startIndex;
      parser.pause();
    },
    onclosetag() {
      open--;
    },
  });
  parser.write(input);
  return end;
}

interface Edit {
  start: number;
  end: number;
  text: string;
}

function splice(html: string, edits: Edit[]): string {
  let result = '';
  let at = 0;
  for (const { start, end, text } of edits.toSorted((a, b) => a.start - b.start)) {
    result += html.slice(at, start) + text;
    at = end;
  }
  return result + html.slice(at);
}

/** A browser drops line breaks and tabs inside an address. An address that is too long or not valid is not tracked. */
function trackableUrl({ url, isTracked }: HtmlLink): string | null {
  const address = withoutEnd(url.replace(/[\t\n\r]/g, '').replace(/^ +/, ''), ' ');
  const isLink = /^https?:\/\/[^\s\\]+$/i.test(address) && !address.includes('{{') && URL.canParse(address);
  return isTracked && isLink && Buffer.byteLength(address) <= TRACKED_URL_BYTES_MAX ? address : null;
}

function attributeValue(url: string, quote: HtmlLink['quote']): string {
  const text = escapeHtml(url);
  return quote === '' ? `"${text}"` : text;
}

/** Without a tiny font or transparency, which spam filters count against a mail. */
function hidden(text: string): string {
  return `<div style="display:none;max-height:0;overflow:hidden;mso-hide:all">${escapeHtml(text)}</div>`;
}

function pixel(url: string): string {
  return `<img src="${escapeHtml(url)}" width="1" height="1" alt="" style="border:0;width:1px;height:1px">`;
}

const toText = compile({
  wordwrap: TEXT_COLUMNS,
  limits: { maxInputLength: TEXT_INPUT_LENGTH_MAX, maxDepth: 200, maxChildNodes: 10_000, ellipsis: '...' },
  selectors: [
    { selector: 'img', format: 'skip' },
    // Tables are for layout in mail: a cell becomes a line of its own, as on a small screen.
    { selector: 'td', format: 'block' },
    { selector: 'th', format: 'block' },
    { selector: 'a', options: { hideLinkHrefIfSameAsText: true, noAnchorUrl: true, linkBrackets: ['(', ')'] } },
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
  ],
});
