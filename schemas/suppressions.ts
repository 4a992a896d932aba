import {
  EMAIL_LENGTH_MAX,
  emailField,
  idField,
  nullableString,
  pageAnswer,
  pageFields,
  timestampField,
} from './common.ts';
import { schema, shape } from './schema.ts';

const GROUP_NAME_MAX = 200;
const GROUP_DESCRIPTION_MAX = 1_000;
const SUPPRESS_MAX = 10_000;

export const SUPPRESSION_REASONS = ['UNSUBSCRIBE', 'BOUNCE', 'COMPLAINT', 'MANUAL'] as const;
const reason = { title: 'SuppressionReason', enum: SUPPRESSION_REASONS } as const;
const groupCode = { type: 'string', maxLength: 256, description: 'Code of a suppression group.' } as const;
const name = { type: 'string', minLength: 1, maxLength: GROUP_NAME_MAX, format: 'line', pattern: '\\S' } as const;
const description = { type: 'string', maxLength: GROUP_DESCRIPTION_MAX } as const;

const isPublic = {
  type: 'boolean',
  description:
    'true: people see the group on their preference page. Not for the global and the marketing group; the default group is shown there as mail that names no group.',
} as const;

export const groupsQuery = schema({
  type: 'object',
  properties: {
    ...pageFields,
    search: { type: 'string', maxLength: GROUP_NAME_MAX, description: 'Part of the name.' },
    newestFirst: {
      type: 'boolean',
      description: 'By the time that they were made. Otherwise they come by their code.',
    },
  },
});

export const createGroupBody = schema({
  title: 'CreateSuppressionGroupBody',
  type: 'object',
  required: ['name'],
  properties: { name, description, isPublic },
});
export const updateGroupBody = schema({
  title: 'UpdateSuppressionGroupBody',
  type: 'object',
  properties: { name, description, isPublic },
});

const target = {
  emails: { type: 'array', minItems: 1, maxItems: SUPPRESS_MAX, items: emailField },
  groupId: { ...groupCode, description: 'Omitted: the default group.' },
  isGlobal: { type: 'boolean', description: 'true: the global group of the project; not together with groupId.' },
  isMarketing: {
    type: 'boolean',
    description:
      'true: the marketing group of the project, which stops all marketing mail, whichever group it names; not together with groupId or isGlobal.',
  },
} as const;

export const suppressBody = schema({
  title: 'SuppressBody',
  type: 'object',
  required: ['emails'],
  properties: { ...target, reason: { ...reason, description: 'Omitted: MANUAL.' } },
});
export const unsuppressBody = schema({
  title: 'UnsuppressBody',
  type: 'object',
  required: ['emails'],
  properties: target,
});

export const searchSuppressionsBody = schema({
  title: 'SearchSuppressionsBody',
  type: 'object',
  properties: {
    groupId: groupCode,
    reason,
    ...pageFields,
    startDate: { ...timestampField, description: 'Entries created on or after.' },
    endDate: { ...timestampField, description: 'Entries created on or before.' },
    search: { type: 'string', maxLength: EMAIL_LENGTH_MAX, description: 'Part of address, reason or group code.' },
    email: { type: 'string', maxLength: EMAIL_LENGTH_MAX, description: 'Exactly this address, in any spelling.' },
    isGlobal: { type: 'boolean', description: 'true: only entries of the global group.' },
    isMarketing: { type: 'boolean', description: 'true: only entries of the marketing group.' },
  },
});

const groupFields = [
  'id',
  'groupId',
  'name',
  'description',
  'isGlobal',
  'isDefault',
  'isMarketing',
  'isPublic',
  'suppressionCount',
  'createdAt',
  'updatedAt',
] as const;
const code = { type: 'string', pattern: '^[A-Z0-9]{6}$' } as const;
const groupProperties = {
  id: code,
  groupId: { ...code, description: 'The same as id.' },
  name: { type: 'string' },
  description: { type: 'string' },
  isGlobal: { type: 'boolean' },
  isDefault: { type: 'boolean' },
  isMarketing: { type: 'boolean', description: 'true: its entries stop all marketing mail, whichever group it names.' },
  isPublic: { type: 'boolean', description: 'true: shown on the preference page.' },
  suppressionCount: { type: 'integer' },
  createdAt: timestampField,
  updatedAt: timestampField,
} as const;
const exceptGroupIds = {
  type: 'array',
  items: code,
  description: 'Of an entry of the marketing group: the groups that the person turned on again since.',
} as const;
const group = {
  title: 'SuppressionGroup',
  type: 'object',
  required: groupFields,
  properties: groupProperties,
} as const;

export const groupAnswer = shape(group);
export const groupsAnswer = pageAnswer('SuppressionGroupsPage', 'groups', group);

export const unsubscribeGroupsAnswer = pageAnswer('UnsubscribeGroupsPage', 'groups', {
  title: 'UnsubscribeGroup',
  type: 'object',
  required: [...groupFields, 'reason', 'exceptGroupIds', 'suppressedAt'],
  properties: { ...groupProperties, reason, exceptGroupIds, suppressedAt: timestampField },
});

export const suppressedAnswer = shape({
  title: 'SuppressedEmails',
  type: 'object',
  required: ['suppressed'],
  properties: { suppressed: { type: 'integer', description: 'Distinct addresses of the call.' } },
});
export const unsuppressedAnswer = shape({
  title: 'UnsuppressedEmails',
  type: 'object',
  required: ['unsuppressed'],
  properties: { unsuppressed: { type: 'integer', description: 'Entries removed.' } },
});

export const suppressionsAnswer = pageAnswer('SuppressionsPage', 'entries', {
  title: 'Suppression',
  type: 'object',
  required: [
    ...['id', 'email', 'groupId', 'reason', 'isGlobal', 'isMarketing', 'exceptGroupIds'],
    ...['evidence', 'createdAt', 'updatedAt'],
  ],
  properties: {
    id: idField,
    email: { type: 'string' },
    groupId: code,
    reason,
    isGlobal: { type: 'boolean' },
    isMarketing: { type: 'boolean' },
    exceptGroupIds,
    evidence: { ...nullableString, description: 'The evidence, for example the reply of a relay.' },
    createdAt: timestampField,
    updatedAt: timestampField,
  },
});
