import { escapeHtml } from '../../base/text/html.ts';

/** The context of a value in the result. Only addresses have a syntax of their own: mail programs run no scripts. */
export type Place = 'text' | 'bare' | 'url' | 'query' | 'plain' | 'line';

export type Escape = (text: string) => string;

/** `raw` is `{{{value}}}`: HTML that the sender vouches for. */
export function escapeFor(place: Place, raw: boolean): Escape {
  switch (place) {
    case 'text':
      return raw ? (text) => text : escapeText;
    case 'bare':
      return raw ? (text) => text : escapeBare;
    case 'url':
      return raw ? (text) => encodeUrl(text) : (text) => encodeUrl(text).replace(/&/g, '&amp;');
    case 'query':
      return encodeQuery;
    case 'plain':
      return (text) => text.replace(/\r\n?/g, '\n').replace(CONTROLS, '');
    case 'line':
      return (text) => text.replace(LINE_CONTROLS, '');
  }
}

/** True for a rendered address of a link or picture that runs no code: relative, or of a scheme used in mail. */
export function isSafeUrl(rendered: string): boolean {
  const start = /^[^/?#]*/.exec(rendered)![0];
  // An entity here could encode a colon.
  return !/[:&]/.test(start) || /^\s*(https?|mailto|tel|sms|cid):/i.test(start);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out.
const CONTROLS = /[\0-\x08\x0b-\x1f\x7f]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out.
const LINE_CONTROLS = /[\0-\x1f\x7f-\x9f\u2028\u2029]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: a text without any of these stays as it is.
const NOT_PLAIN_HTML = /[&<>"'\0-\x08\x0b\x0c\x0e-\x1f\x7f]/;

function escapeText(text: string): string {
  if (!NOT_PLAIN_HTML.test(text)) return text;
  return escapeHtml(text.replace(CONTROLS, ''));
}

/** Without quotes a space would begin the next attribute. */
function escapeBare(text: string): string {
  return text.replace(/[\0-\x20"'`=<>&/\x7f-\xa0]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Encodes only characters that no URL may contain; a URL stays byte for byte. */
function encodeUrl(text: string): string {
  return text.trim().replace(/%(?![0-9A-Fa-f]{2})|[^A-Za-z0-9\-._~:/?#[\]@!$&()*+,;=%]+/g, percent);
}

/** After "?name=" a value is one value: what would end it is encoded too, unless it came encoded. */
function encodeQuery(text: string): string {
  return text.replace(/%(?![0-9A-Fa-f]{2})|[^A-Za-z0-9\-._~%]+/g, percent);
}

function percent(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
