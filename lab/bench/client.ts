import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { buildSync } from 'esbuild';
import { keep } from './run.ts';

/** The size of the client: as npm packs it, and as a page would load it (bundled and minified by esbuild); and the time of its import. */
const root = join(import.meta.dirname, '../..');
const client = join(root, 'client');
const run = (file: string, ...args: string[]) => execFileSync(file, args, { cwd: client, encoding: 'utf8' });

const ROUNDS = 11;
const folder = mkdtempSync(join(tmpdir(), 'everpost-client-'));
try {
  run('npm', 'pack', '--loglevel=error', '--pack-destination', folder);
  const [tarball = ''] = readdirSync(folder);
  const entry = join(client, 'dist/index.js');
  const bundle = { bundle: true, minify: true, format: 'esm', platform: 'browser', write: false } as const;
  const [built] = buildSync({ ...bundle, entryPoints: [entry] }).outputFiles;
  const minified = built?.contents ?? new Uint8Array();
  const kilobytes = (bytes: number) => [Math.round(bytes / 10) / 100];
  keep('client', [
    {
      name: 'The package as npm packs it, with declarations and command',
      unit: 'kB',
      values: kilobytes(statSync(join(folder, tarball)).size),
    },
    { name: 'The client without its command, minified', unit: 'kB', values: kilobytes(minified.length) },
    { name: 'The same, gzip', unit: 'kB', values: kilobytes(gzipSync(minified, { level: 9 }).length) },
    { name: 'The same, brotli', unit: 'kB', values: kilobytes(brotliCompressSync(minified).length) },
    {
      name: 'import of the client in a new process of Node',
      unit: 'ms',
      values: Array.from({ length: ROUNDS }, importMs),
    },
  ]);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function importMs(): number {
  const url = pathToFileURL(join(client, 'dist/index.js')).href;
  const script = `const began = performance.now(); await import('${url}'); console.log(performance.now() - began);`;
  return Number(run(process.execPath, '--input-type=module', '-e', script));
}
