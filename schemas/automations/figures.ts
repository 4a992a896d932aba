import { STEP_TYPES } from './steps.ts';

/** The figures of an automation and of its steps. */

export const counted = { type: 'integer', minimum: 0 } as const;

const exits = {
  type: 'object',
  additionalProperties: counted,
  description: 'People who left early, by reason.',
} as const;

export const statistics = {
  title: 'AutomationStatistics',
  type: 'object',
  required: [
    ...[
      'entered',
      'active',
      'completed',
      'exited',
      'exitedBy',
      'emails',
      'parked',
      'missed',
      'converted',
      'conversionRate',
    ],
    ...['backlog', 'steps'],
  ],
  properties: {
    entered: counted,
    active: { ...counted, description: 'Enrolled now.' },
    completed: counted,
    exited: counted,
    exitedBy: exits,
    emails: { ...counted, description: 'Mails queued.' },
    parked: { ...counted, description: 'Held because the automation is paused.' },
    converted: { ...counted, description: 'Entries that reached a goal.' },
    conversionRate: {
      type: ['number', 'null'],
      description: 'Converted of a hundred that entered, with two decimals; null without an entry or a goal.',
    },
    missed: {
      ...counted,
      description: 'Of date_reached: dates that let nobody in, since they were looked at more than 24 hours later.',
    },
    backlog: {
      title: 'AutomationBacklog',
      type: 'object',
      required: ['triggers', 'starts'],
      description: 'Triggers that were not processed yet, and contacts whose run was not started yet.',
      properties: { triggers: counted, starts: counted },
    },
    steps: {
      type: 'array',
      items: {
        title: 'StepStatistics',
        type: 'object',
        required: [
          'stepId',
          'entered',
          'active',
          'exited',
          'exitedBy',
          'emails',
          'zoneMissing',
          'updated',
          'failed',
          'answered',
          'heard',
          'timedOut',
        ],
        properties: {
          stepId: { type: 'string' },
          type: { enum: [...STEP_TYPES, 'removed'] },
          entered: counted,
          active: counted,
          exited: counted,
          exitedBy: exits,
          emails: counted,
          zoneMissing: {
            ...counted,
            description: 'People who waited in the zone of the project, because they have none, or none that exists.',
          },
          updated: { ...counted, description: 'People that an update_contact changed.' },
          failed: {
            ...counted,
            description:
              'People that an update_contact could not change, or for whom a webhook that they waited for did not answer; they continued.',
          },
          answered: { ...counted, description: 'People for whom the webhook answered that they waited for.' },
          heard: { ...counted, description: 'People whose event came, of a wait_event.' },
          timedOut: { ...counted, description: 'People whose event did not come in time.' },
          converted: { ...counted, description: 'People who reached this goal.' },
        },
      },
    },
  },
} as const;
