import { emailField, idField, nullableString, pageAnswer, timestampField } from '../common.ts';
import { ROLES } from '../operations.ts';
import { schema, shape } from '../schema.ts';

/** 32 bytes as base64url. */
const TOKEN_LENGTH = 43;

export const requestLinkBody = schema({
  title: 'RequestSignInLinkBody',
  type: 'object',
  required: ['email'],
  properties: { email: emailField },
});

export const createSessionBody = schema({
  title: 'CreateSessionBody',
  type: 'object',
  required: ['token'],
  properties: {
    token: { type: 'string', minLength: 1, maxLength: TOKEN_LENGTH, description: 'Of a sign-in link; it works once.' },
  },
});

const organization = {
  title: 'SessionOrganization',
  type: 'object',
  required: ['id', 'name', 'memberId', 'role', 'operations', 'projects'],
  properties: {
    id: idField,
    name: { type: 'string' },
    memberId: { ...idField, description: 'The member of this organization that the person is.' },
    role: { type: 'string', enum: ROLES },
    operations: {
      type: 'array',
      items: { type: 'string' },
      description: 'The operations that the role includes, by operationId. Some are refused by what they would do.',
    },
    projects: {
      type: 'array',
      description: 'The first 100; GET /account/projects has all.',
      items: {
        title: 'SessionProject',
        type: 'object',
        required: ['id', 'name'],
        properties: { id: idField, name: { type: 'string' } },
      },
    },
  },
} as const;

export const currentSessionAnswer = shape({
  title: 'CurrentSession',
  type: 'object',
  required: ['id', 'email', 'createdAt', 'expiresAt', 'organizations'],
  properties: {
    id: idField,
    email: { type: 'string' },
    createdAt: timestampField,
    expiresAt: timestampField,
    organizations: { type: 'array', items: organization },
  },
});

export const sessionsAnswer = pageAnswer('SessionsPage', 'sessions', {
  title: 'Session',
  type: 'object',
  required: ['id', 'current', 'userAgent', 'createdAt', 'lastUsedAt', 'expiresAt'],
  properties: {
    id: idField,
    current: { type: 'boolean', description: 'The session of this call.' },
    userAgent: { ...nullableString, description: 'The browser, as it named itself when it signed in.' },
    createdAt: timestampField,
    lastUsedAt: { ...timestampField, description: 'To the minute.' },
    expiresAt: timestampField,
  },
});

export const endedSessionsAnswer = shape({
  title: 'EndedSessions',
  type: 'object',
  required: ['ended'],
  properties: { ended: { type: 'integer', description: 'How many sessions were ended.' } },
});
