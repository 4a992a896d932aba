import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../stack/temporary.ts';

const root = join(import.meta.dirname, '../..');
export const tsc = join(root, 'node_modules/.bin/tsc');

/** The client as JavaScript, in a folder of its own until the end of the suite. */
export function useBuiltClient(): { command: string } {
  const folder = temporaryFolder();
  const built = { command: '' };
  before(function () {
    this.timeout(60_000);
    built.command = join(folder(), 'cli/main.js');
    execFileSync(tsc, ['-p', join(root, 'client'), '--outDir', folder()]);
    writeFileSync(join(folder(), 'package.json'), '{"type":"module"}');
  });
  return built;
}
