import { withoutEnd } from '../../core/base/text/text-ends.ts';
import type { RenderedMail } from '../../core/mail/compose/render.ts';
import type { Config } from '../../schemas/config.ts';
import { Page } from '../http/endpoint.ts';
import { pageHeaders } from './layout.ts';
import { textAsHtml } from './preview.ts';

type Addresses = Pick<Config, 'publicUrl'>;

const POLICY = "sandbox allow-popups; default-src 'none'; style-src 'unsafe-inline'; img-src https: data:";
const HEADERS = { ...pageHeaders, 'Content-Security-Policy': POLICY, 'X-DNS-Prefetch-Control': 'off' };

/** Links of a person or of a mail. The token is as long as ours at least, so that other pages under the same name keep theirs. */
const OF_A_PERSON = /^(?:u|p|v|d|t\/o|t\/c|f\/confirm|previews|sign-in)\/[\w-]{22}[^\s"'<>()]*/;

/** A mail for everybody who has its address; null when it has no content. */
export function viewPage(config: Addresses, { html, text }: Pick<RenderedMail, 'html' | 'text'>): Page | null {
  const shown = html ?? (text === null ? null : textAsHtml(text));
  return shown === null ? null : new Page(200, HEADERS, withoutOwnLinks(config, shown));
}

/** Links that came with the data of the mail lead to the top of the page, as those that the template names do. */
function withoutOwnLinks({ publicUrl }: Addresses, html: string): string {
  const { host, pathname } = new URL(publicUrl);
  const own = `//${host}${withoutEnd(pathname, '/')}/`;
  const [first = '', ...rest] = html.split(own);
  const shown = [first];
  for (const piece of rest) {
    const link = OF_A_PERSON.exec(piece)?.[0];
    if (link === undefined) shown.push(own, piece);
    else shown.push(withoutScheme(shown.pop() ?? ''), '#', piece.slice(link.length));
  }
  return shown.join('');
}

function withoutScheme(text: string): string {
  const scheme = ['https:', 'http:'].find((one) => text.endsWith(one));
  return scheme === undefined ? text : text.slice(0, -scheme.length);
}
