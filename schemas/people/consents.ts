import { idField, nullableString, nullableTimestamp, pageAnswer, timestampField } from '../common.ts';

export const CONSENT_TEXT_MAX = 4_000;

const time = { type: ['string', 'null'], format: 'date-time' } as const;

/** Evidence that callers give with a contact. */
export const consentField = {
  title: 'ConsentInput',
  type: 'object',
  required: ['text'],
  description:
    'Stored as a record of its own with the change, for GET /contacts/{contactId}/consents. The same evidence given again is one record.',
  properties: {
    text: { type: 'string', minLength: 1, maxLength: CONSENT_TEXT_MAX, description: 'The words that were shown.' },
    askedAt: {
      ...time,
      description: 'ISO 8601 with a zone, not in the future; omitted: confirmedAt, or the time of the call.',
    },
    confirmedAt: { ...time, description: 'When a double opt-in was confirmed, by the same rules.' },
    networkAddress: {
      ...nullableString,
      maxLength: 64,
      description: 'The IP address of the person; the project decides how much of it is stored.',
    },
  },
} as const;

const consent = {
  title: 'Consent',
  type: 'object',
  required: [
    ...['id', 'email', 'source', 'formId', 'importId', 'listIds', 'text', 'textVersion'],
    ...['askedAt', 'confirmedAt', 'networkAddress', 'createdAt'],
  ],
  properties: {
    id: idField,
    email: { type: 'string', description: 'The address that the contact had then.' },
    source: {
      enum: ['form', 'page', 'import', 'api'],
      description: 'Where it was given: a form, the preference page, an import, or a call with `consent`.',
    },
    formId: nullableString,
    importId: nullableString,
    listIds: { type: 'array', items: idField, description: 'The lists that it was asked for.' },
    text: { type: 'string' },
    textVersion: { type: 'string', description: 'Begins the SHA-256 of the text: another text has another version.' },
    askedAt: timestampField,
    confirmedAt: nullableTimestamp,
    networkAddress: {
      ...nullableString,
      description: 'An address, or its network such as 203.0.113.0/24; null: none is stored.',
    },
    createdAt: { ...timestampField, description: 'When the record was written.' },
  },
} as const;

export const consentsAnswer = pageAnswer('ConsentsPage', 'consents', consent);
