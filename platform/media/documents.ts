import { Binary } from 'mongodb';
import type { Collections } from '../../core/base/collections.ts';
import { repeatOnDuplicate } from '../../core/base/database/idempotent-insert.ts';
import type { Media } from '../../core/base/deps.ts';
import { READ_TIME_MAX_MS } from '../../core/base/paging.ts';
import { isName, requireName } from './names.ts';

/**
 * A picture is one document: the largest has 10 MB, and a document may have 16. GridFS would cut it into pieces that can be there without
 * each other after a crash.
 */
export function openDocuments({ mediaFiles }: Pick<Collections, 'mediaFiles'>): Media {
  return {
    async save(name, bytes) {
      requireName(name);
      await repeatOnDuplicate(() =>
        mediaFiles.replaceOne({ _id: name }, { bytes: new Binary(bytes) }, { upsert: true }),
      );
    },

    async read(name, held) {
      if (!isName(name)) return null;
      const size = { projection: { _id: 0, size: { $binarySize: '$bytes' } }, maxTimeMS: READ_TIME_MAX_MS };
      const sized = await mediaFiles.findOne<{ size: number }>({ _id: name }, size);
      if (!sized) return null;
      await held.take(sized.size);
      const found = await mediaFiles.findOne({ _id: name }, { maxTimeMS: READ_TIME_MAX_MS });
      return found?.bytes.value() ?? null;
    },

    async remove(name) {
      requireName(name);
      await mediaFiles.deleteOne({ _id: name });
    },
  };
}
