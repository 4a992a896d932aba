import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Media } from '../core/base/deps.ts';
import type { Config } from '../schemas/config.ts';

/** Names are hashes that we make; nothing else is ever joined to a path. */
const NAME = /^[0-9a-f]{64}\.(png|jpg|gif|webp)$/;

export function createMedia({ mediaDir }: Pick<Config, 'mediaDir'>): Media {
  return {
    async save(name, bytes) {
      if (!NAME.test(name)) throw new Error('not a valid media file name');
      await mkdir(mediaDir, { recursive: true });
      const unfinished = join(mediaDir, `${randomUUID()}.part`);
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
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
        throw error;
      }
    },
  };
}
