import { EMAIL_LENGTH_MAX, emailField, idField, pageAnswer, pageFields, timestampField } from '../common.ts';
import { schema, shape } from '../schema.ts';

const SENDER_NAME_MAX = 256;

const name = { type: 'string', maxLength: SENDER_NAME_MAX, format: 'line', description: 'Display name.' } as const;
const replyTo = { type: 'string', maxLength: 320, description: 'An email address; empty: none.' } as const;

export const createSenderBody = schema({
  title: 'CreateSenderBody',
  type: 'object',
  required: ['email'],
  properties: { email: { ...emailField, description: 'On a verified domain of the project.' }, name, replyTo },
});

const { default: _, ...page } = pageFields.page;
const { default: __, ...limit } = pageFields.limit;
export const sendersQuery = schema({
  type: 'object',
  properties: {
    page: { ...page, description: 'Page number, from 1. Without page and limit all senders are answered.' },
    limit: { ...limit, description: 'Entries a page, 20 when only page is given.' },
    search: { type: 'string', maxLength: EMAIL_LENGTH_MAX, description: 'Part of the address or of the name.' },
    newestFirst: { type: 'boolean', description: 'By the time that they were made. Otherwise the oldest comes first.' },
  },
});

export const updateSenderBody = schema({
  title: 'UpdateSenderBody',
  type: 'object',
  properties: { email: emailField, name, replyTo },
});

const sender = {
  title: 'Sender',
  type: 'object',
  required: ['id', 'email', 'name', 'replyTo', 'createdAt', 'updatedAt'],
  properties: {
    id: idField,
    email: { type: 'string' },
    name: { type: 'string' },
    replyTo: { type: 'string', description: 'Empty when not set.' },
    createdAt: timestampField,
    updatedAt: timestampField,
  },
} as const;

export const senderAnswer = shape(sender);
export const sendersAnswer = pageAnswer('SendersPage', 'senders', sender);
