import { dirname } from 'node:path';
import { buildConsole, removeOldBuilds } from './build.ts';

/**
 * `node api/console/bundle.ts FOLDER` writes the console to that folder, for CONSOLE_BUNDLE. The API runs it in a process of its own, since
 * compressing keeps a processor busy for a second, and esbuild leaves memory behind.
 */
const [folder] = process.argv.slice(2);
if (!folder) {
  console.error('Give the folder that is to hold the console: node api/console/bundle.ts FOLDER');
  process.exit(1);
}
try {
  await buildConsole(folder);
  if (process.argv.includes('--tidy')) removeOldBuilds(dirname(folder));
} catch (error) {
  console.error((error as Error).message);
  process.exit(1);
}
