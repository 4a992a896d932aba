import {
  EMAIL_LENGTH_MAX,
  idField,
  idReference,
  nullableString,
  nullableTimestamp,
  pageAnswer,
  pageFields,
  timestampField,
} from '../common.ts';
import { schema, shape } from '../schema.ts';
import { counted } from './figures.ts';
import { stepId } from './values.ts';

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

const enrollmentStatus = { title: 'EnrollmentStatus', enum: ['active', 'completed', 'exited'] } as const;

export const enrollmentsQuery = schema({
  type: 'object',
  properties: {
    ...pageFields,
    status: enrollmentStatus,
    stepId: { ...stepId, description: 'Only the people who are on this step now.' },
  },
});

const enrollment = {
  title: 'Enrollment',
  type: 'object',
  required: ['id', 'contactId', 'email', 'status', 'stepId', 'wakeAt', 'exitReason', 'version', 'enteredAt', 'history'],
  properties: {
    id: idField,
    contactId: idField,
    email: { ...nullableString, description: 'null when the contact was deleted.' },
    status: enrollmentStatus,
    stepId: { ...nullableString, description: 'The step that the person is at.' },
    nextStepId: nullableString,
    wakeAt: { ...nullableTimestamp, description: 'The end of the wait.' },
    parked: { type: 'boolean' },
    exitReason: nullableString,
    version: { type: 'integer' },
    enteredAt: timestampField,
    endedAt: nullableTimestamp,
    history: {
      type: 'array',
      items: {
        title: 'EnrollmentEvent',
        type: 'object',
        required: ['type', 'at'],
        properties: {
          type: {
            enum: [
              ...[
                'entered',
                'wait',
                'heard',
                'timed_out',
                'goal',
                'goal_passed',
                'email',
                'branch',
                'branch_left',
                'update_contact',
                'webhook',
                'webhook_answered',
                'webhook_failed',
              ],
              ...['parked', 'moved', 'completed', 'exited'],
            ],
          },
          at: timestampField,
          stepId: { type: 'string' },
          until: {
            ...timestampField,
            description: 'Of a wait, and a webhook whose answer the person waits for: its end.',
          },
          emailId: idField,
          eventId: {
            ...idField,
            description: 'Of a webhook: the event that it posts, in the deliveries of its webhook.',
          },
          branchId: nullableString,
          rule: { type: 'string', description: 'The criteria that decided.' },
          reason: {
            type: 'string',
            description:
              'Of an exit or a mail that was not made, or why an update_contact could not change the person, or a webhook failed. zone_missing: a wait in the zone of the project, since the person has none.',
          },
        },
      },
    },
  },
} as const;

export const enrollmentsAnswer = pageAnswer('EnrollmentsPage', 'enrollments', enrollment);
