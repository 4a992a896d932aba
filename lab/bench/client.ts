import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { report } from '../rig/report.ts';

/** The size of the client: as npm packs it, and as a page would load it (each module minified, then all compressed); and the time of its import. */
const root = join(import.meta.dirname, '../..');
const client = join(root, 'client');
const program = (name: string) => join(root, 'node_modules/.bin', name);
const run = (file: string, ...args: string[]) => execFileSync(file, args, { cwd: client, encoding: 'utf8' });

const { values: asked } = parseArgs({ options: { rounds: { type: 'string', default: '11' } } });
const rounds = Array.from({ length: Number(asked.rounds) });
const folder = mkdtempSync(join(tmpdir(), 'everpost-client-'));
try {
  run('npm', 'pack', '--loglevel=error', '--pack-destination', folder);
  const [tarball = ''] = readdirSync(folder);
  const modules = readdirSync(join(client, 'dist'), { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.js') && !name.startsWith('cli/'),
  );
  const minified = modules.map((name) => run(program('terser'), join('dist', name), '--module', '-c', '-m')).join('');
  const kilobytes = (bytes: number) => [Math.round(bytes / 10) / 100];
  report('client', [
    {
      name: 'The package as npm packs it, with declarations and command',
      unit: 'kB',
      values: kilobytes(statSync(join(folder, tarball)).size),
    },
    { name: 'The client without its command, minified', unit: 'kB', values: kilobytes(Buffer.byteLength(minified)) },
    { name: 'The same, gzip', unit: 'kB', values: kilobytes(gzipSync(minified, { level: 9 }).length) },
    { name: 'The same, brotli', unit: 'kB', values: kilobytes(brotliCompressSync(minified).length) },
    { name: 'import of the client in a new process of Node', unit: 'ms', values: rounds.map(importMs) },
  ]);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function importMs(): number {
  const url = pathToFileURL(join(client, 'dist/index.js')).href;
  const script = `const began = performance.now(); await import('${url}'); console.log(performance.now() - began);`;
  return Number(run(process.execPath, '--input-type=module', '-e', script));
}
