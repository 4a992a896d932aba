import { originOf } from '../../core/accounts/scopes.ts';
import { findAttachment, openAttachment } from '../../core/inbound/attachments.ts';
import { getInbound, listInbound } from '../../core/inbound/messages.ts';
import { replyToInbound } from '../../core/inbound/replies.ts';
import {
  inboundAttachmentAnswer,
  inboundMessageAnswer,
  inboundMessagesAnswer,
  inboundPreviewAnswer,
  inboundPreviewQuery,
  inboundQuery,
  replyAnswer,
  replyBody,
} from '../../schemas/inbound.ts';
import { Answer, endpoint, Page } from '../http/endpoint.ts';
import { linkNotFound } from '../pages/not-found.ts';
import { presentAttachmentLink, presentInbound, presentInboundPreview } from '../present/inbound.ts';
import { presentLongPage } from '../present/page.ts';

const tag = 'inbound';
const errors = { 404: 'No such inbound message in this project.' } as const;

export const inboundRoutes = [
  endpoint({
    operation: 'inbound.reply',
    method: 'post',
    path: '/inbound/messages/{inboundId}/reply',
    key: 'project',
    tag,
    summary: 'Reply to an inbound message, within its conversation',
    body: replyBody,
    bodyLimit: 'attachments',
    answer: replyAnswer,
    status: 202,
    codeless: true,
    errors: { 404: 'No such inbound message in this project, or no address to answer to.' },
    handler: async ({ deps, project, apiKey, params, body, request }) => {
      const origin = originOf(request, apiKey);
      const replied = await replyToInbound(deps, project, params.inboundId ?? '', body, origin);
      return new Answer(replied, replied.message);
    },
  }),
  endpoint({
    operation: 'inbound.list',
    method: 'get',
    path: '/inbound/messages',
    key: 'token',
    tag,
    summary: 'List inbound messages, newest first',
    query: inboundQuery,
    answer: inboundMessagesAnswer,
    handler: async ({ deps, project, query }) =>
      presentLongPage('items', await listInbound(deps, project, query), presentInbound),
  }),
  endpoint({
    operation: 'inbound.get',
    method: 'get',
    path: '/inbound/messages/{inboundId}',
    key: 'token',
    tag,
    summary: 'Get an inbound message',
    answer: inboundMessageAnswer,
    errors,
    codeless: true,
    handler: async ({ deps, project, params }) =>
      presentInbound(await getInbound(deps, project, params.inboundId ?? '')),
  }),
  endpoint({
    operation: 'inbound.attachment',
    method: 'get',
    path: '/inbound/messages/{inboundId}/attachments/{ref}',
    key: 'token',
    tag,
    summary: 'Get a link to an attachment, by its index or id; it works for 15 minutes',
    answer: inboundAttachmentAnswer,
    errors,
    codeless: true,
    handler: async ({ deps, project, params }) => {
      const { inboundId = '', ref = '' } = params;
      const { attachment, downloadUrl } = await findAttachment(deps, project, inboundId, ref);
      return presentAttachmentLink(attachment, downloadUrl);
    },
  }),
  endpoint({
    operation: 'inbound.preview',
    method: 'get',
    path: '/inbound/messages/{inboundId}/preview',
    key: 'token',
    tag,
    summary: 'A link to an inbound message as a page of its own, that works for ten minutes',
    query: inboundPreviewQuery,
    answer: inboundPreviewAnswer,
    errors,
    codeless: true,
    handler: async ({ deps, project, params, query }) =>
      presentInboundPreview(deps, await getInbound(deps, project, params.inboundId ?? ''), query.pictures ?? false),
  }),
  endpoint({
    operation: 'public.inboundAttachment',
    method: 'get',
    path: '/media/inbound/{token}',
    key: 'none',
    tag: 'public',
    summary: 'Download an attachment of an inbound message by its signed link',
    produces: ['application/octet-stream'],
    errors: { 404: 'The link is not one of ours, or too old.' },
    handler: async ({ deps, params, request }) => {
      const opened = await openAttachment(deps, params.token ?? '', request.held);
      if (!opened) return linkNotFound(request);
      const name = encodeURIComponent(opened.attachment.fileName).replace(/['()*]/g, escape);
      return new Page(
        200,
        {
          'Content-Type': 'application/octet-stream',
          'Content-Length': String(opened.file.sizeBytes),
          'Content-Disposition': `attachment; filename*=UTF-8''${name}`,
          'X-Content-Type-Options': 'nosniff',
          'Content-Security-Policy': "default-src 'none'; sandbox",
          'Cache-Control': 'private, no-store',
        },
        opened.file.pieces,
      );
    },
  }),
];
