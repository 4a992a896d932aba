import {
  emailField,
  idField,
  idReference,
  nullableString,
  pageFields,
  paginationFields,
  timestampField,
} from './common.ts';
import { schema, shape } from './schema.ts';

export const CONTACT_FIELD_MAX = 256;
export const PROPERTY_TEXT_MAX = 4_096;
const BULK_UPDATE_MAX = 100;
const SEARCH_EMAILS_MAX = 1_000;
const REMOVE_EMAILS_MAX = 1_000;
export const CONTACT_LISTS_MAX = 100;
export const PROPERTIES_MAX = 200;
export const PROPERTY_NAME = /^[A-Za-z0-9_]{1,64}$/;

/** The fields of every contact that callers may set, apart from the address. */
export const CONTACT_FIELDS = ['firstName', 'lastName', 'userId', 'mobile'] as const;
export type ContactField = (typeof CONTACT_FIELDS)[number];

export const contactFieldValues = {
  firstName: nullableString,
  lastName: nullableString,
  userId: nullableString,
  mobile: nullableString,
} as const;

const text = { type: ['string', 'null'], maxLength: CONTACT_FIELD_MAX, format: 'line' } as const;
/** The custom properties of a contact, in every call that takes them. */
export const customProperties = {
  type: 'object',
  maxProperties: PROPERTIES_MAX,
  propertyNames: { pattern: PROPERTY_NAME.source },
  additionalProperties: { type: ['string', 'number', 'boolean', 'null'], maxLength: PROPERTY_TEXT_MAX },
} as const;

const contactFields = {
  firstName: { ...text, description: 'An empty string clears the stored value; null or omission leaves it unchanged.' },
  lastName: text,
  userId: text,
  mobile: { type: ['string', 'null'], format: 'mobile', description: 'E.164, for example +12025550123.' },
  contactProperties: { ...customProperties, description: 'Custom attributes; null removes one.' },
  customFields: { ...customProperties, description: 'Alias of contactProperties.' },
  listIds: {
    type: 'array',
    maxItems: CONTACT_LISTS_MAX,
    items: idReference,
    description: 'Lists to add the contact to.',
  },
} as const;

export const upsertContactBody = schema({
  type: 'object',
  required: ['email'],
  properties: { email: emailField, ...contactFields },
});
export const updateContactBody = schema({ type: 'object', properties: { email: emailField, ...contactFields } });

export const bulkUpdateBody = schema({
  type: 'object',
  required: ['contacts'],
  properties: {
    contacts: {
      type: 'array',
      minItems: 1,
      maxItems: BULK_UPDATE_MAX,
      items: { type: 'object', description: 'The body of POST /contacts/email; each is judged by itself.' },
    },
    runWorkflow: { type: 'boolean', description: 'Whether automations start for these contacts; omitted: false.' },
  },
});

const emails = (maxItems: number) => ({ type: 'array', minItems: 1, maxItems, items: { type: 'string' } }) as const;
export const searchEmailsBody = schema({
  type: 'object',
  required: ['emails'],
  properties: { emails: emails(SEARCH_EMAILS_MAX) },
});
export const removeEmailsBody = schema({
  type: 'object',
  required: ['emails'],
  properties: { emails: emails(REMOVE_EMAILS_MAX) },
});

export const contactsQuery = schema({
  type: 'object',
  properties: { ...pageFields, search: { type: 'string', maxLength: 320, description: 'Part of the email address.' } },
});

const contact = {
  title: 'Contact',
  type: 'object',
  required: [
    'id',
    'email',
    ...CONTACT_FIELDS,
    'contactProperties',
    'customFields',
    'listIds',
    'segmentIds',
    'projectId',
    'createdAt',
    'updatedAt',
  ],
  properties: {
    id: idField,
    email: { type: 'string' },
    ...contactFieldValues,
    contactProperties: { type: 'object' },
    customFields: { type: 'object', description: 'The same as contactProperties.' },
    listIds: { type: 'array', items: idField },
    segmentIds: { type: 'array', items: idField },
    projectId: idField,
    createdAt: timestampField,
    updatedAt: timestampField,
  },
} as const;

export const contactAnswer = shape(contact);
export const contactsAnswer = shape({
  type: 'object',
  required: ['contacts', 'pagination'],
  properties: { contacts: { type: 'array', items: contact }, pagination: paginationFields },
});
export const foundContactsAnswer = shape({
  type: 'object',
  required: ['contacts'],
  properties: { contacts: { type: 'array', items: contact } },
});
export const deletedAnswer = shape({
  type: 'object',
  required: ['deleted'],
  properties: { deleted: { type: 'integer' } },
});

export const bulkUpdatedAnswer = shape({
  type: 'object',
  required: ['successCount', 'failedCount', 'totalCount', 'errors'],
  properties: {
    successCount: { type: 'integer' },
    failedCount: { type: 'integer' },
    totalCount: { type: 'integer' },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        required: ['index', 'email', 'message'],
        properties: { index: { type: 'integer' }, email: nullableString, message: { type: 'string' } },
      },
    },
  },
});
