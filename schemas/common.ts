import { schema, shape } from './schema.ts';

const PAGE_LIMIT_MAX = 100;
const PAGE_LIMIT_DEFAULT = 20;
const PAGE_MAX = 1_000_000_000;
export const EMAIL_LENGTH_MAX = 320;

/** Fragments are plain literals, so that other schemas can include them. `format` names are checked by api/http/validate.ts. */
export const emailField = { type: 'string', format: 'email', maxLength: EMAIL_LENGTH_MAX } as const;
export const idField = { type: 'string', pattern: '^[0-9a-f]{24}$' } as const;
/** An id in a body: any string is valid, and an unknown one is a 404 of the resource. */
export const idReference = { type: 'string', maxLength: 256 } as const;
export const timestampField = { type: 'string', format: 'date-time' } as const;
export const nullableTimestamp = { type: ['string', 'null'], format: 'date-time' } as const;
export const nullableString = { type: ['string', 'null'] } as const;

export const pageFields = {
  page: { type: 'integer', minimum: 1, maximum: PAGE_MAX, default: 1, description: 'Page number, from 1.' },
  limit: {
    type: 'integer',
    minimum: 1,
    maximum: PAGE_LIMIT_MAX,
    default: PAGE_LIMIT_DEFAULT,
    description: 'Entries a page.',
  },
} as const;

export const pageQuery = schema({ type: 'object', properties: pageFields });

export const paginationFields = {
  type: 'object',
  required: ['page', 'limit', 'total', 'pages'],
  properties: {
    page: { type: 'integer' },
    limit: { type: 'integer' },
    total: { type: 'integer' },
    pages: { type: 'integer' },
  },
} as const;

export const errorAnswer = shape({
  type: 'object',
  required: ['success', 'error'],
  properties: {
    success: { const: false },
    error: {
      type: 'object',
      required: ['message'],
      properties: { message: { type: 'string' }, code: { type: 'string' }, details: { type: 'string' } },
    },
  },
});
