import { ERROR_CODES } from './error-codes.ts';
import { type JsonSchema, type Schema, schema, shape } from './schema.ts';

/** Shown by the OpenAPI document, and to agents. */
export const INTERFACE_VERSION = '1.0.0';

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
/** In the body of an update. */
export const seenUpdate = {
  type: 'string',
  format: 'date-time',
  description:
    'The updatedAt that the caller saw: 409 when it was changed since. Omitted: whatever was saved is changed.',
} as const;
export const nullableTimestamp = { type: ['string', 'null'], format: 'date-time' } as const;
export const nullableString = { type: ['string', 'null'] } as const;

/** Of a thing that members make in the console, or keys. */
export const createdByField = {
  ...nullableString,
  description: 'The id of the member who made it; null: a key made it.',
} as const;

export const mailboxName = { type: ['string', 'null'], maxLength: 256, format: 'line' } as const;

/** An address as callers give it. */
export const mailboxField = {
  title: 'MailAddress',
  type: 'object',
  required: ['email'],
  properties: { email: emailField, name: mailboxName },
} as const;

/** An address as answers and events show it. */
export const mailbox = {
  title: 'Mailbox',
  type: 'object',
  required: ['email', 'name'],
  properties: { email: { type: 'string' }, name: nullableString },
} as const;

/** Of calls that bring many contacts. */
export const runWorkflow = {
  type: 'boolean',
  description:
    'Whether automations start for these contacts; omitted: false. Of new contacts false also holds when time alone lets them match later, until something else changes them or they do something.',
} as const;

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
  title: 'Pagination',
  type: 'object',
  required: ['page', 'limit', 'total', 'pages'],
  properties: {
    page: { type: 'integer' },
    limit: { type: 'integer' },
    total: { type: 'integer' },
    pages: { type: 'integer' },
  },
} as const;

/** The answer of a list: the entries under their plural, and the pagination. */
export function pageAnswer(title: string, plural: string, entry: JsonSchema): Schema<unknown> {
  return shape({
    title,
    type: 'object',
    required: [plural, 'pagination'],
    properties: { [plural]: { type: 'array', items: entry }, pagination: paginationFields },
  });
}

/** The list that an answer of `pageAnswer` holds; null for all other answers. */
export function listIn({ properties }: JsonSchema): { plural: string; entry: JsonSchema } | null {
  const { pagination, ...lists } = (properties ?? {}) as Record<string, { items?: JsonSchema }>;
  const [found] = Object.entries(lists);
  return pagination && found?.[1].items ? { plural: found[0], entry: found[1].items } : null;
}

export const errorDetails: JsonSchema = {
  title: 'ErrorDetails',
  type: 'object',
  required: ['message'],
  properties: {
    message: { type: 'string', description: 'A sentence that says what to do.' },
    code: { type: 'string', description: `Missing on some answers. ${ERROR_CODES.join(', ')}.` },
    details: { type: 'string', description: 'The fields, with what is wrong with each.' },
  },
};

export const errorAnswer = shape({
  title: 'Error',
  type: 'object',
  required: ['success', 'error'],
  properties: {
    success: { const: false },
    error: errorDetails,
  },
});

/** Of a mail of a campaign that has several. */
export const variantIdField = { type: 'string', enum: ['A', 'B', 'C', 'D', 'E'] } as const;
