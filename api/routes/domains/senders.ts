import { createSender, deleteSender, getSender, listSenders, updateSender } from '../../../core/domains/senders.ts';
import {
  createSenderBody,
  senderAnswer,
  sendersAnswer,
  sendersQuery,
  updateSenderBody,
} from '../../../schemas/domains/senders.ts';
import { endpoint } from '../../http/endpoint.ts';
import { presentPage } from '../../present/page.ts';
import { presentSender } from '../../present/senders.ts';

const tag = 'senders';

export const senderRoutes = [
  endpoint({
    operation: 'senders.list',
    method: 'get',
    path: '/senders',
    key: 'token',
    tag,
    summary: 'List senders, oldest first; all of them without page and limit',
    query: sendersQuery,
    answer: sendersAnswer,
    handler: async ({ deps, project, query }) =>
      presentPage('senders', await listSenders(deps, project, query), presentSender),
  }),
  endpoint({
    operation: 'senders.get',
    method: 'get',
    path: '/senders/{senderId}',
    key: 'token',
    tag,
    summary: 'Get a sender',
    answer: senderAnswer,
    handler: async ({ deps, project, params }) => presentSender(await getSender(deps, project, params.senderId ?? '')),
  }),
  endpoint({
    operation: 'senders.create',
    method: 'post',
    path: '/senders',
    key: 'token',
    tag,
    summary: 'Create a sender on a verified domain',
    body: createSenderBody,
    answer: senderAnswer,
    status: 201,
    errors: { 409: 'There is a sender with this email.', 422: 'The domain is not verified.' },
    handler: async ({ deps, project, body, request }) =>
      presentSender(await createSender(deps, project, body, request)),
  }),
  endpoint({
    operation: 'senders.update',
    method: 'patch',
    path: '/senders/{senderId}',
    key: 'token',
    tag,
    summary: 'Update a sender',
    body: updateSenderBody,
    answer: senderAnswer,
    errors: { 409: 'There is a sender with this email.', 422: 'The domain is not verified.' },
    handler: async ({ deps, project, params, body }) =>
      presentSender(await updateSender(deps, project, params.senderId ?? '', body)),
  }),
  endpoint({
    operation: 'senders.delete',
    method: 'delete',
    path: '/senders/{senderId}',
    key: 'token',
    tag,
    summary: 'Delete a sender; mail that is queued is still sent',
    handler: async ({ deps, project, params }) => deleteSender(deps, project, params.senderId ?? ''),
  }),
];
