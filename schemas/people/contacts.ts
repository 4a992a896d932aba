import {
  emailField,
  idField,
  idReference,
  nullableString,
  pageAnswer,
  pageFields,
  runWorkflow,
  timestampField,
} from '../common.ts';
import { schema, shape } from '../schema.ts';
import { consentField } from './consents.ts';

export const CONTACT_FIELD_MAX = 256;
export const PROPERTY_TEXT_MAX = 4_096;
const BULK_UPDATE_MAX = 100;
const SEARCH_EMAILS_MAX = 1_000;
const REMOVE_EMAILS_MAX = 1_000;
export const CONTACT_LISTS_MAX = 100;
export const PROPERTIES_MAX = 200;
/** Of all properties of a contact, as JSON in UTF-8: answers and events have all of them. */
export const PROPERTIES_BYTES_MAX = 65_536;
/** Of the contacts of one search by email. */
export const FOUND_PROPERTIES_BYTES_MAX = 8 * 1_048_576;
export const PROPERTY_NAME = /^[A-Za-z0-9_]{1,64}$/;
/** A property alone, or as filters name it. */
export const CONTACT_PROPERTY = /^(?:(?:contactProperties|customFields)\.)?([A-Za-z0-9_]{1,64})$/;

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
  additionalProperties: {
    title: 'PropertyInput',
    type: ['string', 'number', 'boolean', 'null'],
    maxLength: PROPERTY_TEXT_MAX,
  },
} as const;

const givenFields = {
  firstName: { ...text, description: 'An empty string clears the stored value; null or omission leaves it unchanged.' },
  lastName: text,
  userId: text,
  mobile: { type: ['string', 'null'], format: 'mobile', description: 'E.164, for example +12025550123.' },
  contactProperties: {
    ...customProperties,
    description: `Custom attributes; null removes one. Those of a contact take ${PROPERTIES_BYTES_MAX / 1_024} KiB at most, as JSON in UTF-8.`,
  },
  customFields: { ...customProperties, description: 'Alias of contactProperties.' },
  listIds: {
    type: 'array',
    maxItems: CONTACT_LISTS_MAX,
    items: idReference,
    description: 'Lists to add the contact to.',
  },
  consent: consentField,
} as const;

export const upsertContactBody = schema({
  title: 'ContactBody',
  type: 'object',
  required: ['email'],
  properties: { email: emailField, ...givenFields },
});
export const updateContactBody = schema({
  title: 'UpdateContactBody',
  type: 'object',
  properties: { email: emailField, ...givenFields },
});

export const bulkUpdateBody = schema({
  title: 'BulkUpdateContactsBody',
  type: 'object',
  required: ['contacts'],
  properties: {
    contacts: {
      type: 'array',
      minItems: 1,
      maxItems: BULK_UPDATE_MAX,
      items: { type: 'object', description: 'The body of POST /contacts/email; each succeeds or fails by itself.' },
    },
    runWorkflow,
  },
});

const emails = (maxItems: number) => ({ type: 'array', minItems: 1, maxItems, items: { type: 'string' } }) as const;
export const searchEmailsBody = schema({
  title: 'FindContactsByEmailBody',
  type: 'object',
  required: ['emails'],
  properties: { emails: emails(SEARCH_EMAILS_MAX) },
});
export const removeEmailsBody = schema({
  title: 'DeleteContactsByEmailBody',
  type: 'object',
  required: ['emails'],
  properties: { emails: emails(REMOVE_EMAILS_MAX) },
});

export const contactsQuery = schema({
  type: 'object',
  properties: { ...pageFields, search: { type: 'string', maxLength: 320, description: 'Part of the email address.' } },
});

export const propertyValue = { title: 'PropertyValue', type: ['string', 'number', 'boolean', 'null'] } as const;
/** Custom properties of a contact or an event, as answers show them. */
export const propertyValues = {
  type: 'object',
  additionalProperties: propertyValue,
} as const;

/** A contact as answers show it; events leave out the alias and the project. */
export const contactFields = {
  id: idField,
  email: { type: 'string' },
  ...contactFieldValues,
  contactProperties: propertyValues,
  customFields: { ...propertyValues, description: 'The same as contactProperties.' },
  listIds: { type: 'array', items: idField },
  segmentIds: { type: 'array', items: idField },
  projectId: idField,
  createdAt: timestampField,
  updatedAt: timestampField,
} as const;

const contact = {
  title: 'Contact',
  type: 'object',
  required: Object.keys(contactFields),
  properties: contactFields,
};

export const contactAnswer = shape(contact);
export const contactsAnswer = pageAnswer('ContactsPage', 'contacts', contact);
export const foundContactsAnswer = shape({
  title: 'FoundContacts',
  type: 'object',
  required: ['contacts'],
  properties: { contacts: { type: 'array', items: contact } },
});
export const deletedAnswer = shape({
  title: 'DeletedContacts',
  type: 'object',
  required: ['deleted'],
  properties: { deleted: { type: 'integer' } },
});

export const bulkUpdatedAnswer = shape({
  title: 'BulkUpdatedContacts',
  type: 'object',
  required: ['successCount', 'failedCount', 'totalCount', 'errors'],
  properties: {
    successCount: { type: 'integer' },
    failedCount: { type: 'integer' },
    totalCount: { type: 'integer' },
    errors: {
      type: 'array',
      items: {
        title: 'ContactError',
        type: 'object',
        required: ['index', 'email', 'message'],
        properties: { index: { type: 'integer' }, email: nullableString, message: { type: 'string' } },
      },
    },
  },
});
