import { addMember, getMember, listMembers, removeMember, updateMember } from '../../../core/accounts/members.ts';
import { derivedId } from '../../../core/base/ids.ts';
import { createMemberBody, memberAnswer, membersAnswer, updateMemberBody } from '../../../schemas/accounts/members.ts';
import { pageQuery } from '../../../schemas/common.ts';
import { endpoint } from '../../http/endpoint.ts';
import { presentMember } from '../../present/accounts.ts';
import { presentPage } from '../../present/page.ts';

const tag = 'account';
const key = 'admin';

export const memberRoutes = [
  endpoint({
    operation: 'members.list',
    method: 'get',
    path: '/account/members',
    key,
    tag,
    summary: 'List the members of the organization with their roles',
    query: pageQuery,
    answer: membersAnswer,
    handler: async ({ deps, organization, query }) =>
      presentPage('members', await listMembers(deps, organization._id, query), presentMember),
  }),
  endpoint({
    operation: 'members.get',
    method: 'get',
    path: '/account/members/{memberId}',
    key,
    tag,
    summary: 'Get a member of the organization',
    answer: memberAnswer,
    handler: async ({ deps, organization, params }) =>
      presentMember(await getMember(deps, organization._id, params.memberId ?? '')),
  }),
  endpoint({
    operation: 'members.create',
    method: 'post',
    path: '/account/members',
    key,
    tag,
    summary: 'Add a member, who may then sign in to the console',
    body: createMemberBody,
    answer: memberAnswer,
    status: 201,
    errors: { 409: 'This address is a member already.' },
    handler: async ({ deps, organization, body, request: { at, seed, by } }) =>
      presentMember(
        await addMember(deps, organization._id, { ...body, by }, derivedId(at, 'member', seed.toHexString())),
      ),
  }),
  endpoint({
    operation: 'members.update',
    method: 'patch',
    path: '/account/members/{memberId}',
    key,
    tag,
    summary: 'Change the role of a member, within five seconds everywhere',
    body: updateMemberBody,
    answer: memberAnswer,
    errors: { 409: 'It is the last owner.' },
    handler: async ({ deps, organization, params, body }) =>
      presentMember(await updateMember(deps, organization._id, params.memberId ?? '', body)),
  }),
  endpoint({
    operation: 'members.delete',
    method: 'delete',
    path: '/account/members/{memberId}',
    key,
    tag,
    summary: 'Remove a member, whose access ends within five seconds; what the member made stays',
    errors: { 409: 'It is the last owner.' },
    handler: async ({ deps, organization, params }) => removeMember(deps, organization._id, params.memberId ?? ''),
  }),
];
