import type { Collections } from '../../core/base/collections.ts';
import type { Log, Media } from '../../core/base/deps.ts';
import type { Config } from '../../schemas/config.ts';
import { openDocuments } from './documents.ts';
import { openFolder } from './folder.ts';
import { openS3 } from './s3.ts';
import { readStoreName, STORES } from './store-names.ts';

interface Given {
  config: Config;
  db: Pick<Collections, 'mediaFiles'>;
  log: Log;
}

/** The store of a name as MEDIA_STORE has it. It is not asked yet: a process starts while its store is down. */
export function openStore(name: string, { config, db, log }: Given): Media {
  const store = readStoreName(name);
  switch (store?.kind) {
    case 'folder':
      return openFolder(config.mediaDir);
    case 'mongodb':
      return openDocuments(db);
    case 's3':
      return openS3({ ...config, ...store, log });
    case undefined:
      throw new Error(`a store of pictures is ${STORES}`);
  }
}
