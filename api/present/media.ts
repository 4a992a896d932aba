import type { Deps } from '../../core/base/deps.ts';
import type { MediaFile } from '../../core/templates/media/model.ts';
import { contentTypeOf } from '../../core/templates/media/pictures.ts';

export function presentMedia({ config }: Pick<Deps, 'config'>, media: MediaFile) {
  const { _id, name, ending, width, height, sizeBytes, source, createdBy = null, createdAt } = media;
  return {
    id: _id,
    url: `${config.publicUrl}/media/${name}`,
    ...{ width, height, size: sizeBytes, contentType: contentTypeOf(ending), source, createdBy, createdAt },
  };
}
