import { nullableString, nullableTimestamp, pageAnswer, pageFields, timestampField } from '../common.ts';
import { schema, shape } from '../schema.ts';
import { count, keyFields } from './values.ts';

const REASON_LENGTH_MAX = 500;

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
