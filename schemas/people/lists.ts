import {
  EMAIL_LENGTH_MAX,
  idField,
  idReference,
  nullableString,
  nullableTimestamp,
  pageAnswer,
  pageFields,
  seenUpdate,
  timestampField,
} from '../common.ts';
import { schema, shape } from '../schema.ts';
import { consentField } from './consents.ts';

const LIST_NAME_MAX = 200;
const LIST_DESCRIPTION_MAX = 1_000;
const BULK_ADD_MAX = 500;
const REMOVE_FROM_LIST_MAX = 10_000;
export const PREVIEWED_MAX = 10;

const filterDescription =
  'logicalOperator AND or OR, and 1 to 50 groups. A group is {field, operator, value, fieldType}, {field: listIds, operator: in_list or not_in_list, value: the id of a list}, {logicalOperator, groups} up to five levels deep, or {behaviour: opened, humanOpened, clicked, received or event; operator: at_least or never; count, withinDays or from and to, campaignId or automationId, url for clicked, eventName and properties for event}. 100 conditions at most. Behaviour concerns mail of campaigns and automations, and custom events: a mail counts once, at its first open, and each link of a mail once. It looks back RETENTION_DAYS at most, and never means within them.';

const name = { type: 'string', minLength: 1, maxLength: LIST_NAME_MAX, format: 'line', pattern: '\\S' } as const;
const listType = { title: 'ContactListType', enum: ['list', 'segment'] } as const;
const details = {
  description: { type: 'string', maxLength: LIST_DESCRIPTION_MAX },
  isPublic: {
    type: 'boolean',
    description: 'Lists only. true: people see the list on their preference page, and may join and leave it there.',
  },
  type: { ...listType, description: 'Omitted: segment when filterCriteria is given, else list.' },
  filterCriteria: {
    type: ['object', 'null'],
    description: `Segments only. ${filterDescription}`,
  },
} as const;

export const createListBody = schema({
  title: 'CreateContactListBody',
  type: 'object',
  required: ['name'],
  properties: { name, ...details },
});
export const updateListBody = schema({
  title: 'UpdateContactListBody',
  type: 'object',
  properties: { name, ...details, updatedAt: seenUpdate },
});
export const listsQuery = schema({
  type: 'object',
  properties: {
    ...pageFields,
    type: listType,
    search: { type: 'string', maxLength: LIST_NAME_MAX, description: 'Part of the name.' },
    newestFirst: {
      type: 'boolean',
      description: 'By the time that they were made. Otherwise the global list comes first, then lists, then segments.',
    },
  },
});

const contactListId = { ...idReference, description: 'A list, or GLOBAL_CONTACT_LIST.' } as const;
/** Addresses are validated one by one, so that an invalid one does not stop the others. */
const named = (maxItems: number) =>
  ({
    emails: { type: 'array', minItems: 1, maxItems, items: { type: 'string' } },
    contactIds: { type: 'array', minItems: 1, maxItems, items: { type: 'string' } },
  }) as const;

export const addToListBody = schema({
  title: 'AddContactsBody',
  type: 'object',
  required: ['contactListId'],
  properties: { contactListId, ...named(BULK_ADD_MAX), consent: consentField },
  description:
    'Either emails (contacts are created for unknown addresses) or contactIds. consent is recorded for each of them.',
});
export const removeFromListBody = schema({
  title: 'RemoveContactsBody',
  type: 'object',
  properties: named(REMOVE_FROM_LIST_MAX),
  description: 'Either emails or contactIds.',
});
export const searchListBody = schema({
  title: 'SearchListContactsBody',
  type: 'object',
  required: ['contactListId'],
  properties: {
    contactListId,
    ...pageFields,
    email: { type: 'string', maxLength: EMAIL_LENGTH_MAX, description: 'Part of the email address.' },
  },
});

const looksBackDays = {
  type: ['integer', 'null'],
  description:
    'Of a filter that asks about behaviour: the days for which it is kept; at_least and never mean within them. Else null.',
} as const;

const list = {
  title: 'ContactList',
  type: 'object',
  required: [
    'id',
    'name',
    'description',
    'type',
    'isPublic',
    'contactCount',
    'filterCriteria',
    'looksBackDays',
    'recompute',
    'createdAt',
    'updatedAt',
  ],
  properties: {
    id: { type: 'string', description: '24 hexadecimal characters, or GLOBAL_CONTACT_LIST.' },
    name: { type: 'string' },
    description: { type: 'string' },
    type: listType,
    isPublic: { type: 'boolean', description: 'true: shown on the preference page. Always false for segments.' },
    contactCount: { type: 'integer' },
    filterCriteria: { type: ['object', 'null'], description: 'null for lists.' },
    looksBackDays,
    recompute: {
      title: 'SegmentRecompute',
      type: ['object', 'null'],
      description: 'Segments: how far the contacts of the project were compared with the filter. null for lists.',
      required: ['status', 'processed', 'total', 'percent', 'requestedAt', 'completedAt'],
      properties: {
        status: { enum: ['running', 'completed'] },
        processed: { type: 'integer' },
        total: { type: 'integer' },
        percent: { type: 'integer' },
        requestedAt: timestampField,
        completedAt: nullableTimestamp,
      },
    },
    createdAt: timestampField,
    updatedAt: timestampField,
  },
} as const;

const foundContact = {
  title: 'ListContact',
  type: 'object',
  required: ['id', 'email', 'firstName', 'lastName', 'createdAt', 'updatedAt'],
  properties: {
    id: idField,
    email: { type: 'string' },
    firstName: nullableString,
    lastName: nullableString,
    createdAt: timestampField,
    updatedAt: timestampField,
  },
} as const;

export const previewBody = schema({
  title: 'PreviewContactListBody',
  type: 'object',
  required: ['filterCriteria'],
  properties: { filterCriteria: { type: 'object', description: filterDescription } },
});

export const previewAnswer = shape({
  title: 'ContactListPreview',
  type: 'object',
  required: ['count', 'isExact', 'estimate', 'looksBackDays', 'people'],
  properties: {
    count: { type: ['integer', 'null'], description: 'null when two seconds were not enough to count.' },
    isExact: { type: 'boolean', description: 'false when count is null; people are then those found until then.' },
    estimate: {
      type: ['integer', 'null'],
      description:
        'When count is null: about how many, from a sample of 2,000 contacts. null with a count, and when the time was not enough.',
    },
    looksBackDays,
    people: { type: 'array', maxItems: PREVIEWED_MAX, items: foundContact },
  },
});

export const listAnswer = shape(list);
export const listsAnswer = pageAnswer('ContactListsPage', 'lists', list);

const refused = {
  type: 'array',
  items: {
    title: 'RefusedContact',
    type: 'object',
    required: ['message'],
    properties: { email: { type: 'string' }, contactId: { type: 'string' }, message: { type: 'string' } },
  },
} as const;
const memberFields = ['id', 'email', 'createdAt', 'updatedAt', 'projectId', 'listIds', 'segmentIds'] as const;

export const addedToListAnswer = shape({
  title: 'AddedContacts',
  type: 'object',
  required: ['added', 'created', 'alreadyInList', 'errors', 'validation', 'totalContactsInList', 'contacts'],
  properties: {
    added: { type: 'integer', description: 'Existing contacts added.' },
    created: { type: 'integer', description: 'New contacts created and added.' },
    alreadyInList: { type: 'integer' },
    errors: refused,
    validation: {
      title: 'ListValidation',
      type: 'object',
      required: ['valid', 'invalid', 'suppressed'],
      properties: {
        valid: {
          type: 'array',
          items: {
            title: 'ListedEmail',
            type: 'object',
            required: ['email', 'status'],
            properties: { email: { type: 'string' }, status: { enum: ['created', 'added', 'already_in_list'] } },
          },
        },
        invalid: refused,
        suppressed: { type: 'array', items: { type: 'string' }, description: 'Added like the others, not mailed.' },
      },
    },
    totalContactsInList: { type: 'integer' },
    contacts: {
      type: 'array',
      items: {
        title: 'ListMember',
        type: 'object',
        required: memberFields,
        properties: {
          id: idField,
          email: { type: 'string' },
          createdAt: timestampField,
          updatedAt: timestampField,
          projectId: idField,
          listIds: { type: 'array', items: idField },
          segmentIds: { type: 'array', items: idField },
        },
      },
    },
  },
});

export const removedFromListAnswer = shape({
  title: 'RemovedContacts',
  type: 'object',
  required: ['removed', 'notInList', 'errors'],
  properties: { removed: { type: 'integer' }, notInList: { type: 'integer' }, errors: refused },
});

export const foundInListAnswer = pageAnswer('ListContactsPage', 'contacts', foundContact);
