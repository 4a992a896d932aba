import { escapeHtml } from '../../core/base/text/html.ts';

const STYLE = `
:root { color-scheme: light dark; --ink: #1c2430; --soft: #586274; --paper: #f4f5f7; --card: #ffffff; --line: #d9dde4; --action: #1d4fd8; --on-action: #ffffff; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8ebf1; --soft: #a4adbd; --paper: #12161d; --card: #1b212b; --line: #333c4a; --action: #8fb1ff; --on-action: #0d1526; } }
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 24px 16px; background: var(--paper); color: var(--ink); font: 17px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
main { width: 100%; max-width: 30rem; background: var(--card); border: 1px solid var(--line); border-radius: 14px; padding: 32px; }
.from { margin: 0 0 20px; color: var(--soft); font-size: .95rem; overflow-wrap: anywhere; }
h1 { margin: 0 0 12px; font-size: 1.5rem; line-height: 1.25; }
p { margin: 0 0 16px; overflow-wrap: anywhere; }
p:last-child { margin-bottom: 0; }
form { margin: 24px 0 0; }
button { font: inherit; font-weight: 600; min-height: 48px; width: 100%; padding: 10px 20px; border-radius: 10px; border: 2px solid var(--action); background: var(--action); color: var(--on-action); cursor: pointer; }
button.quiet { background: transparent; color: var(--action); }
button:focus-visible { outline: 3px solid var(--ink); outline-offset: 3px; }
.note { color: var(--soft); font-size: .95rem; margin: 16px 0 0; }
`;

/** A self-contained page: no script and no external resource. */
export function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`;
}

export const pageHeaders = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
  'Content-Security-Policy':
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Robots-Tag': 'noindex',
};
