import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { Context, Next } from 'koa';
import { unavailable } from '../../core/base/errors.ts';
import { FOR_EVER } from '../http/header-values.ts';
import type { ConsoleFiles, OpenedConsole } from './files.ts';
import { indexPage } from './page.ts';

const ASSETS = '/console/assets/';
const types: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};
const encodings = [
  { name: 'br', ending: '.br' },
  { name: 'gzip', ending: '.gz' },
] as const;

/** The pages of the console under /console, and the way on from the root. Everything else passes. */
export function serveConsole(opened: OpenedConsole) {
  return async (context: Context, next: Next): Promise<void> => {
    const { path, method } = context;
    if (method !== 'GET' && method !== 'HEAD') return next();
    if (path === '/') return leadOn(context);
    if (path !== '/console' && !path.startsWith('/console/')) return next();
    context.state.route = '/console';
    const files = await opened;
    if (!files) throw unavailable('The console could not be bundled when this server started; its log says why.');
    if (!path.startsWith(ASSETS)) return respondPage(context, files);
    const name = path.slice(ASSETS.length);
    // Only names of the manifest are joined to a path.
    return files.names.has(name) ? respondFile(context, files, name) : next();
  };
}

/** A browser goes to the console; a program gets the paths of everything else. */
function leadOn(context: Context): void {
  context.vary('Accept');
  context.state.route = '/';
  context.set('Cache-Control', 'no-store');
  if (context.get('Accept').includes('text/html')) context.redirect('/console');
  else context.body = { success: true, data: { api: '/v1', docs: '/docs', console: '/console' } };
}

function respondPage(context: Context, { manifest }: ConsoleFiles): void {
  const nonce = randomBytes(16).toString('base64url');
  context.set({
    'Content-Type': 'text/html; charset=utf-8',
    'Cache-Control': 'no-store',
    'Content-Security-Policy': [
      "default-src 'self'",
      `style-src 'self' 'nonce-${nonce}'`,
      "img-src 'self' data:",
      "object-src 'none'",
      "base-uri 'none'",
      "form-action 'self'",
      "frame-ancestors 'none'",
    ].join('; '),
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Referrer-Policy': 'same-origin',
    'X-Content-Type-Options': 'nosniff',
  });
  context.body = indexPage(manifest, nonce);
}

async function respondFile(context: Context, { folder }: ConsoleFiles, name: string): Promise<void> {
  const encoding = encodings.find(({ name: one }) => context.acceptsEncodings(one) === one);
  context.set({
    'Content-Type': types[extname(name)] ?? 'application/octet-stream',
    'Cache-Control': FOR_EVER,
    'X-Content-Type-Options': 'nosniff',
    Vary: 'Accept-Encoding',
    ...(encoding ? { 'Content-Encoding': encoding.name } : {}),
  });
  context.body = await readFile(join(folder, name + (encoding?.ending ?? '')));
}
