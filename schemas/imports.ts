import { idField, nullableString, nullableTimestamp, timestampField } from './common.ts';
import { schema, shape } from './schema.ts';

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
    runWorkflow: { type: 'boolean', description: 'Whether automations start for these contacts; omitted: false.' },
  },
});
export const exportQuery = schema({ type: 'object', properties: { format: { ...format, default: 'csv' } } });

const status = {
  title: 'ImportStatus',
  enum: ['queued', 'running', 'completed', 'completed_with_errors', 'failed'],
} as const;
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
    'percent',
    'processed',
    'created',
    'updated',
    'unchanged',
    'failed',
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
    sizeBytes: count,
    percent: { ...count, description: 'Of the bytes of the file.' },
    processed: { ...count, description: 'Rows read so far: created, updated, unchanged and failed together.' },
    created: count,
    updated: count,
    unchanged: count,
    failed: { ...count, description: 'Each with its row and reason at /errors.' },
    failureReason: nullableString,
    startedAt: nullableTimestamp,
    completedAt: nullableTimestamp,
    createdAt: timestampField,
    updatedAt: timestampField,
  },
});
