import { idField, nullableString, nullableTimestamp, pageAnswer, timestampField } from './common.ts';
import { SCOPES } from './operations.ts';
import { schema, shape } from './schema.ts';

const PROJECT_NAME_MAX = 200;
const DOMAIN_NAME_INPUT_MAX = 1_024;
const name = { type: 'string', minLength: 1, maxLength: PROJECT_NAME_MAX, format: 'line', pattern: '\\S' } as const;

export const createProjectBody = schema({
  title: 'CreateProjectBody',
  type: 'object',
  required: ['name'],
  properties: { name, trackingOpen: { type: 'boolean' }, trackingClick: { type: 'boolean' } },
});

export const updateProjectBody = schema({
  title: 'UpdateProjectBody',
  type: 'object',
  properties: { name, trackingOpen: { type: 'boolean' }, trackingClick: { type: 'boolean' } },
});

export const createApiKeyBody = schema({
  title: 'CreateApiKeyBody',
  type: 'object',
  required: ['name'],
  properties: {
    name,
    scope: {
      type: 'string',
      enum: SCOPES,
      description:
        'full, the default: everything of the project. send: send mails and replies, and read the mails that this key sent. read: read, without changing anything.',
    },
    domainName: {
      type: 'string',
      minLength: 1,
      maxLength: DOMAIN_NAME_INPUT_MAX,
      format: 'line',
      description:
        'Only with scope send: the one domain that From of its mails and replies may be on. Not its subdomains.',
    },
  },
});

const project = {
  title: 'Project',
  type: 'object',
  required: ['id', 'name', 'domain', 'domains', 'createdAt', 'trackingOpen', 'trackingClick'],
  properties: {
    id: idField,
    name: { type: 'string' },
    domain: { ...nullableString, description: 'The first verified domain.' },
    domains: {
      type: 'array',
      items: {
        title: 'ProjectDomain',
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
export const projectsAnswer = pageAnswer('ProjectsPage', 'projects', project);

const apiKeyFields = {
  id: idField,
  name: { type: 'string' },
  scope: { type: 'string', enum: SCOPES },
  domainName: { ...nullableString, description: 'null: mails may come from every verified domain of the project.' },
  createdAt: timestampField,
  lastUsedAt: { ...nullableTimestamp, description: 'To the minute; null: never.' },
} as const;
const apiKey = {
  title: 'ApiKey',
  type: 'object',
  required: Object.keys(apiKeyFields),
  properties: apiKeyFields,
} as const;
export const newApiKeyAnswer = shape({
  ...apiKey,
  title: 'NewApiKey',
  properties: { ...apiKeyFields, key: { type: 'string', description: 'Shown this once; a repeat does not have it.' } },
});
export const apiKeysAnswer = pageAnswer('ApiKeysPage', 'apiKeys', apiKey);
