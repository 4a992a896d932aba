import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');
export const tsc = join(root, 'node_modules/.bin/tsc');

/** The client as JavaScript, in a folder of its own until the end of the suite. */
export function useBuiltClient(): { folder: string; command: string } {
  const built = { folder: '', command: '' };
  before(function () {
    this.timeout(60_000);
    built.folder = mkdtempSync(join(tmpdir(), 'everpost-client-'));
    built.command = join(built.folder, 'cli/main.js');
    execFileSync(tsc, ['-p', join(root, 'client'), '--outDir', built.folder, '--declaration', 'false']);
    writeFileSync(join(built.folder, 'package.json'), '{"type":"module"}');
  });
  after(() => rmSync(built.folder, { recursive: true, force: true }));
  return built;
}
