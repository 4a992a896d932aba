import { emailField, idReference, nullableString, timestampField } from '../common.ts';
import { contactFieldValues, customProperties } from '../people/contacts.ts';
import { schema, shape } from '../schema.ts';
import { templatePreview } from '../templates/previews.ts';
import { draftVersion } from './drafts.ts';
import { STEPS_MAX, update } from './steps.ts';
import { stepId, URL_MAX } from './values.ts';

/** A simulation: the person and their acts, and what would become of them. */

const SIMULATED_EVENTS_MAX = 1_000;

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
