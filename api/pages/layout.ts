import { escapeHtml } from '../../core/base/text/html.ts';
import type { Texts } from '../../core/base/text/languages/index.ts';
import { type Look, PAPER } from '../../core/base/text/look.ts';
import { Page } from '../http/endpoint.ts';

interface PageParts {
  /** Of the answer; 200 when left out. */
  status?: number;
  texts: Texts;
  look: Look;
  /** Plain text. */
  title: string;
  /** HTML. */
  body: string;
  /** Origins whose pages may show this one in a frame. */
  frameAncestors?: readonly string[];
  /** Origins that the answer to a form of this page may redirect to. */
  formTargets?: readonly string[];
  /** In addition to those of each page, or instead. */
  headers?: Record<string, string>;
}

/**
 * A page for the public: no script, and of other servers at most the logo. For bodies there are, besides plain HTML: `.field` with a
 * label and an input, `.check` with a label around both, `.error`, `.note`, `.quiet` buttons, and `.trap`, which no person sees.
 */
export function page({
  status = 200,
  texts,
  look,
  title,
  body,
  frameAncestors = [],
  formTargets = [],
  headers = {},
}: PageParts): Page {
  const { name, logoUrl, postalAddress } = look;
  const whole = name === null ? title : `${title} – ${name}`;
  const content = `<!doctype html>
<html lang="${texts.tag}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<title>${escapeHtml(whole)}</title>
<style>${colours(look)}${STYLE}</style>
</head>
<body>
<main>
${header(name, logoUrl)}${body}
</main>
${postalAddress === null ? '' : `<footer><address>${escapeHtml(postalAddress)}</address></footer>\n`}</body>
</html>
`;
  const policy = [
    "default-src 'none'",
    "style-src 'unsafe-inline'",
    ...(logoUrl === null ? [] : [`img-src ${new URL(logoUrl).origin}`]),
    `form-action ${["'self'", ...formTargets].join(' ')}`,
    `frame-ancestors ${frameAncestors.length === 0 ? "'none'" : frameAncestors.join(' ')}`,
    "base-uri 'none'",
  ];
  return new Page(status, { ...pageHeaders, 'Content-Security-Policy': policy.join('; '), ...headers }, content);
}

function header(name: string | null, logoUrl: string | null): string {
  if (name === null) return '';
  const shown =
    logoUrl === null
      ? escapeHtml(name)
      : `<img src="${escapeHtml(logoUrl)}" alt="${escapeHtml(name)}" referrerpolicy="no-referrer">`;
  return `<p class="from">${shown}</p>\n`;
}

function colours({ button, onButton, accent }: Look): string {
  return `
:root { --button: ${button}; --on-button: ${onButton}; --accent: ${accent.light}; }
@media (prefers-color-scheme: dark) { :root { --accent: ${accent.dark}; } }`;
}

export const pageHeaders = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Robots-Tag': 'noindex',
};

const STYLE = `
:root { color-scheme: light dark; --ink: #1c2430; --soft: #586274; --paper: ${PAPER.light}; --card: #ffffff; --line: #d9dde4; --edge: #6b7585; --wrong: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8ebf1; --soft: #a4adbd; --paper: #12161d; --card: ${PAPER.dark}; --line: #333c4a; --edge: #8993a4; --wrong: #ffb4ab; } }
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: flex; flex-direction: column; align-items: center; justify-content: center; padding: 24px 16px; background: var(--paper); color: var(--ink); font: 17px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
main { width: 100%; max-width: 30rem; background: var(--card); border: 1px solid var(--line); border-radius: 14px; padding: clamp(20px, 6vw, 32px); }
.from { margin: 0 0 20px; color: var(--soft); font-size: .95rem; overflow-wrap: anywhere; }
.from img { display: block; max-width: 100%; max-height: 56px; }
h1 { margin: 0 0 12px; font-size: 1.5rem; line-height: 1.25; overflow-wrap: anywhere; }
h2 { margin: 28px 0 8px; font-size: 1.1rem; line-height: 1.3; }
p { margin: 0 0 16px; overflow-wrap: anywhere; }
p:last-child { margin-bottom: 0; }
a { color: var(--accent); }
form { margin: 24px 0 0; }
fieldset { margin: 0 0 16px; border: 0; padding: 0; min-width: 0; }
legend { padding: 0; font-weight: 600; }
.field { margin: 0 0 16px; }
.field label { display: block; margin: 0 0 4px; font-weight: 600; }
.field input, .field select, .field textarea { font: inherit; width: 100%; min-height: 44px; padding: 8px 12px; border: 1px solid var(--edge); border-radius: 8px; background: var(--card); color: var(--ink); }
.check { display: flex; gap: 12px; align-items: flex-start; margin: 0 0 12px; padding: 4px 0; }
.check input { flex: none; width: 22px; height: 22px; margin: 2px 0 0; accent-color: var(--accent); }
.check span { min-width: 0; overflow-wrap: anywhere; }
button { font: inherit; font-weight: 600; min-height: 48px; width: 100%; padding: 10px 20px; border-radius: 10px; border: 2px solid var(--accent); background: var(--button); color: var(--on-button); cursor: pointer; }
button.quiet { background: transparent; color: var(--accent); }
:is(a, button, input, select, textarea):focus-visible { outline: 3px solid var(--ink); outline-offset: 2px; }
.note { color: var(--soft); font-size: .95rem; margin: 16px 0 0; }
.error { color: var(--wrong); font-weight: 600; }
.trap { position: absolute; left: -9999px; width: 1px; height: 1px; overflow: hidden; }
footer { width: 100%; max-width: 30rem; padding: 16px 4px 0; color: var(--soft); font-size: .85rem; text-align: center; }
address { font-style: normal; white-space: pre-line; overflow-wrap: anywhere; }
@media (prefers-color-scheme: dark) { .from img { background: #ffffff; color: #586274; border-radius: 8px; padding: 6px; } }
`;
