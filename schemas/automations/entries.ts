import { emailField, idReference } from '../common.ts';
import { filterCriteria, line, offset, timeOfDay } from './values.ts';

/** The people who enter an automation, may enter it again, and leave it. */

const REENTRY_DAYS_MAX = 3_650;

const propertyValue = {
  title: 'CriterionValue',
  type: ['string', 'number', 'boolean', 'null'],
  maxLength: 1_000,
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

export const entryCriteria = {
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

export const reentry = {
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

export const exitCriteria = {
  title: 'ExitCriteriaInput',
  type: 'object',
  properties: { type: { enum: ['workflow_complete', 'entry_criteria_no_longer_met'] } },
} as const;
