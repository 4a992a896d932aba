import { createHash } from 'node:crypto';
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** A hash of everything that the bundle is made of: our sources, the client, and the versions of packages. */
export async function sourceHash(): Promise<string> {
  const files = ['package-lock.json', 'api/console/build.ts'];
  for await (const file of glob(['console/**/*.{ts,tsx,css}', 'client/*.ts', 'client/calls/*.ts'], { cwd: root }))
    files.push(file);
  const contents = await Promise.all(files.sort().map((file) => readFile(join(root, file))));
  const hash = createHash('sha256');
  for (const [index, content] of contents.entries()) hash.update(`${files[index]}\0`).update(content).update('\0');
  return hash.digest('hex').slice(0, 16);
}
