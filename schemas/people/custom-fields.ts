import { idField, pageAnswer, timestampField } from '../common.ts';
import { schema, shape } from '../schema.ts';
import { CONTACT_FIELDS, PROPERTY_TEXT_MAX, propertyValue } from './contacts.ts';

const FIELD_LABEL_MAX = 100;
const FIELD_DESCRIPTION_MAX = 1_000;
const CREATED_FIELDS_MAX = 1_000;

/** Names that every contact has of its own. */
export const RESERVED_FIELD_NAMES: readonly string[] = [
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
];

const fieldName = { type: 'string', pattern: '^[A-Za-z0-9_]{1,64}$' } as const;
const fieldType = { enum: ['string', 'number', 'boolean', 'date'] } as const;
const details = {
  label: {
    type: 'string',
    maxLength: FIELD_LABEL_MAX,
    format: 'line',
    description:
      'How people read the field: it can change at any time, while templates, filters and programs name it by fieldName. Empty: by fieldName too.',
  },
  description: { type: 'string', maxLength: FIELD_DESCRIPTION_MAX },
  defaultValue: {
    title: 'PropertyInput',
    type: ['string', 'number', 'boolean', 'null'],
    maxLength: PROPERTY_TEXT_MAX,
    description: 'Given to contacts that are created without a value; coerced to fieldType. null: none.',
  },
} as const;

const newCustomField = {
  title: 'CreateCustomFieldBody',
  type: 'object',
  required: ['fieldName', 'fieldType'],
  properties: { fieldName, fieldType, ...details },
} as const;

export const createCustomFieldBody = schema(newCustomField);
export const createCustomFieldsBody = schema({
  title: 'CreateCustomFieldsBody',
  type: 'object',
  required: ['customFields'],
  properties: {
    customFields: {
      type: 'array',
      minItems: 1,
      maxItems: CREATED_FIELDS_MAX,
      items: newCustomField,
    },
  },
});
export const updateCustomFieldBody = schema({
  title: 'UpdateCustomFieldBody',
  type: 'object',
  properties: { fieldName, fieldType, ...details },
});

const customField = {
  title: 'CustomField',
  type: 'object',
  required: ['id', 'fieldName', 'fieldType', 'label', 'description', 'defaultValue', 'createdAt', 'updatedAt'],
  properties: {
    id: idField,
    fieldName: { type: 'string' },
    fieldType,
    label: { type: 'string' },
    description: { type: 'string' },
    defaultValue: propertyValue,
    createdAt: timestampField,
    updatedAt: timestampField,
  },
} as const;

export const customFieldAnswer = shape(customField);
export const createdCustomFieldsAnswer = shape({
  title: 'CreatedCustomFields',
  type: 'object',
  required: ['customFields', 'createdCount'],
  properties: {
    customFields: {
      type: 'array',
      items: customField,
      description: 'In the order of the request. A name that was declared already has its field as it was.',
    },
    createdCount: { type: 'integer' },
  },
});
export const customFieldsAnswer = pageAnswer('CustomFieldsPage', 'customFields', customField);
