import { idReference, nullableString } from '../common.ts';
import { CONTACT_LISTS_MAX, customProperties } from '../people/contacts.ts';
import { email } from './step-mails.ts';
import { webhook, webhookAnswer } from './step-webhooks.ts';
import { filterCriteria, line, nullableStepId, stepId } from './values.ts';
import { delay, until, waitEvent } from './waits.ts';

/** The steps of an automation. */

export const STEPS_MAX = 200;
const BRANCHES_MAX = 20;
const SHARES_MAX = 10;

const goalEvent = { ...line(64), description: 'Of a goal: the event that reaches it.' } as const;

const goalCriteria = {
  ...filterCriteria,
  description:
    'Of a goal. With eventName: about the event (event.properties.<name>) and the person. Without it: a person who matches has reached the goal, also on entering.',
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

export const update = {
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

export const STEP_TYPES = [
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

export const step = {
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

export const stepAnswer = {
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
