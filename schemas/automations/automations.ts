import { utmField } from '../campaigns/utm.ts';
import { createdByField, idField, nullableTimestamp, pageAnswer, pageFields, timestampField } from '../common.ts';
import { schema, shape } from '../schema.ts';
import { draftMark, draftRevision, existingField, publishedInside } from './drafts.ts';
import { entryCriteria, exitCriteria, reentry } from './entries.ts';
import { counted, statistics } from './figures.ts';
import { STEPS_MAX, step, stepAnswer } from './steps.ts';
import { line } from './values.ts';

const AUTOMATION_NAME_MAX = 255;
const AUTOMATION_DESCRIPTION_MAX = 1_000;
const TAGS_MAX = 50;

const fields = {
  name: line(AUTOMATION_NAME_MAX),
  description: { type: 'string', maxLength: AUTOMATION_DESCRIPTION_MAX },
  entryCriteria,
  reentry,
  exitCriteria,
  steps: { type: 'array', maxItems: STEPS_MAX, items: step },
  tags: { type: 'array', maxItems: TAGS_MAX, items: { ...line(100), minLength: 1 } },
  unsubscribeGroupId: {
    type: ['string', 'null'],
    maxLength: 256,
    description: 'Suppression group of every mail of this automation.',
  },
  trackingOpen: { type: 'boolean' },
  trackingClick: { type: 'boolean' },
  utm: utmField,
} as const;

export const createAutomationBody = schema({
  title: 'CreateAutomationBody',
  type: 'object',
  properties: { ...fields, active: { type: 'boolean', description: 'true: validate and activate at once.' } },
});

export const updateAutomationBody = schema({
  title: 'UpdateAutomationBody',
  type: 'object',
  properties: {
    ...fields,
    existing: existingField,
    draft: {
      type: 'boolean',
      description:
        'true: saved as the draft of the next version, in any status but archived. What runs stays as it is until the draft is published.',
    },
    draftRevision,
  },
});

const automationStatus = { title: 'AutomationStatus', enum: ['draft', 'active', 'paused', 'archived'] } as const;

export const automationsQuery = schema({
  type: 'object',
  properties: {
    ...pageFields,
    status: automationStatus,
    search: { type: 'string', maxLength: AUTOMATION_NAME_MAX, description: 'Part of the name.' },
  },
});

const automation = {
  title: 'Automation',
  type: 'object',
  required: [
    'id',
    'projectId',
    'organizationId',
    'createdBy',
    'name',
    'description',
    'status',
    'entryCriteria',
    'reentry',
    'exitCriteria',
    'steps',
    'tags',
    'trackingOpen',
    'trackingClick',
    'utm',
    'draft',
    'draftRevision',
    'activeAt',
    'createdAt',
    'updatedAt',
  ],
  properties: {
    id: idField,
    projectId: idField,
    organizationId: idField,
    createdBy: createdByField,
    name: { type: 'string' },
    description: { type: 'string' },
    status: automationStatus,
    entryCriteria: { ...entryCriteria, title: 'EntryCriteria', required: ['type'] },
    reentry,
    exitCriteria: { ...exitCriteria, title: 'ExitCriteria', required: ['type'] },
    steps: { type: 'array', items: stepAnswer },
    tags: { type: 'array', items: { type: 'string' } },
    unsubscribeGroupId: { type: 'string', description: 'Left out when the automation names none.' },
    trackingOpen: { type: 'boolean' },
    trackingClick: { type: 'boolean' },
    utm: utmField,
    activeAt: nullableTimestamp,
    createdAt: timestampField,
    updatedAt: timestampField,
    version: {
      type: 'integer',
      description: 'Moves with each PATCH without draft once it was active, and each publication.',
    },
    draft: draftMark,
    dates: {
      title: 'DateSearch',
      type: 'object',
      description:
        'Of an automation that has let people in by a date: how many of the contacts were looked at for theirs since it was activated. Contacts that change are known at once.',
      required: ['status', 'looked', 'total'],
      properties: { status: { enum: ['running', 'completed'] }, looked: counted, total: counted },
    },
    draftRevision: { type: 'integer', description: 'Moves with everything that is saved, a draft or a version.' },
    statistics,
    warnings: {
      type: 'array',
      description: 'Faults that activation allows, each with its step. Not in lists.',
      items: {
        title: 'AutomationWarning',
        type: 'object',
        required: ['stepId', 'code', 'message'],
        properties: {
          stepId: { type: 'string' },
          code: {
            enum: ['NO_UNSUBSCRIBE_LINK'],
            description: 'NO_UNSUBSCRIBE_LINK: the body has neither {{unsubscribe}} nor {{preferencesUrl}}.',
          },
          message: { type: 'string' },
        },
      },
    },
  },
} as const;

export const automationAnswer = shape(automation);

export const publishedAutomationAnswer = shape({
  ...automation,
  title: 'PublishedAutomation',
  required: [...automation.required, 'inside'],
  properties: { ...automation.properties, inside: publishedInside },
});

export const automationsAnswer = pageAnswer('AutomationsPage', 'automations', automation);
