import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { buildSync } from 'esbuild';
import { figure } from '../rig/results/report.ts';
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
  const packed = statSync(join(folder, tarball));
  const entry = join(client, 'dist/index.js');
  const bundle = { bundle: true, minify: true, format: 'esm', platform: 'browser', write: false } as const;
  const [built] = buildSync({ ...bundle, entryPoints: [entry] }).outputFiles;
  const minified = built?.contents ?? new Uint8Array();
  const kilobytes = (bytes: number) => [Math.round(bytes / 10) / 100];
  keep('client', [
    figure('The package as npm packs it, with declarations and command', 'kB', kilobytes(packed.size)),
    figure('The client without its command, minified', 'kB', kilobytes(minified.length)),
    figure('The same, gzip', 'kB', kilobytes(gzipSync(minified, { level: 9 }).length)),
    figure('The same, brotli', 'kB', kilobytes(brotliCompressSync(minified).length)),
    figure('import of the client in a new process of Node', 'ms', Array.from({ length: ROUNDS }, importMs)),
  ]);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function importMs(): number {
  const url = pathToFileURL(join(client, 'dist/index.js')).href;
  const script = `const began = performance.now(); await import('${url}'); console.log(performance.now() - began);`;
  return Number(run(process.execPath, '--input-type=module', '-e', script));
}
