import { createdByField, emailField, idField, pageAnswer, timestampField } from '../common.ts';
import { ROLES } from '../operations.ts';
import { schema, shape } from '../schema.ts';

const role = {
  type: 'string',
  enum: ROLES,
  description:
    'In all projects of the organization. owner: everything. editor: everything of a project but members, keys and domains. author: prepares campaigns, templates and automations. viewer: reads.',
} as const;

export const createMemberBody = schema({
  title: 'CreateMemberBody',
  type: 'object',
  required: ['email', 'role'],
  properties: { email: emailField, role },
});

export const updateMemberBody = schema({
  title: 'UpdateMemberBody',
  type: 'object',
  properties: { role },
});

const memberFields = {
  id: idField,
  email: { type: 'string' },
  role,
  createdBy: createdByField,
  createdAt: timestampField,
  updatedAt: timestampField,
} as const;
const member = {
  title: 'Member',
  type: 'object',
  required: Object.keys(memberFields),
  properties: memberFields,
} as const;

export const memberAnswer = shape(member);
export const membersAnswer = pageAnswer('MembersPage', 'members', member);
