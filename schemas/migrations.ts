import { nullableString, nullableTimestamp, pageAnswer, pageFields, runWorkflow, timestampField } from './common.ts';
import { schema, shape } from './schema.ts';

const KEY_LENGTH_MAX = 512;
const SELECTED_MAX = 10_000;
const MAPPINGS_MAX = 200;
const TEMPLATES_AT_ONCE_MAX = 20;
const ID_LENGTH_MAX = 256;
const REASON_LENGTH_MAX = 500;

const key = { type: 'string', minLength: 1, maxLength: KEY_LENGTH_MAX } as const;
const keyFields = {
  apiKey: {
    ...key,
    description: "The source provider's key; required. Used for this call or job, and never stored in plain text.",
  },
  providerAApiKey: { ...key, description: 'Alias of apiKey.' },
  providerBApiKey: { ...key, description: 'Alias of apiKey.' },
  sendgridApiKey: { ...key, description: 'Alias of apiKey.' },
  resendApiKey: { ...key, description: 'Alias of apiKey.' },
} as const;

const sourceId = { title: 'SourceId', type: ['string', 'integer'], maxLength: ID_LENGTH_MAX } as const;
const selected = { type: 'array', maxItems: SELECTED_MAX, items: sourceId } as const;
const updateHtml = {
  type: 'boolean',
  description: 'Whether a template that was migrated before gets its content again; omitted: false.',
} as const;
const fieldName = { type: 'string', pattern: '^[A-Za-z0-9_]{1,64}$' } as const;
const sourceName = { type: 'string', minLength: 1, maxLength: ID_LENGTH_MAX } as const;
const migrateAll = { type: 'boolean', description: 'Everything; else at least one id is required.' } as const;

export const planBody = schema({ title: 'PlanMigrationBody', type: 'object', properties: keyFields });

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

const phaseNames = [
  'customFields',
  'templates',
  'unsubscribeGroups',
  'contactLists',
  'audiences',
  'contacts',
  'topics',
  'unsubscribed',
] as const;
export const phaseName = { title: 'MigrationPhaseName', enum: phaseNames } as const;

export const retryMigrationBody = schema({
  title: 'RetryMigrationBody',
  type: 'object',
  properties: {
    ...keyFields,
    fromPhase: { ...phaseName, description: 'Begins again with this phase; omitted: where the job stopped.' },
  },
});

export const skipMigrationBody = schema({
  title: 'SkipPhaseBody',
  type: 'object',
  properties: { reason: { type: 'string', maxLength: REASON_LENGTH_MAX, description: 'Kept in the report.' } },
});

export const migrationStatus = {
  title: 'MigrationStatus',
  enum: ['queued', 'running', 'needs_attention', 'completed', 'completed_with_errors', 'failed', 'cancelled'],
} as const;
export const migrationProvider = { title: 'MigrationProvider', enum: ['providerA', 'providerB'] } as const;

export const migrationsQuery = schema({
  type: 'object',
  properties: { ...pageFields, status: migrationStatus },
});

const item = {
  title: 'PlannedItem',
  type: 'object',
  required: ['id', 'name'],
  properties: { id: { type: 'string' }, name: { type: 'string' } },
};
const items = { type: 'array', items: item };
const count = { type: 'integer', minimum: 0 };
const field = {
  ...item,
  title: 'PlannedField',
  properties: { ...item.properties, fieldType: { type: 'string' } },
};
const list = { ...item, title: 'PlannedList', properties: { ...item.properties, contactCount: count } };
const skipped = {
  type: 'array',
  items: { type: 'string' },
  description: 'Sections that the key may not read; they come back empty.',
};

export const planAAnswer = shape({
  title: 'PlanOfProviderA',
  type: 'object',
  required: [
    'templates',
    'unsubscribeGroups',
    'customFields',
    'contactLists',
    'totalContacts',
    'suppressions',
    'countsComplete',
    'skipped',
  ],
  properties: {
    templates: items,
    unsubscribeGroups: items,
    customFields: { type: 'array', items: field },
    contactLists: { type: 'array', items: list },
    totalContacts: count,
    suppressions: {
      title: 'PlannedSuppressions',
      type: 'object',
      required: ['unsubscribes', 'bounces', 'invalidEmails', 'spamReports'],
      properties: { unsubscribes: count, bounces: count, invalidEmails: count, spamReports: count },
      description: 'Addresses that the account does not mail. They are suppressed here before contacts are imported.',
    },
    countsComplete: {
      type: 'boolean',
      description: 'false: the addresses of suppressions were not counted to the end; there are at least as many.',
    },
    skipped: {
      ...skipped,
      description:
        'Sections that the key may not read; they come back empty. For suppressions with the missing scope and what follows from it.',
    },
  },
});

export const planBAnswer = shape({
  title: 'PlanOfProviderB',
  type: 'object',
  required: [
    'templates',
    'customFields',
    'audiences',
    'topics',
    'totalContacts',
    'unsubscribedContacts',
    'countsComplete',
    'skipped',
  ],
  properties: {
    templates: items,
    customFields: { type: 'array', items: field },
    audiences: items,
    topics: items,
    totalContacts: count,
    unsubscribedContacts: count,
    countsComplete: {
      type: 'boolean',
      description: 'false: not every contact was counted within 25 seconds; the two counts are those so far.',
    },
    skipped,
  },
});

export const startedAnswer = shape({
  title: 'StartedMigration',
  type: 'object',
  required: ['bulkOperationId', 'status'],
  properties: { bulkOperationId: { type: 'string' }, status: migrationStatus },
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

const note = {
  title: 'MigrationNote',
  type: 'object',
  required: ['item', 'message'],
  properties: { item: { type: 'string' }, message: { type: 'string' } },
};
const phaseStatus = {
  title: 'MigrationPhaseStatus',
  enum: ['pending', 'running', 'completed', 'skipped', 'failed'],
};
const phase = {
  title: 'MigrationPhase',
  type: 'object',
  required: ['name', 'status', 'total', 'succeeded', 'failed', 'skipped', 'errors', 'startedAt', 'completedAt'],
  properties: {
    name: phaseName,
    status: phaseStatus,
    total: count,
    succeeded: count,
    failed: count,
    skipped: count,
    created: count,
    updated: count,
    errors: { type: 'array', items: note },
    startedAt: nullableTimestamp,
    completedAt: nullableTimestamp,
  },
};

/** Of events: the phases without their notes. */
export const phaseCounts = {
  title: 'MigrationPhaseCounts',
  type: 'object',
  required: ['name', 'status', 'total', 'succeeded', 'failed', 'skipped'],
  properties: {
    ...{ name: phaseName, status: phaseStatus },
    ...{ total: count, succeeded: count, failed: count, skipped: count },
  },
};

const reportOfPhase = {
  title: 'MigrationPhaseReport',
  type: 'object',
  required: ['name', 'status', 'sourceCount', 'targetCount', 'created', 'updated', 'skipped', 'failed', 'needsReview'],
  properties: {
    name: phaseName,
    status: phaseStatus,
    sourceCount: count,
    targetCount: count,
    created: count,
    updated: count,
    skipped: count,
    failed: count,
    details: { type: 'object', additionalProperties: { type: 'integer' } },
    needsReview: { type: 'array', items: note },
  },
};

export const migrationAnswer = shape({
  title: 'Migration',
  type: 'object',
  required: [
    'id',
    'bulkOperationId',
    'projectId',
    'provider',
    'status',
    'phase',
    'phases',
    'startedAt',
    'completedAt',
    'failureReason',
    'createdAt',
    'updatedAt',
  ],
  properties: {
    id: { type: 'string' },
    bulkOperationId: { type: 'string' },
    projectId: { type: 'string' },
    provider: migrationProvider,
    status: migrationStatus,
    phase: { ...phaseName, enum: [...phaseNames, null] },
    phases: { type: 'array', items: phase },
    report: {
      type: ['array', 'null'],
      items: reportOfPhase,
      description: 'Set when the migration is over, and while it needs attention.',
    },
    attention: { ...nullableString, description: 'The reason why the migration needs attention.' },
    run: { type: 'integer', minimum: 1 },
    version: { type: 'integer', description: 'Moves with every change: the id of an event of the stream.' },
    startedAt: nullableTimestamp,
    completedAt: nullableTimestamp,
    failureReason: nullableString,
    createdAt: timestampField,
    updatedAt: timestampField,
  },
});

export const migrationsAnswer = pageAnswer('MigrationsPage', 'migrations', migrationAnswer.json);
