import {
  idField,
  nullableString,
  nullableTimestamp,
  pageAnswer,
  pageFields,
  runWorkflow,
  timestampField,
} from '../common.ts';
import { schema, shape } from '../schema.ts';

/** Content types that an upload may have. */
export const CSV_TYPES = ['text/csv'];
export const NDJSON_TYPES = ['application/x-ndjson', 'application/ndjson', 'application/jsonl'];
export const FORM_TYPE = 'multipart/form-data';

const format = { enum: ['csv', 'ndjson'] } as const;

/** In the query, or as fields of the form. */
export const importOptions = schema({
  type: 'object',
  properties: {
    format: { ...format, description: 'Omitted: recognized from content type, file name and first character.' },
    listIds: { type: 'string', maxLength: 1_000, description: 'Lists that every contact joins, comma separated.' },
    runWorkflow,
  },
});
export const exportQuery = schema({ type: 'object', properties: { format: { ...format, default: 'csv' } } });

const status = {
  title: 'ImportStatus',
  enum: ['queued', 'running', 'completed', 'completed_with_errors', 'failed'],
} as const;
export const importsQuery = schema({ type: 'object', properties: { ...pageFields, status } });

const count = { type: 'integer' } as const;

export const importAcceptedAnswer = shape({
  title: 'AcceptedImport',
  type: 'object',
  required: ['importId', 'status'],
  properties: { importId: idField, status },
});

export const importAnswer = shape({
  title: 'ContactImport',
  type: 'object',
  required: [
    'id',
    'importId',
    'status',
    'format',
    'fileName',
    'sizeBytes',
    'listIds',
    'percent',
    'processed',
    'created',
    'updated',
    'unchanged',
    'failed',
    'suppressed',
    'stillSuppressed',
    'consents',
    'failureReason',
    'startedAt',
    'completedAt',
    'createdAt',
    'updatedAt',
  ],
  properties: {
    id: idField,
    importId: { ...idField, description: 'The same as id.' },
    status,
    format,
    fileName: nullableString,
    listIds: { type: 'array', items: idField, description: 'The lists that its people join.' },
    sizeBytes: count,
    percent: { ...count, description: 'Of the bytes of the file.' },
    processed: { ...count, description: 'Rows read so far: created, updated, unchanged and failed together.' },
    created: count,
    updated: count,
    unchanged: count,
    failed: { ...count, description: 'Each with its row and reason at /errors.' },
    suppressed: {
      ...count,
      description: 'Rows that said unsubscribed, bounced or complained: their addresses are suppressed.',
    },
    stillSuppressed: {
      ...count,
      description: 'Rows that said subscribed although their address was suppressed; it stays suppressed.',
    },
    consents: { ...count, description: 'Records of consent that rows brought.' },
    failureReason: nullableString,
    startedAt: nullableTimestamp,
    completedAt: nullableTimestamp,
    createdAt: timestampField,
    updatedAt: timestampField,
  },
});

export const importsAnswer = pageAnswer('ContactImportsPage', 'imports', importAnswer.json);

const group = (title: string, names: readonly string[], about: string) => ({
  title,
  type: 'object' as const,
  description: about,
  required: names,
  properties: Object.fromEntries(names.map((name) => [name, count])),
});

export const importPreviewAnswer = shape({
  title: 'ContactImportPreview',
  type: 'object',
  required: [
    'format',
    'isWhole',
    'sizeBytes',
    'columns',
    'processed',
    'created',
    'updated',
    'unchanged',
    'repeated',
    'failed',
    'errors',
    'suppressions',
    'alreadySuppressed',
    'stillSuppressed',
    'consents',
    'failureReason',
  ],
  properties: {
    format,
    isWhole: {
      type: 'boolean',
      description: 'false: the counts are of the first 100,000 rows, 400,000 groups in them, or 16 MiB.',
    },
    sizeBytes: count,
    columns: {
      type: 'array',
      description: 'Of a CSV file, in its order; the first 1,000.',
      items: {
        title: 'ImportColumn',
        type: 'object',
        required: ['name', 'kind', 'becomes'],
        properties: {
          name: { type: 'string' },
          kind: { enum: ['field', 'property', 'properties', 'lists', 'consent', 'ignored'] },
          becomes: { ...nullableString, description: 'The field or property; null for the other kinds.' },
        },
      },
    },
    processed: { ...count, description: 'Rows read: created, updated, unchanged, repeated and failed together.' },
    created: count,
    updated: count,
    unchanged: count,
    repeated: { ...count, description: 'Rows with the address of an earlier row.' },
    failed: count,
    errors: {
      type: 'array',
      description: 'The first 100 rows that fail.',
      items: {
        title: 'ImportRowError',
        type: 'object',
        required: ['row', 'email', 'message'],
        properties: {
          row: { ...count, description: 'The first row below the names of the columns is 1.' },
          email: nullableString,
          message: { type: 'string' },
        },
      },
    },
    suppressions: group(
      'ImportSuppressions',
      ['UNSUBSCRIBE', 'BOUNCE', 'COMPLAINT'],
      'Entries that would be written, by reason.',
    ),
    alreadySuppressed: { ...count, description: 'Entries that the file asks for and that exist.' },
    stillSuppressed: {
      ...count,
      description: 'Rows that say subscribed although their address is suppressed, or would be; it stays suppressed.',
    },
    consents: { ...count, description: 'Records of consent that rows bring.' },
    failureReason: { ...nullableString, description: 'Why the import would end as failed.' },
  },
});
