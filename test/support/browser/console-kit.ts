import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'esbuild';
import { buildConsole, removeOldBuilds } from '../../../api/console/build.ts';
import { sourceHash } from '../../../api/console/source-hash.ts';
import { sources } from '../sources.ts';
import { consoleDir } from './console.ts';

const root = join(import.meta.dirname, '../../..');
const KIT = 'test/console/kit';

/** Gives the console of tests the page `/kit`, which shows every part once; the product has no such page. */
const withKit: Plugin = {
  name: 'kit',
  setup(build) {
    const path = join(root, KIT, 'routes.ts');
    build.onResolve({ filter: /\/routes\.ts$/ }, ({ importer }) => (importer === path ? undefined : { path }));
  },
};

/** For `useConsole`. The bundle is kept between runs, by the hash of its sources. */
export async function bundleWithKit(): Promise<{ CONSOLE_BUNDLE: string }> {
  const hash = createHash('sha256').update(await sourceHash());
  for (const file of [import.meta.filename, ...sources(KIT).map((name) => join(root, name))].sort())
    hash.update(readFileSync(file)).update('\0');
  const folder = join(consoleDir, 'kit', hash.digest('hex').slice(0, 16));
  if (!existsSync(join(folder, 'manifest.json'))) await buildConsole(folder, [withKit]);
  removeOldBuilds(join(consoleDir, 'kit'));
  return { CONSOLE_BUNDLE: folder };
}
