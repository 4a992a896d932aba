import type { Collections } from '../../core/base/collections.ts';
import type { Paces } from '../../core/base/limits/paces.ts';
import { withoutEnd } from '../../core/base/text/text-ends.ts';
import { IMAGE_BYTES_MAX, type Sources } from '../../core/migrations/source.ts';
import type { Config } from '../../schemas/config.ts';
import { fetchFiles, fetchImages } from './foreign-files.ts';
import { paceBySlots } from './pace.ts';
import { openProviderA } from './provider-a.ts';
import { openProviderB } from './provider-b.ts';

type Settings = Pick<Config, 'providerAUrl' | 'providerBUrl' | 'providerBRate' | 'allowPrivateUrls'>;

interface SourcesDeps {
  db: Pick<Collections, 'providerPaces'>;
  paces: Paces;
}

/** A key is kept only in the source that was opened with it. */
export function createSources(config: Settings, { db, paces }: SourcesDeps): Sources {
  const baseA = withoutEnd(config.providerAUrl, '/');
  const baseB = withoutEnd(config.providerBUrl, '/');
  const paceOf = paceBySlots(db.providerPaces, config.providerBRate, (account) =>
    paces.note('provider B', account, config.providerBRate),
  );
  const fetchFile = fetchFiles(config);
  const fetchImage = fetchImages(config);
  return {
    openA: (options) => openProviderA(baseA, fetchFile, options),
    openB: (options) => openProviderB(baseB, paceOf(options.key), options),
    fetchImage: (url, wait) => fetchImage(url, IMAGE_BYTES_MAX, wait),
  };
}
