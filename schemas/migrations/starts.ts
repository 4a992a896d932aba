import { runWorkflow } from '../common.ts';
import { schema, shape } from '../schema.ts';
import { migrationStatus } from './migrations.ts';
import { ID_LENGTH_MAX, keyFields, selected, sourceId, updateHtml } from './values.ts';

const MAPPINGS_MAX = 200;

const fieldName = { type: 'string', pattern: '^[A-Za-z0-9_]{1,64}$' } as const;
const sourceName = { type: 'string', minLength: 1, maxLength: ID_LENGTH_MAX } as const;
const migrateAll = { type: 'boolean', description: 'Everything; else at least one id is required.' } as const;

export const migrateABody = schema({
  title: 'StartMigrationABody',
  type: 'object',
  properties: {
    ...keyFields,
    migrateAll,
    templateIds: selected,
    unsubscribeGroupIds: selected,
    customFieldIds: selected,
    contactListIds: selected,
    onExistUpdateHTML: updateHtml,
    runWorkflow,
    requireSuppressions: {
      type: 'boolean',
      description:
        'Whether the job holds before it imports contacts when the key may not read who must not be mailed; omitted: false, and the report names the missing scopes.',
    },
    customFieldMappings: {
      type: 'array',
      maxItems: MAPPINGS_MAX,
      items: {
        title: 'FieldMappingA',
        type: 'object',
        required: ['fieldName', 'fieldType'],
        properties: {
          providerAFieldId: sourceId,
          providerAFieldName: sourceName,
          sendgridFieldId: sourceId,
          sendgridFieldName: sourceName,
          fieldName,
          fieldType: { enum: ['string', 'number', 'date'] },
        },
      },
    },
  },
});

export const migrateBBody = schema({
  title: 'StartMigrationBBody',
  type: 'object',
  properties: {
    ...keyFields,
    migrateAll,
    templateIds: selected,
    customFieldIds: selected,
    audienceIds: selected,
    topicIds: selected,
    onExistUpdateHTML: updateHtml,
    runWorkflow,
    customFieldMappings: {
      type: 'array',
      maxItems: MAPPINGS_MAX,
      items: {
        title: 'FieldMappingB',
        type: 'object',
        required: ['fieldName', 'fieldType'],
        properties: {
          providerBFieldId: sourceId,
          providerBFieldName: sourceName,
          resendFieldId: sourceId,
          resendFieldName: sourceName,
          fieldName,
          fieldType: { enum: ['string', 'number', 'boolean', 'date'] },
        },
      },
    },
  },
});

export const startedAnswer = shape({
  title: 'StartedMigration',
  type: 'object',
  required: ['bulkOperationId', 'status'],
  properties: { bulkOperationId: { type: 'string' }, status: migrationStatus },
});
