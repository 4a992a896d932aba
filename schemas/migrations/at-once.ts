import { nullableString, timestampField } from '../common.ts';
import { schema, shape } from '../schema.ts';
import { count, keyFields, selected, sourceId, updateHtml } from './values.ts';

const TEMPLATES_AT_ONCE_MAX = 20;

export const migrateTemplatesBody = schema({
  title: 'MigrateTemplatesBody',
  type: 'object',
  required: ['templateIds'],
  properties: {
    ...keyFields,
    templateIds: { ...selected, minItems: 1, maxItems: TEMPLATES_AT_ONCE_MAX },
    onExistUpdateHTML: updateHtml,
  },
});

export const migrateGroupBody = schema({
  title: 'MigrateGroupBody',
  type: 'object',
  required: ['unsubscribeGroupId'],
  properties: {
    ...keyFields,
    unsubscribeGroupId: sourceId,
    addEmailsInSuppression: { type: 'boolean', description: 'Whether its addresses are imported; omitted: false.' },
  },
});

export const templatesMigratedAnswer = shape({
  title: 'MigratedTemplates',
  type: 'object',
  required: ['created', 'updated', 'skipped', 'failed', 'templates'],
  properties: {
    created: count,
    updated: count,
    skipped: count,
    failed: count,
    templates: {
      type: 'array',
      items: {
        title: 'MigratedTemplate',
        type: 'object',
        required: ['sourceId', 'templateId', 'templateName', 'status', 'needsReview'],
        properties: {
          sourceId: { type: 'string' },
          templateId: nullableString,
          templateName: nullableString,
          status: { enum: ['created', 'updated', 'skipped', 'failed'] },
          needsReview: { type: 'boolean' },
          notes: { type: 'array', items: { type: 'string' } },
        },
      },
    },
  },
});

export const groupMigratedAnswer = shape({
  title: 'MigratedGroup',
  type: 'object',
  required: ['groupId', 'name'],
  properties: {
    groupId: { type: 'string' },
    name: { type: 'string' },
    created: {
      type: 'boolean',
      description: 'With importedEmails when the group is new, or its addresses were imported.',
    },
    importedEmails: count,
    id: { type: 'string', description: 'With the rest of the record, when the group was there already.' },
    description: { type: 'string' },
    isGlobal: { type: 'boolean' },
    isDefault: { type: 'boolean' },
    isMarketing: { type: 'boolean' },
    isPublic: { type: 'boolean' },
    suppressionCount: count,
    createdAt: timestampField,
    updatedAt: timestampField,
  },
});
