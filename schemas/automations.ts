import {
  emailField,
  idField,
  idReference,
  nullableString,
  nullableTimestamp,
  pageFields,
  paginationFields,
  timestampField,
} from './common.ts';
import { contactFieldValues, customProperties } from './contacts.ts';
import { schema, shape } from './schema.ts';

const AUTOMATION_NAME_MAX = 255;
const AUTOMATION_DESCRIPTION_MAX = 1_000;
const STEPS_MAX = 200;
const BRANCHES_MAX = 20;
const DELAY_DAYS_MAX = 3_650;
const SIMULATED_EVENTS_MAX = 1_000;
const TAGS_MAX = 50;
const SUBJECT_MAX = 998;
const PREVIEW_MAX = 200;
const HTML_MAX = 1_000_000;

const line = (maxLength: number) => ({ type: 'string', maxLength, format: 'line' }) as const;
const stepId = { ...line(100), minLength: 1 } as const;
const nullableStepId = { ...stepId, type: ['string', 'null'] } as const;
const filterCriteria = {
  type: 'object',
  description: 'logicalOperator (AND or OR) and groups of {field, operator, value, fieldType}.',
} as const;
const propertyValue = { type: ['string', 'number', 'boolean', 'null'], maxLength: 1_000 } as const;

const entryTypes = [
  'contact_created',
  'contact_added_to_list',
  'contact_property_matches_with',
  'contact_property_changes_from_to',
  'event_trigger',
] as const;

const entryCriteria = {
  type: 'object',
  properties: {
    type: { enum: entryTypes },
    listId: { ...idReference, description: 'A list or a segment.' },
    eventName: line(64),
    property: { ...line(100), description: 'A field of the contact, or contactProperties.<name>.' },
    fromValue: { ...propertyValue, description: 'Omitted: any value.' },
    toValue: { ...propertyValue, description: 'Omitted: any value.' },
    filterCriteria,
  },
} as const;

const exitCriteria = {
  type: 'object',
  properties: { type: { enum: ['workflow_complete', 'entry_criteria_no_longer_met'] } },
} as const;

const delay = {
  type: 'object',
  required: ['value', 'unit'],
  properties: {
    value: { type: 'integer', minimum: 0, maximum: DELAY_DAYS_MAX * 1_440 },
    unit: { enum: ['minutes', 'mins', 'hours', 'days'] },
  },
} as const;

const email = {
  type: 'object',
  properties: {
    templateId: { ...idReference, description: 'An existing template; or give htmlTemplate and subject.' },
    templateName: line(200),
    htmlTemplate: { type: 'string', maxLength: HTML_MAX },
    subject: line(SUBJECT_MAX),
    previewText: line(PREVIEW_MAX),
    senderEmail: emailField,
    senderName: line(200),
    senderReplyToEmail: emailField,
    senderReplyToName: line(200),
  },
} as const;

const branch = {
  type: 'object',
  properties: {
    branchId: stepId,
    label: line(200),
    triggerType: { enum: ['contact_property_matches_with', 'event_property'] },
    filterCriteria: { ...filterCriteria, description: 'Omitted: the branch always holds.' },
    appliesTo: { enum: ['branch_entry', 'all_branch_steps'] },
    nextStepId: { ...nullableStepId, description: 'First step of the branch.' },
    mergeStepId: { ...nullableStepId, description: 'Where the branch joins the main flow again.' },
  },
} as const;

const step = {
  type: 'object',
  required: ['type'],
  properties: {
    type: { enum: ['wait', 'email', 'branch'] },
    stepId,
    nextStepId: nullableStepId,
    parentBranchStepId: nullableStepId,
    parentBranchId: nullableStepId,
    checkExitCriteria: { type: 'boolean' },
    delay,
    email,
    branches: { type: 'array', maxItems: BRANCHES_MAX, items: branch },
  },
} as const;

const fields = {
  name: line(AUTOMATION_NAME_MAX),
  description: { type: 'string', maxLength: AUTOMATION_DESCRIPTION_MAX },
  entryCriteria,
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
} as const;

export const createAutomationBody = schema({
  type: 'object',
  properties: { ...fields, active: { type: 'boolean', description: 'true: validate and activate at once.' } },
});

export const updateAutomationBody = schema({
  type: 'object',
  properties: {
    ...fields,
    existing: {
      enum: ['keep', 'move'],
      description: 'What becomes of the people inside: keep what they entered with (default), or move on to this.',
    },
  },
});

const changeFields = {
  ...contactFieldValues,
  contactProperties: customProperties,
  customFields: customProperties,
  listIds: { type: 'array', maxItems: 100, items: idReference },
} as const;

export const simulateBody = schema({
  type: 'object',
  properties: {
    contact: {
      type: 'object',
      description: 'The contact as it is created at `from`; or contactId, to take the values of a stored one.',
      properties: { contactId: idReference, email: emailField, ...changeFields },
    },
    events: {
      type: 'array',
      maxItems: SIMULATED_EVENTS_MAX,
      items: {
        type: 'object',
        required: ['at', 'eventName'],
        properties: { at: timestampField, eventName: { type: 'string' }, properties: { type: 'object' } },
      },
    },
    changes: {
      type: 'array',
      maxItems: SIMULATED_EVENTS_MAX,
      items: {
        type: 'object',
        required: ['at'],
        properties: {
          at: timestampField,
          ...changeFields,
          removeListIds: { type: 'array', maxItems: 100, items: idReference },
          unsubscribed: { type: 'boolean', description: 'true: the contact unsubscribes.' },
          deleted: { type: 'boolean', description: 'true: the contact is deleted.' },
        },
      },
    },
    from: { ...timestampField, description: 'When it begins; now when left out.' },
  },
});

export const automationsQuery = schema({
  type: 'object',
  properties: { ...pageFields, status: { enum: ['draft', 'active', 'paused', 'archived'] } },
});
export const enrollmentsQuery = schema({
  type: 'object',
  properties: { ...pageFields, status: { enum: ['active', 'completed', 'exited'] } },
});

const stepAnswer = {
  type: 'object',
  required: ['stepId', 'type', 'nextStepId', 'parentBranchStepId', 'parentBranchId', 'checkExitCriteria'],
  properties: {
    stepId: { type: 'string' },
    type: { enum: ['wait', 'email', 'branch'] },
    nextStepId: nullableString,
    parentBranchStepId: nullableString,
    parentBranchId: nullableString,
    checkExitCriteria: { type: 'boolean' },
    delay,
    email,
    branches: { type: 'array', items: { type: 'object', required: ['branchId', 'nextStepId', 'mergeStepId'] } },
  },
} as const;

const counted = { type: 'integer', minimum: 0 } as const;
const exits = {
  type: 'object',
  additionalProperties: counted,
  description: 'People who left early, by reason.',
} as const;
const statistics = {
  title: 'AutomationStatistics',
  type: 'object',
  required: ['entered', 'active', 'completed', 'exited', 'exitedBy', 'emails', 'parked', 'backlog', 'steps'],
  properties: {
    entered: counted,
    active: { ...counted, description: 'Inside now.' },
    completed: counted,
    exited: counted,
    exitedBy: exits,
    emails: { ...counted, description: 'Mails handed to the sending lane.' },
    parked: { ...counted, description: 'Standing still because the automation is paused.' },
    backlog: {
      type: 'object',
      required: ['triggers', 'starts'],
      description:
        'What waits for its turn: triggers that were not followed yet, people whose run was not started yet.',
      properties: { triggers: counted, starts: counted },
    },
    steps: {
      type: 'array',
      items: {
        type: 'object',
        required: ['stepId', 'entered', 'active', 'exited', 'exitedBy', 'emails'],
        properties: {
          stepId: { type: 'string' },
          type: { enum: ['wait', 'email', 'branch', 'removed'] },
          entered: counted,
          active: counted,
          exited: counted,
          exitedBy: exits,
          emails: counted,
        },
      },
    },
  },
} as const;

const automation = {
  title: 'Automation',
  type: 'object',
  required: [
    'id',
    'projectId',
    'organizationId',
    'name',
    'description',
    'status',
    'entryCriteria',
    'exitCriteria',
    'steps',
    'tags',
    'unsubscribeGroupId',
    'trackingOpen',
    'trackingClick',
    'activeAt',
    'createdAt',
    'updatedAt',
  ],
  properties: {
    id: idField,
    projectId: idField,
    organizationId: idField,
    name: { type: 'string' },
    description: { type: 'string' },
    status: { enum: ['draft', 'active', 'paused', 'archived'] },
    entryCriteria: { type: 'object', required: ['type'], properties: { type: { enum: entryTypes } } },
    exitCriteria: { ...exitCriteria, required: ['type'] },
    steps: { type: 'array', items: stepAnswer },
    tags: { type: 'array', items: { type: 'string' } },
    unsubscribeGroupId: nullableString,
    trackingOpen: { type: 'boolean' },
    trackingClick: { type: 'boolean' },
    activeAt: nullableTimestamp,
    createdAt: timestampField,
    updatedAt: timestampField,
    version: { type: 'integer', description: 'Moves with every PATCH.' },
    statistics,
  },
} as const;

export const automationAnswer = shape(automation);
export const automationsAnswer = shape({
  type: 'object',
  required: ['automations', 'pagination'],
  properties: { automations: { type: 'array', items: automation }, pagination: paginationFields },
});

const enrollment = {
  title: 'Enrollment',
  type: 'object',
  required: ['id', 'contactId', 'email', 'status', 'stepId', 'wakeAt', 'exitReason', 'version', 'enteredAt', 'history'],
  properties: {
    id: idField,
    contactId: idField,
    email: { ...nullableString, description: 'null when the contact was deleted.' },
    status: { enum: ['active', 'completed', 'exited'] },
    stepId: { ...nullableString, description: 'Where the person stands.' },
    nextStepId: nullableString,
    wakeAt: { ...nullableTimestamp, description: 'When the wait ends.' },
    parked: { type: 'boolean' },
    exitReason: nullableString,
    version: { type: 'integer' },
    enteredAt: timestampField,
    endedAt: nullableTimestamp,
    history: {
      type: 'array',
      items: {
        type: 'object',
        required: ['type', 'at'],
        properties: { type: { type: 'string' }, at: timestampField, stepId: { type: 'string' } },
      },
    },
  },
} as const;

export const enrollmentsAnswer = shape({
  type: 'object',
  required: ['enrollments', 'pagination'],
  properties: { enrollments: { type: 'array', items: enrollment }, pagination: paginationFields },
});

const simulatedEntry = {
  type: 'object',
  required: ['enteredAt', 'enteredBy', 'steps', 'exit'],
  properties: {
    enteredAt: timestampField,
    enteredBy: { type: 'string' },
    steps: { type: 'array', items: { type: 'object', required: ['type', 'at'] } },
    exit: {
      type: ['object', 'null'],
      required: ['at', 'status', 'reason'],
      description: 'null: still inside when nothing more happens.',
      properties: { at: timestampField, status: { enum: ['completed', 'exited'] }, reason: nullableString },
    },
  },
} as const;

export const simulationAnswer = shape({
  title: 'Simulation',
  type: 'object',
  required: ['entered', 'mails', 'branches', 'exit', 'entries', 'skipped'],
  properties: {
    entered: { type: 'boolean' },
    mails: {
      type: 'array',
      items: {
        type: 'object',
        required: ['at', 'stepId', 'subject', 'templateId'],
        properties: {
          at: timestampField,
          stepId: { type: 'string' },
          subject: nullableString,
          templateId: nullableString,
        },
      },
    },
    branches: {
      type: 'array',
      items: {
        type: 'object',
        required: ['at', 'stepId', 'branchId', 'rule'],
        properties: {
          at: timestampField,
          stepId: { type: 'string' },
          branchId: nullableString,
          rule: { type: 'string' },
        },
      },
    },
    exit: { ...simulatedEntry.properties.exit, description: 'Of the last entry.' },
    entries: { type: 'array', items: simulatedEntry },
    skipped: {
      type: 'array',
      description: 'Triggers that changed nothing, and why.',
      items: {
        type: 'object',
        required: ['at', 'trigger', 'reason'],
        properties: { at: timestampField, trigger: { type: 'string' }, reason: { type: 'string' } },
      },
    },
  },
});
