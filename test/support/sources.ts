import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** The source files under a folder of the tree, by their path from its root. */
export function sources(
  folder: string,
  isWanted: (name: string) => boolean = (name) => /\.tsx?$/.test(name),
): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter(isWanted)
    .map((name) => join(folder, name));
}
