import type { Sources } from '../../core/migrations-sources.ts';
import type { Collections } from '../../core/model.ts';
import type { Config } from '../../schemas/config.ts';
import type { FetchFile } from './export-file.ts';
import { paceBySlots } from './pace.ts';
import { openProviderA } from './provider-a.ts';
import { openProviderB } from './provider-b.ts';

type Settings = Pick<Config, 'providerAUrl' | 'providerBUrl' | 'providerBRate'>;

/** A key lives in the source that was opened with it, and nowhere else. */
export function createSources(config: Settings, db: Pick<Collections, 'providerPaces'>, fetchFile: FetchFile): Sources {
  const baseA = config.providerAUrl.replace(/\/+$/, '');
  const baseB = config.providerBUrl.replace(/\/+$/, '');
  return {
    openA: (options) => openProviderA(baseA, fetchFile, options),
    openB: (options) => openProviderB(baseB, paceBySlots(db.providerPaces, options.key, config.providerBRate), options),
  };
}
