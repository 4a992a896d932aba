import { escapeHtml } from '../../core/base/text/html.ts';
import type { Config } from '../../schemas/config.ts';
import { Page } from '../http/endpoint.ts';

const TEXT_STYLE = 'body{margin:16px;font:14px/1.5 ui-monospace,monospace;white-space:pre-wrap;overflow-wrap:anywhere}';

type Addresses = Pick<Config, 'publicUrl'>;

/** HTML of a tenant or a stranger: no script, no form, no frame, and no part in the origin of this service. */
export function previewPage(config: Addresses, html: string, { withPictures }: { withPictures: boolean }): Page {
  return new Page(200, headersOf(config, withPictures), withoutTracking(config, html));
}

export function textPreview(config: Addresses, text: string): Page {
  return new Page(200, headersOf(config, false), textAsHtml(text));
}

/** The language of the text is not known: und. */
export function textAsHtml(text: string): string {
  const head =
    '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Text</title>';
  return `<!doctype html><html lang="und">${head}<style>${TEXT_STYLE}</style>${escapeHtml(text)}`;
}

export function previewIsOver(config: Addresses): Page {
  const { headers, content } = textPreview(config, 'This preview has expired. Open it again.');
  return new Page(404, headers, content);
}

/**
 * Mail programs load pictures of http addresses. A console under https upgrades those to https by itself; under http, which is for
 * development, they and our own are named.
 */
function headersOf({ publicUrl }: Addresses, withPictures: boolean): Record<string, string> {
  const pictures = publicUrl.startsWith('http:') ? 'https: data: http:' : 'https: data:';
  const policy = [
    'sandbox',
    "default-src 'none'",
    "style-src 'unsafe-inline'",
    `img-src ${withPictures ? pictures : 'data:'}`,
    "frame-ancestors 'self'",
    "base-uri 'none'",
    "form-action 'none'",
  ];
  return {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': policy.join('; '),
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    'X-DNS-Prefetch-Control': 'off',
    'X-Robots-Tag': 'noindex',
    'Cross-Origin-Resource-Policy': 'same-origin',
  };
}

/** A reply quotes our mail with its pixel and its links: a person who looks at the reply neither opens nor clicks that mail. */
function withoutTracking({ publicUrl }: Addresses, html: string): string {
  const { host, pathname } = new URL(publicUrl);
  const own = `//${host}${pathname.replace(/\/$/, '')}/t/`;
  return html.replaceAll(own, '//preview.invalid/t/');
}
