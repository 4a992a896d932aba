import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Media } from '../../core/base/deps.ts';
import { isName, requireName } from './names.ts';

/** Files of a folder, for processes that share a disk. */
export function openFolder(mediaDir: string): Media {
  /** A process that is killed while it saves leaves its part of the file. */
  async function removeUnfinished(name: string): Promise<void> {
    const files = await readdir(mediaDir).catch(() => []);
    for (const file of files) if (file.startsWith(`${name}.`)) await rm(join(mediaDir, file), { force: true });
  }

  return {
    async save(name, bytes) {
      requireName(name);
      await mkdir(mediaDir, { recursive: true });
      const unfinished = join(mediaDir, `${name}.${randomUUID()}.part`);
      try {
        await writeFile(unfinished, bytes, { flush: true });
        await rename(unfinished, join(mediaDir, name));
      } catch (error) {
        await rm(unfinished, { force: true });
        throw error;
      }
    },

    async read(name, held) {
      if (!isName(name)) return null;
      const path = join(mediaDir, name);
      try {
        await held.take((await stat(path)).size);
        return await readFile(path);
      } catch (error) {
        if (isMissing(error)) return null;
        throw error;
      }
    },

    async remove(name) {
      requireName(name);
      try {
        await unlink(join(mediaDir, name));
      } catch (error) {
        if (!isMissing(error)) throw error;
        await removeUnfinished(name);
      }
    },
  };
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}
