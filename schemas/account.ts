import { idField, nullableString, paginationFields, timestampField } from './common.ts';
import { schema, shape } from './schema.ts';

const PROJECT_NAME_MAX = 200;
const name = { type: 'string', minLength: 1, maxLength: PROJECT_NAME_MAX, format: 'line', pattern: '\\S' } as const;

export const createProjectBody = schema({
  type: 'object',
  required: ['name'],
  properties: { name, trackingOpen: { type: 'boolean' }, trackingClick: { type: 'boolean' } },
});

export const updateProjectBody = schema({
  type: 'object',
  properties: { name, trackingOpen: { type: 'boolean' }, trackingClick: { type: 'boolean' } },
});

export const createApiKeyBody = schema({ type: 'object', required: ['name'], properties: { name } });

const project = {
  type: 'object',
  required: ['id', 'name', 'domain', 'domains', 'createdAt', 'trackingOpen', 'trackingClick'],
  properties: {
    id: idField,
    name: { type: 'string' },
    domain: { ...nullableString, description: 'The first verified domain.' },
    domains: {
      type: 'array',
      items: {
        type: 'object',
        required: ['id', 'domainName', 'verificationStatus', 'regionKey'],
        properties: {
          id: idField,
          domainName: { type: 'string' },
          verificationStatus: { enum: ['PENDING_CONFIGURATION', 'PENDING', 'VERIFIED'] },
          regionKey: { type: 'string' },
        },
      },
    },
    createdAt: timestampField,
    trackingOpen: { type: 'boolean' },
    trackingClick: { type: 'boolean' },
    inboundEmailDomain: {
      type: 'string',
      description: 'The first domain with inbound on; left out when there is none.',
    },
  },
} as const;

export const projectAnswer = shape(project);
export const projectsAnswer = shape({
  type: 'object',
  required: ['projects', 'pagination'],
  properties: { projects: { type: 'array', items: project }, pagination: paginationFields },
});

const apiKey = { id: idField, name: { type: 'string' }, createdAt: timestampField } as const;
export const newApiKeyAnswer = shape({
  type: 'object',
  required: ['id', 'name', 'createdAt'],
  properties: { ...apiKey, key: { type: 'string', description: 'Shown this once.' } },
});
export const apiKeysAnswer = shape({
  type: 'object',
  required: ['apiKeys', 'pagination'],
  properties: {
    apiKeys: { type: 'array', items: { type: 'object', required: ['id', 'name', 'createdAt'], properties: apiKey } },
    pagination: paginationFields,
  },
});
