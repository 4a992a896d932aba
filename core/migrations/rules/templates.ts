import { withoutEnd } from '../../base/text/text-ends.ts';

/** Things that a person must check before a migrated template is sent. */
interface Review {
  /** Contains syntax that this service may render differently from the source. */
  isFlagged: boolean;
  notes: string[];
}

const TAG_NAME = /\{\{\s*(\w+)/g;
const URL_IN_HTML = /(?:https?:)?\/\/[^\s"'<>()\\]+/gi;

/** Provider B itself has no loops, so a loop there was never rendered: it is flagged. */
export function reviewB(html: string, subject: string | null): Review {
  const text = `${subject ?? ''}\n${html}`;
  const isFlagged = /\{\{\s*#each\b/.test(text);
  const notes = isFlagged ? ['contains #each: check by hand that the loop renders as you mean it'] : [];
  const used = new Set([...text.matchAll(TAG_NAME)].map(([, name]) => name));
  for (const [theirs, ours] of reservedB) if (used.has(theirs)) notes.push(`uses ${theirs}, which is ${ours} here`);
  if (/\{\{\{?\s*[\w.]+\s*\|/.test(text)) notes.push('uses a fallback with |, which is not known here');
  return { isFlagged, notes };
}

const reservedB: [string, string][] = [
  ['RESEND_UNSUBSCRIBE_URL', '{{unsubscribe}}'],
  ['UNSUBSCRIBE_URL', '{{unsubscribe}}'],
  ['FIRST_NAME', '{{firstName}}'],
  ['LAST_NAME', '{{lastName}}'],
  ['EMAIL', '{{email}}'],
];

/** Provider A's dynamic templates have our syntax; the tags of its legacy ones have no meaning here. */
export function reviewA(html: string, subject: string | null): Review {
  const text = `${subject ?? ''}\n${html}`;
  const notes: string[] = [];
  if (/<%\s*\w+\s*%>/.test(text)) notes.push('uses <% %> tags of a legacy template, which are not filled in here');
  if (/\{\{\{?\s*unsubscribe_preferences\s*\}?\}\}|\[Unsubscribe\]|asm_(group|preferences)/i.test(text))
    notes.push('uses an unsubscribe tag of the source, which is {{unsubscribe}} here');
  return { isFlagged: false, notes };
}

/** All picture URLs on the given hosts, as they are written in the HTML: in src, srcset and styles, with http, https or no scheme. */
export function imageUrls(html: string, hosts: readonly string[]): string[] {
  const found = new Set<string>();
  for (const [text] of html.matchAll(URL_IN_HTML)) {
    const url = urlIn(text);
    if (isOnHost(url, hosts)) found.add(url);
  }
  return [...found];
}

/** Without the surrounding punctuation, and without the text after an escaped quote. */
function urlIn(text: string): string {
  const quote = text.indexOf('&quot;');
  return withoutEnd(quote < 0 ? text : text.slice(0, quote), ',;.');
}

/** The whole host of the parsed URL: a host that only begins or ends like a given one is another host. */
function isOnHost(text: string, hosts: readonly string[]): boolean {
  const url = URL.parse(fetchableUrl(text));
  if (url === null || url.username || url.password) return false;
  return hosts.some((host) => host.toLowerCase() === url.host || host.toLowerCase() === url.hostname);
}

/** The URL as a browser would read the attribute. */
export function fetchableUrl(text: string): string {
  const url = text.replaceAll('&amp;', '&');
  return url.startsWith('//') ? `https:${url}` : url;
}

export function replaceUrls(html: string, replacements: ReadonlyMap<string, string>): string {
  return html.replaceAll(URL_IN_HTML, (text) => {
    const url = urlIn(text);
    return (replacements.get(url) ?? url) + text.slice(url.length);
  });
}
