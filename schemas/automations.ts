import { draftMark, draftRevision, draftVersion, existingField, publishedInside } from './automation-drafts.ts';
import { utmField } from './campaigns/utm.ts';
import {
  createdByField,
  emailField,
  idField,
  idReference,
  nullableString,
  nullableTimestamp,
  pageAnswer,
  pageFields,
  timestampField,
} from './common.ts';
import { webhook, webhookAnswer } from './events/step-webhooks.ts';
import { givenTags } from './mail/tags.ts';
import { CONTACT_LISTS_MAX, contactFieldValues, customProperties } from './people/contacts.ts';
import { schema, shape } from './schema.ts';
import { contentField } from './templates/blocks.ts';
import { templatePreview } from './templates/templates.ts';

const AUTOMATION_NAME_MAX = 255;
const AUTOMATION_DESCRIPTION_MAX = 1_000;
const STEPS_MAX = 200;
const BRANCHES_MAX = 20;
const SHARES_MAX = 10;
const DELAY_DAYS_MAX = 3_650;
const REENTRY_DAYS_MAX = 3_650;
const SIMULATED_EVENTS_MAX = 1_000;
const TAGS_MAX = 50;
const SUBJECT_MAX = 998;
const PREVIEW_MAX = 200;
const HTML_MAX = 1_000_000;
const URL_MAX = 2_000;

const line = (maxLength: number) => ({ type: 'string', maxLength, format: 'line' }) as const;
const stepId = { ...line(100), minLength: 1 } as const;
const nullableStepId = { ...stepId, type: ['string', 'null'] } as const;
const filterCriteria = {
  type: 'object',
  description:
    'logicalOperator (AND or OR) and groups of {field, operator, value, fieldType}, nested up to five levels. {field: listIds, operator: in_list or not_in_list, value: the id of a list} asks about a list.',
} as const;
const propertyValue = {
  title: 'CriterionValue',
  type: ['string', 'number', 'boolean', 'null'],
  maxLength: 1_000,
} as const;

const timeOfDay = { type: 'string', pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$' } as const;

const offset = {
  title: 'AutomationOffset',
  type: 'object',
  required: ['value', 'unit', 'direction'],
  properties: {
    value: { type: 'integer', minimum: 0, maximum: DELAY_DAYS_MAX * 1_440 },
    unit: { enum: ['minutes', 'hours', 'days'] },
    direction: { enum: ['before', 'after'] },
  },
} as const;

const entryTypes = [
  'contact_created',
  'contact_added_to_list',
  'contact_property_matches_with',
  'contact_property_changes_from_to',
  'event_trigger',
  'list_left',
  'form_submitted',
  'email_received',
  'date_reached',
] as const;

const entryType = { title: 'EntryType', enum: entryTypes } as const;
const entryCriteria = {
  title: 'EntryCriteriaInput',
  type: 'object',
  properties: {
    type: entryType,
    listId: { ...idReference, description: 'A list or a segment.' },
    formId: { ...idReference, description: 'Of form_submitted: the form.' },
    address: {
      ...emailField,
      description: 'Of email_received: an address at a domain of the project that receives mail.',
    },
    eventName: line(64),
    property: {
      ...line(100),
      description:
        'A field of the contact, or contactProperties.<name>. Of date_reached: contactProperties.<name> that is declared as a date or not declared, createdAt or updatedAt.',
    },
    fromValue: { ...propertyValue, description: 'Omitted: any value.' },
    toValue: { ...propertyValue, description: 'Omitted: any value.' },
    offset: {
      ...offset,
      description: 'Of date_reached: so much before or after the date; days are those of the calendar.',
    },
    time: { ...timeOfDay, description: 'Of date_reached: the time of that day, in the zone of the person.' },
    yearly: {
      type: 'boolean',
      description:
        'Of date_reached. true: on each anniversary of the date, from the date itself on; 29 February is 28 February in other years. Omitted: once for each date.',
    },
    filterCriteria,
  },
} as const;

const reentry = {
  title: 'Reentry',
  description:
    'Whether a person who left may enter again: never (once), at once (after_exit), or not before so many days after leaving. Omitted: once for contact_created, after_exit for all others. Nobody is inside twice at a time.',
  anyOf: [
    { enum: ['once', 'after_exit'] },
    {
      type: 'object',
      required: ['afterDays'],
      properties: { afterDays: { type: 'integer', minimum: 1, maximum: REENTRY_DAYS_MAX } },
    },
  ],
} as const;

const exitCriteria = {
  title: 'ExitCriteriaInput',
  type: 'object',
  properties: { type: { enum: ['workflow_complete', 'entry_criteria_no_longer_met'] } },
} as const;

const delay = {
  title: 'AutomationDelay',
  type: 'object',
  required: ['value', 'unit'],
  properties: {
    value: { type: 'integer', minimum: 0, maximum: DELAY_DAYS_MAX * 1_440 },
    unit: { enum: ['minutes', 'mins', 'hours', 'days'] },
  },
} as const;

const until = {
  title: 'AutomationUntil',
  type: 'object',
  description:
    'Of a wait_until. Either time: the next moment at which a clock shows it on one of the weekdays; a time that the zone skips is the next moment that it has, one that it has twice the first. Or property: a date of the person, with an offset; a moment that is over passes at once, and a person without a date, or with one more than 3,650 days away, leaves (exitReason no_date). At the end of the wait the moment is computed again from the person as they are then: a date or zone that moved later prolongs the wait, and a date that moved earlier is noticed only then.',
  properties: {
    time: timeOfDay,
    weekdays: {
      type: 'array',
      minItems: 1,
      maxItems: 7,
      uniqueItems: true,
      items: { enum: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] },
      description: 'Omitted: every day.',
    },
    timezone: {
      ...line(64),
      description:
        'IANA name; or contact: the zone in the timezoneProperty of the project, and that of the project for people without one (counted as zoneMissing). Omitted: the zone of the project.',
    },
    latestAfterDays: {
      type: 'integer',
      minimum: 1,
      maximum: 366,
      description: 'The wait ends after as many days, if no such moment comes before.',
    },
    property: {
      ...line(100),
      description: 'contactProperties.<name>, declared as a date or not declared; createdAt or updatedAt.',
    },
    offset,
  },
} as const;

const waitEvent = {
  title: 'AutomationWaitEvent',
  type: 'object',
  description:
    'Of a wait_event: the first event of that name that matches filterCriteria lets the person go on at once, to nextStepId; when none has come by the end of timeout, the person goes on to timeoutStepId. An event at the end itself is in time.',
  properties: {
    eventName: {
      ...line(64),
      description:
        'An event of the project; or email.opened (by a person), email.clicked (by a person) or email.replied, of the mail of emailStepId.',
    },
    emailStepId: {
      ...stepId,
      description: 'Of email.opened, email.clicked and email.replied: the email step, which leads here.',
    },
    url: { ...line(URL_MAX), description: 'Of email.clicked: the link. Omitted: any.' },
    filterCriteria: {
      ...filterCriteria,
      description: 'About the event (event.properties.<name>) and the person as they are when it comes. Omitted: any.',
    },
    timeout: { ...delay, description: 'How long the person waits at most.' },
    since: {
      enum: ['step', 'entry'],
      description:
        'step: the event must come while the person waits here. entry: one that came since they entered counts too, but not the one that entered them; of the 1,000 newest. Omitted: step.',
    },
  },
} as const;

const goalEvent = { ...line(64), description: 'Of a goal: the event that reaches it.' } as const;
const goalCriteria = {
  ...filterCriteria,
  description:
    'Of a goal. With eventName: about the event (event.properties.<name>) and the person. Without it: a person who matches has reached the goal, also on entering.',
} as const;

const email = {
  title: 'AutomationEmail',
  type: 'object',
  properties: {
    templateId: { ...idReference, description: 'An existing template; or give htmlTemplate, or content, and subject.' },
    templateName: line(200),
    htmlTemplate: { type: 'string', maxLength: HTML_MAX },
    content: contentField,
    editorJson: {
      type: 'object',
      description:
        'As answers have it: the content blocks of which htmlTemplate was made. Kept while htmlTemplate is what they make; other HTML is code.',
    },
    subject: line(SUBJECT_MAX),
    previewText: line(PREVIEW_MAX),
    senderEmail: emailField,
    senderName: line(200),
    senderReplyToEmail: emailField,
    senderReplyToName: line(200),
    projectId: {
      ...idReference,
      description: "Kept and answered as it is given; the mail is always of the automation's project.",
    },
    whenCapped: {
      enum: ['skip', 'wait'],
      description:
        'For a person who has had as many marketing mails as the frequency cap of the project allows. skip, the default: the mail is not sent (suppressed, FREQUENCY_CAP). wait: it waits until there is room, where that is within seven days of its step, while the person goes on to the next step.',
    },
    tags: { ...givenTags, description: `Of the mails of this step. ${givenTags.description}` },
  },
} as const;

const branch = {
  title: 'AutomationBranchInput',
  type: 'object',
  properties: {
    branchId: stepId,
    label: line(200),
    triggerType: { enum: ['contact_property_matches_with', 'event_property'] },
    filterCriteria: {
      ...filterCriteria,
      description:
        'Omitted: the branch always holds. May ask about lists, behaviour and the last days, as a segment does.',
    },
    appliesTo: { enum: ['branch_entry', 'all_branch_steps'] },
    nextStepId: { ...nullableStepId, description: 'First step of the branch.' },
    mergeStepId: { ...nullableStepId, description: 'The step at which the branch joins the main flow again.' },
  },
} as const;

const share = {
  title: 'AutomationShareInput',
  type: 'object',
  required: ['share'],
  properties: {
    branchId: stepId,
    label: line(200),
    share: {
      type: 'integer',
      minimum: 1,
      maximum: 99,
      description: 'Of a hundred people; those of a step add up to 100.',
    },
    nextStepId: { ...nullableStepId, description: 'First step of the share; null: the step after the split.' },
  },
} as const;

const changedLists = { type: 'array', maxItems: CONTACT_LISTS_MAX, items: idReference } as const;
const update = {
  title: 'AutomationUpdate',
  type: 'object',
  description: 'What changes of the person; one thing at least.',
  properties: {
    contactProperties: {
      ...customProperties,
      description:
        'null removes a property. A text may hold placeholders as mails do, such as {{contactProperties.plan}}, {{email}} or {{event.properties.amount}}.',
    },
    addListIds: { ...changedLists, description: 'Lists, not segments.' },
    removeListIds: changedLists,
  },
} as const;

const STEP_TYPES = [
  'wait',
  'email',
  'branch',
  'split',
  'exit',
  'wait_until',
  'update_contact',
  'wait_event',
  'webhook',
  'goal',
] as const;
const stepType = {
  title: 'AutomationStepType',
  enum: STEP_TYPES,
  description:
    'split: each person takes one of the shares, always the same one. exit: the person leaves the automation here. wait_until: the person waits until a time of day or a date. update_contact: changes properties and lists of the person. wait_event: the person waits for an event. webhook: posts an event about the person. goal: who reaches it (an event, or what the person matches) from anywhere before it continues here. With one of these, an email needs a wait, wait_until or wait_event somewhere between it and the email or goal before, or the start; without, directly before it.',
} as const;
const step = {
  title: 'AutomationStepInput',
  type: 'object',
  required: ['type'],
  properties: {
    type: stepType,
    stepId,
    nextStepId: nullableStepId,
    parentBranchStepId: nullableStepId,
    parentBranchId: nullableStepId,
    checkExitCriteria: { type: 'boolean' },
    delay,
    email,
    branches: { type: 'array', maxItems: BRANCHES_MAX, items: branch },
    shares: { type: 'array', maxItems: SHARES_MAX, items: share },
    until,
    update,
    waitEvent,
    timeoutStepId: {
      ...nullableStepId,
      description:
        'Of a wait_event: the step after its time-out. Omitted or null: the step after it, as with the event.',
    },
    webhook,
    eventName: goalEvent,
    filterCriteria: goalCriteria,
    failureStepId: {
      ...nullableStepId,
      description:
        'Of a webhook with wait: the step after a failure. Omitted or null: the step after it, as with an answer.',
    },
  },
} as const;

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

const changeFields = {
  ...contactFieldValues,
  contactProperties: customProperties,
  customFields: customProperties,
  listIds: { type: 'array', maxItems: 100, items: idReference },
} as const;

const answers = {
  type: 'object',
  maxProperties: STEPS_MAX,
  description:
    'By the stepId of webhook steps with wait: what their webhooks answer. Omitted: 200, without properties. With a status that is no 2xx the wait ends after its time-out.',
  additionalProperties: {
    title: 'SimulatedAnswer',
    type: 'object',
    properties: { status: { type: 'integer', minimum: 100, maximum: 599 }, contactProperties: customProperties },
  },
} as const;

export const simulateBody = schema({
  title: 'SimulateAutomationBody',
  type: 'object',
  properties: {
    contact: {
      title: 'SimulatedContact',
      type: 'object',
      description: 'The contact as it is created at `from`; or contactId, to take the values of a stored one.',
      properties: { contactId: idReference, email: emailField, ...changeFields },
    },
    events: {
      type: 'array',
      maxItems: SIMULATED_EVENTS_MAX,
      items: {
        title: 'SimulatedEvent',
        type: 'object',
        required: ['at', 'eventName'],
        properties: { at: timestampField, eventName: { type: 'string' }, properties: { type: 'object' } },
      },
    },
    changes: {
      type: 'array',
      maxItems: SIMULATED_EVENTS_MAX,
      items: {
        title: 'SimulatedChange',
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
    acts: {
      type: 'array',
      maxItems: SIMULATED_EVENTS_MAX,
      description:
        'Opens and clicks of a mail that the automation has sent by then, and answers to it (replies); before its first mail they do nothing. submits: the person sends a form, and confirms it where it asks for that; its values are given as a change of that time. writes: they write a mail to an address of the project.',
      items: {
        title: 'SimulatedAct',
        type: 'object',
        required: ['at', 'kind'],
        properties: {
          at: timestampField,
          kind: {
            enum: ['opens', 'clicks', 'replies', 'submits', 'writes'],
            description: 'opens: by a person. A click alone is no open.',
          },
          stepId: {
            ...stepId,
            description: 'Of opens, clicks and replies: the email step of the mail. Omitted: the last mail.',
          },
          url: {
            type: 'string',
            maxLength: URL_MAX,
            description: 'Of clicks: the link. Omitted: one without an address.',
          },
          formId: { ...idReference, description: 'Of submits: the form.' },
          address: { ...emailField, description: 'Of writes: the address.' },
        },
      },
    },
    answers,
    byHand: {
      type: 'boolean',
      description: 'true: the contact enters at `from` by hand, whatever the entry criteria are.',
    },
    from: { ...timestampField, description: 'The beginning; omitted: now.' },
    preview: {
      type: 'integer',
      minimum: 0,
      description:
        'The number of a mail in `mails`, from 0: it is rendered as the person sees it, with the data that they have then.',
    },
    version: draftVersion,
  },
});

const automationStatus = { title: 'AutomationStatus', enum: ['draft', 'active', 'paused', 'archived'] } as const;
const enrollmentStatus = { title: 'EnrollmentStatus', enum: ['active', 'completed', 'exited'] } as const;

export const automationsQuery = schema({
  type: 'object',
  properties: {
    ...pageFields,
    status: automationStatus,
    search: { type: 'string', maxLength: AUTOMATION_NAME_MAX, description: 'Part of the name.' },
  },
});
export const enrollmentsQuery = schema({
  type: 'object',
  properties: {
    ...pageFields,
    status: enrollmentStatus,
    stepId: { ...stepId, description: 'Only the people who are on this step now.' },
  },
});

const branchAnswer = {
  title: 'AutomationBranch',
  type: 'object',
  required: ['branchId', 'label', 'triggerType', 'filterCriteria', 'appliesTo', 'nextStepId', 'mergeStepId'],
  properties: {
    branchId: { type: 'string' },
    label: { type: 'string' },
    triggerType: branch.properties.triggerType,
    filterCriteria: { type: ['object', 'null'], description: 'null: the branch always holds.' },
    appliesTo: branch.properties.appliesTo,
    nextStepId: nullableString,
    mergeStepId: nullableString,
  },
} as const;

const shareAnswer = {
  title: 'AutomationShare',
  type: 'object',
  required: ['branchId', 'label', 'share', 'nextStepId'],
  properties: {
    branchId: { type: 'string' },
    label: { type: 'string' },
    share: { type: 'integer' },
    nextStepId: nullableString,
  },
} as const;

const stepAnswer = {
  title: 'AutomationStep',
  type: 'object',
  required: ['stepId', 'type', 'nextStepId', 'parentBranchStepId', 'parentBranchId', 'checkExitCriteria'],
  properties: {
    stepId: { type: 'string' },
    type: stepType,
    nextStepId: nullableString,
    parentBranchStepId: nullableString,
    parentBranchId: nullableString,
    checkExitCriteria: { type: 'boolean' },
    delay: { ...delay, description: 'Of a wait.' },
    email: { ...email, description: 'Of an email.' },
    branches: { type: 'array', items: branchAnswer, description: 'Of a branch.' },
    shares: { type: 'array', items: shareAnswer, description: 'Of a split.' },
    until: { ...until, description: 'Of a wait_until.' },
    update: { ...update, description: 'Of an update_contact.' },
    waitEvent,
    timeoutStepId: {
      ...nullableString,
      description: 'Of a wait_event: the step after its time-out; null: the step after it.',
    },
    webhook: webhookAnswer,
    eventName: goalEvent,
    filterCriteria: goalCriteria,
    failureStepId: {
      ...nullableString,
      description: 'Of a webhook with wait: the step after a failure; null: the step after it.',
    },
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

const simulatedExit = {
  title: 'SimulatedExit',
  type: ['object', 'null'],
  required: ['at', 'status', 'reason'],
  description: 'null: still inside when nothing more happens.',
  properties: { at: timestampField, status: { enum: ['completed', 'exited'] }, reason: nullableString },
} as const;

const simulatedStep = {
  title: 'SimulatedStep',
  type: 'object',
  required: ['type', 'at', 'stepId'],
  properties: {
    type: {
      enum: [
        ...['wait', 'heard', 'timed_out', 'goal', 'goal_passed', 'email', 'branch', 'branch_left', 'update_contact'],
        'webhook',
        'webhook_answered',
        'webhook_failed',
      ],
    },
    at: timestampField,
    stepId: { type: 'string' },
    until: { ...timestampField, description: 'Of a wait, and a webhook whose answer the person waits for: its end.' },
    branchId: nullableString,
    rule: { type: 'string', description: 'The criteria that decided.' },
    update: {
      ...update,
      description:
        'Of an update_contact: what it changes, with the texts rendered. Of webhook_answered: what the answer changes.',
    },
    reason: {
      type: 'string',
      description:
        'Why an update_contact cannot change the person, or a webhook fails. zone_missing: a wait in the zone of the project, since the person has none.',
    },
  },
} as const;

const simulatedEntry = {
  title: 'SimulatedEntry',
  type: 'object',
  required: ['enteredAt', 'enteredBy', 'steps', 'exit'],
  properties: {
    enteredAt: timestampField,
    enteredBy: { type: 'string' },
    steps: { type: 'array', items: simulatedStep },
    exit: simulatedExit,
  },
} as const;

export const simulationAnswer = shape({
  title: 'Simulation',
  type: 'object',
  required: ['entered', 'mails', 'branches', 'exit', 'entries', 'skipped', 'preview'],
  properties: {
    entered: { type: 'boolean' },
    mails: {
      type: 'array',
      items: {
        title: 'SimulatedMail',
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
        title: 'SimulatedBranch',
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
    exit: { ...simulatedExit, description: 'Of the last entry.' },
    entries: { type: 'array', items: simulatedEntry },
    skipped: {
      type: 'array',
      description: 'Triggers that changed nothing, and why.',
      items: {
        title: 'SkippedTrigger',
        type: 'object',
        required: ['at', 'trigger', 'reason'],
        properties: { at: timestampField, trigger: { type: 'string' }, reason: { type: 'string' } },
      },
    },
    preview: { ...templatePreview, type: ['object', 'null'], description: 'null: none was asked for.' },
  },
});
