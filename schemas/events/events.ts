import { idField, idReference, nullableString, pageAnswer, pageFields, timestampField } from '../common.ts';
import { propertyValues } from '../people/contacts.ts';
import { schema, shape } from '../schema.ts';

const EVENT_PROPERTIES_MAX = 100;
export const EVENT_TEXT_MAX = 4_096;
const SUGGESTED_VALUES_MAX = 100;

const name = { type: 'string', pattern: '^[A-Za-z0-9_]{1,64}$' } as const;
const property = {
  title: 'EventPropertyInput',
  type: 'object',
  required: ['propertyName', 'type'],
  properties: {
    propertyName: name,
    type: { enum: ['string', 'number', 'date', 'boolean'] },
    description: { type: 'string', maxLength: 1_000 },
    suggestedValues: {
      type: 'array',
      maxItems: SUGGESTED_VALUES_MAX,
      items: { title: 'SuggestedValue', type: ['string', 'number', 'boolean'], maxLength: 256 },
    },
  },
} as const;
const properties = { type: 'array', maxItems: EVENT_PROPERTIES_MAX, items: property } as const;
const description = { type: 'string', maxLength: 1_000 } as const;

export const createEventBody = schema({
  title: 'CreateEventBody',
  type: 'object',
  required: ['eventName'],
  properties: { eventName: name, description, properties },
});
export const updateEventBody = schema({
  title: 'UpdateEventBody',
  type: 'object',
  properties: {
    eventName: { type: 'string', maxLength: 256, description: 'Cannot change.' },
    description,
    properties,
  },
});

export const eventsQuery = schema({
  type: 'object',
  properties: { ...pageFields, search: { type: 'string', maxLength: 64, description: 'Part of the name.' } },
});

/** Faults of the identifiers are reported in the order that the interface gives, so they are checked one by one. */
export const sendEventBody = schema({
  title: 'SendEventBody',
  type: 'object',
  required: ['eventName'],
  properties: {
    eventName: { type: 'string', maxLength: 1_000, description: 'Name of an existing event definition.' },
    email: { type: ['string', 'null'], maxLength: 1_024, description: 'An unknown address creates a contact.' },
    contactId: { ...idReference, type: ['string', 'null'], description: 'Wins over email.' },
    eventProperties: { type: ['object', 'null'], description: 'Keys are declared properties of the event.' },
  },
});

const definition = {
  title: 'EventDefinition',
  type: 'object',
  required: ['id', 'eventName', 'description', 'properties', 'createdAt', 'updatedAt'],
  properties: {
    id: idField,
    eventName: { type: 'string' },
    description: { type: 'string' },
    properties: {
      type: 'array',
      items: {
        ...property,
        title: 'EventProperty',
        required: ['propertyName', 'type', 'description', 'suggestedValues'],
      },
    },
    projectId: idField,
    createdAt: timestampField,
    updatedAt: timestampField,
  },
} as const;

export const eventAnswer = shape(definition);
export const eventsAnswer = pageAnswer('EventDefinitionsPage', 'events', definition);

export const eventRecordAnswer = shape({
  title: 'EventRecord',
  type: 'object',
  required: ['id', 'eventName', 'contactId', 'properties', 'createdAt'],
  properties: {
    id: idField,
    eventName: { type: 'string' },
    contactId: idField,
    properties: propertyValues,
    createdAt: timestampField,
  },
});

export const seenEventsAnswer = shape({
  title: 'SeenEvents',
  type: 'object',
  required: ['events'],
  properties: {
    events: {
      type: 'array',
      description: 'Recorded within the last 30 days, the newest first; 100 names at most.',
      items: {
        title: 'SeenEvent',
        type: 'object',
        required: ['eventName', 'lastRecordedAt'],
        properties: { eventName: { type: 'string' }, lastRecordedAt: timestampField },
      },
    },
  },
});

const RECORDS_MAX = 100;
export const recordsQuery = schema({
  type: 'object',
  properties: { limit: { type: 'integer', minimum: 1, maximum: RECORDS_MAX, default: 10 } },
});
export const recordsAnswer = shape({
  title: 'NewestEventRecords',
  type: 'object',
  required: ['records'],
  properties: {
    records: {
      type: 'array',
      description: 'The newest first.',
      items: {
        title: 'NewestEventRecord',
        type: 'object',
        required: ['id', 'eventName', 'contactId', 'email', 'properties', 'createdAt'],
        properties: {
          id: idField,
          eventName: { type: 'string' },
          contactId: idField,
          email: { ...nullableString, description: 'null when the contact was deleted.' },
          properties: propertyValues,
          createdAt: timestampField,
        },
      },
    },
  },
});
