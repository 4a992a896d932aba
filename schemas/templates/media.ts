import { createdByField, idField, pageAnswer, pageFields, timestampField } from '../common.ts';
import { schema, shape } from '../schema.ts';

export const PICTURE_BYTES_MAX = 5 * 1024 * 1024;
/** All pictures of a project together. */
export const MEDIA_BYTES_MAX = 1024 * 1024 * 1024;
/** That one mail brings inside. */
export const INLINE_PICTURES_MAX = 20;
/** Before base64: each recipient's mail is that much longer. */
export const INLINE_PICTURES_BYTES_MAX = 500_000;

const count = { type: 'integer' } as const;

const media = {
  title: 'Media',
  type: 'object',
  required: ['id', 'url', 'width', 'height', 'size', 'contentType', 'source', 'createdBy', 'createdAt'],
  properties: {
    id: idField,
    url: { type: 'string', description: 'Needs no key: for the HTML of a mail.' },
    width: count,
    height: count,
    size: { ...count, description: 'Bytes.' },
    contentType: { type: 'string', enum: ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] },
    source: { type: 'string', enum: ['api', 'dashboard', 'migration'] },
    createdBy: createdByField,
    createdAt: timestampField,
  },
} as const;

export const mediaQuery = schema({ type: 'object', properties: pageFields });
export const mediaAnswer = shape(media);
export const mediaPageAnswer = pageAnswer('MediaPage', 'media', media);
