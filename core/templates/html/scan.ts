import { decodeHTMLAttribute } from 'entities';
import { QuoteType, Tokenizer, type TokenizerCallbacks } from 'htmlparser2';

export interface HtmlLink {
  /** The offset of href's value in the source, without its quotes. */
  start: number;
  end: number;
  quote: '"' | "'" | '';
  /** The value with its entities decoded. */
  url: string;
  /** False for a link with data-no-track. */
  isTracked: boolean;
}

/** A longer address is left as it is: to decode a megabyte takes longer than 50 ms. */
const ADDRESS_LENGTH_MAX = 64 * 1024;

interface HtmlScan {
  links: HtmlLink[];
  /** Where the first and the last element of the body can be inserted. */
  bodyStart: number;
  bodyEnd: number;
}

/** Reads HTML as a browser does, comments and scripts skipped, and records offsets. */
export function scanHtml(html: string): HtmlScan {
  const links: HtmlLink[] = [];
  /** From the weakest to the strongest sign of where the body begins: doctype, html, end of head, body. */
  const starts: Partial<Record<'doctype' | 'html' | 'head' | 'body', number>> = {};
  const ends: { body?: number; html?: number } = {};
  let tag = '';
  let link: HtmlLink | null = null;
  let isTracked = true;
  let name = '';
  let valueStart = -1;

  const endTag = (end: number) => {
    if (link) links.push({ ...link, isTracked });
    if (tag === 'html' || tag === 'body') starts[tag] ??= end + 1;
    link = null;
  };
  const callbacks: TokenizerCallbacks = {
    onopentagname(start, end) {
      tag = html.slice(start, end).toLowerCase();
      isTracked = true;
    },
    onattribname(start, end) {
      name = html.slice(start, end).toLowerCase();
      valueStart = -1;
    },
    onattribdata(start) {
      valueStart = start;
    },
    onattribentity() {},
    onattribend(type, end) {
      if (name === 'data-no-track') isTracked = false;
      if (name !== 'href' || link || (tag !== 'a' && tag !== 'area') || type === QuoteType.NoValue) return;
      const quote = QUOTES[type];
      const address = { start: valueStart, end: end - quote.length };
      if (address.end - address.start > ADDRESS_LENGTH_MAX) return;
      link = { ...address, quote, url: decodeHTMLAttribute(html.slice(address.start, address.end)), isTracked };
    },
    onopentagend: endTag,
    onselfclosingtag: endTag,
    onclosetag(start, end) {
      const closed = html.slice(start, end).toLowerCase();
      if (closed === 'head') starts.head ??= html.indexOf('>', end) + 1;
      // Only the last end tag ends the body; browsers continue after an early one.
      if (closed === 'body' || closed === 'html') ends[closed] = html.lastIndexOf('<', start);
    },
    ondeclaration(_start, end) {
      starts.doctype ??= end + 1;
    },
    oncomment() {},
    oncdata() {},
    onend() {},
    onprocessinginstruction() {},
    ontext() {},
    ontextentity() {},
  };
  const tokenizer = new Tokenizer({ decodeEntities: false }, callbacks);
  tokenizer.write(html);
  tokenizer.end();
  const bodyStart = starts.body ?? starts.head ?? starts.html ?? starts.doctype ?? 0;
  const end = ends.body ?? ends.html ?? html.length;
  return { links, bodyStart, bodyEnd: end < bodyStart ? html.length : end };
}

const QUOTES = {
  [QuoteType.Double]: '"',
  [QuoteType.Single]: "'",
  [QuoteType.Unquoted]: '',
  [QuoteType.NoValue]: '',
} as const;
