import { EMAIL_LENGTH_MAX, idField, idReference, nullableTimestamp, timestampField } from './common.ts';
import { schema, shape } from './schema.ts';

const NAMED_MAX = 10_000;

export const enrollBody = schema({
  title: 'EnrollBody',
  type: 'object',
  description: 'One of contactIds, emails and listId.',
  properties: {
    contactIds: { type: 'array', minItems: 1, maxItems: NAMED_MAX, items: idReference },
    emails: {
      type: 'array',
      minItems: 1,
      maxItems: NAMED_MAX,
      items: { type: 'string', maxLength: EMAIL_LENGTH_MAX },
      description: 'Of contacts that are there: none is created.',
    },
    listId: { ...idReference, description: 'A list or a segment of any size; GLOBAL_CONTACT_LIST is all contacts.' },
  },
});

const counted = { type: 'integer', minimum: 0 } as const;

export const enrollmentJobAnswer = shape({
  title: 'EnrollmentJob',
  type: 'object',
  required: [
    'id',
    'automationId',
    'status',
    'total',
    'entered',
    'skipped',
    'missing',
    'missingNamed',
    'pending',
    'createdAt',
    'updatedAt',
    'completedAt',
  ],
  properties: {
    id: idField,
    automationId: idField,
    status: { title: 'EnrollmentJobStatus', enum: ['queued', 'running', 'completed'] },
    total: {
      ...counted,
      description:
        'Distinct people: entered, skipped, missing and pending together. Of a list it follows who joins or leaves meanwhile.',
    },
    entered: counted,
    skipped: {
      type: 'object',
      additionalProperties: counted,
      description:
        'People who did not enter, by reason: inside, entered_before, too_early (`reentry` of the automation), not_active (the automation was paused or archived meanwhile), contact_deleted.',
    },
    missing: { ...counted, description: 'Ids and addresses of no contact of the project.' },
    missingNamed: {
      type: 'array',
      items: { type: 'string' },
      description: 'The first 100 of them. Empty a day after the end of the job.',
    },
    pending: { ...counted, description: 'People who were not looked at yet.' },
    createdAt: timestampField,
    updatedAt: timestampField,
    completedAt: nullableTimestamp,
  },
});
