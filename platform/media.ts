import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Media } from '../core/base/deps.ts';
import type { Config } from '../schemas/config.ts';

/** Names are hashes that we make; nothing else is ever joined to a path. */
const NAME = /^[0-9a-f]{64}\.(png|jpg|gif|webp)$/;

export function createMedia({ mediaDir }: Pick<Config, 'mediaDir'>): Media {
  /** A process that is killed while it saves leaves its part of the file. */
  async function removeUnfinished(name: string): Promise<void> {
    const files = await readdir(mediaDir).catch(() => []);
    for (const file of files) if (file.startsWith(`${name}.`)) await rm(join(mediaDir, file), { force: true });
  }

  return {
    async save(name, bytes) {
      if (!NAME.test(name)) throw new Error('not a valid media file name');
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

    async read(name) {
      if (!NAME.test(name)) return null;
      try {
        return await readFile(join(mediaDir, name));
      } catch (error) {
        if (isMissing(error)) return null;
        throw error;
      }
    },

    async remove(name) {
      if (!NAME.test(name)) throw new Error('not a valid media file name');
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
