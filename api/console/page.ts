const BASE = '/console/assets';

/** The files to serve, written next to them as `manifest.json`. */
export interface Manifest {
  /** Names without their folder; each has a `.br` and a `.gz` next to it. */
  files: string[];
  script: string;
  style: string;
  /** Runs before the page is drawn. */
  first: string;
  /** Scripts that the first one imports. */
  chunks: string[];
  /** Scripts of each page, by its file: they are loaded when it is opened. */
  pages: Record<string, string[]>;
}

/** The page of every address under /console. The nonce is for style elements that CodeMirror makes. */
export function indexPage({ script, style, first, chunks }: Manifest, nonce: string): string {
  const preload = chunks.map((name) => `<link rel="modulepreload" href="${BASE}/${name}">\n`).join('');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<meta name="style-nonce" content="${nonce}">
<title>Everpost</title>
<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(ICON)}">
<script src="${BASE}/${first}"></script>
<link rel="stylesheet" href="${BASE}/${style}">
${preload}<script type="module" src="${BASE}/${script}"></script>
</head>
<body>
<div id="app"></div>
<noscript>The console of Everpost needs JavaScript.</noscript>
</body>
</html>
`;
}

const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><rect width="24" height="24" rx="6" fill="#18181b"/><path d="M7 16.5v-5.7L12 7l5 3.8v5.7M10 16.5V13h4v3.5" fill="none" stroke="#fff" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round"/></svg>';
