import { idField, mailbox, nullableString, pageAnswer, pageFields, timestampField } from './common.ts';
import { attachmentsField, copiesField } from './mail/mails.ts';
import { schema, shape } from './schema.ts';
import { previewLinkFields } from './templates/previews.ts';
import { subjectField, TEMPLATE_LENGTH_MAX } from './templates/templates.ts';

const REPLY_COPIES_MAX = 50;
const ADDRESS_MAX = 320;

const mailboxes = { type: 'array', items: mailbox } as const;
const verdict = {
  title: 'InboundVerdict',
  enum: ['PASS', 'FAIL', 'SOFTFAIL', 'NEUTRAL', 'TEMPERROR', 'PERMERROR', 'POLICY', 'NONE'],
} as const;
export const inboundStatus = {
  title: 'InboundStatus',
  enum: ['PROCESSED', 'PROCESSING', 'FAILED', 'BLOCKED_UNVERIFIED', 'BLOCKED_UNROUTED'],
} as const;

/** `from.email` is checked by hand: when it is missing, the answer has no code. */
export const replyBody = schema({
  title: 'ReplyBody',
  type: 'object',
  properties: {
    from: {
      title: 'ReplyFrom',
      type: 'object',
      properties: {
        email: {
          type: 'string',
          maxLength: ADDRESS_MAX,
          description: 'Required; on a verified domain of the project.',
        },
        name: { type: ['string', 'null'], maxLength: 256, format: 'line' },
      },
      description: 'Required.',
    },
    subject: { ...subjectField, minLength: 1, description: 'Omitted: the original one with Re: in front, once.' },
    html: { type: 'string', maxLength: TEMPLATE_LENGTH_MAX, description: 'As it is: not a template.' },
    text: { type: 'string', maxLength: TEMPLATE_LENGTH_MAX, description: 'As it is: not a template.' },
    cc: { ...copiesField, maxItems: REPLY_COPIES_MAX },
    bcc: { ...copiesField, maxItems: REPLY_COPIES_MAX },
    attachments: attachmentsField,
  },
});

export const replyAnswer = shape({
  title: 'QueuedReply',
  type: 'object',
  required: ['emailId', 'message', 'status', 'totalRecipients'],
  properties: {
    emailId: idField,
    message: { type: 'string' },
    status: { const: 'QUEUED' },
    totalRecipients: { type: 'integer', description: 'The recipient, cc and bcc.' },
  },
});

export const inboundQuery = schema({
  type: 'object',
  properties: {
    ...pageFields,
    from: { type: 'string', maxLength: ADDRESS_MAX, description: 'Address of the sender.' },
    to: { type: 'string', maxLength: ADDRESS_MAX, description: 'Address among the recipients.' },
    threadId: { type: 'string', maxLength: 64 },
    search: { type: 'string', maxLength: 200, description: 'Part of the subject, the text or the sender.' },
    status: inboundStatus,
    newestOfThread: {
      type: 'boolean',
      default: false,
      description: 'Of each conversation only the newest message that the other filters find.',
    },
    dateFrom: { ...timestampField, description: 'Received at or after.' },
    dateTo: { ...timestampField, description: 'Received at or before.' },
  },
});

export const inboundMessageAnswer = shape({
  title: 'InboundMessage',
  type: 'object',
  required: [
    ...['id', 'messageId', 'domainName', 'from', 'to', 'subject', 'status', 'threadId', 'receivedAt'],
    ...['attachments', 'attachmentCount', 'headers', 'headerList'],
  ],
  properties: {
    id: idField,
    messageId: { type: 'string' },
    domainName: { type: 'string' },
    from: mailbox,
    to: mailboxes,
    cc: mailboxes,
    bcc: mailboxes,
    replyTo: mailboxes,
    subject: { type: 'string' },
    text: nullableString,
    html: nullableString,
    attachments: {
      type: 'array',
      items: {
        title: 'InboundAttachment',
        type: 'object',
        required: ['attachmentId', 'filename', 'contentType', 'size', 'index'],
        properties: {
          attachmentId: idField,
          filename: { type: 'string' },
          contentType: { type: 'string' },
          size: { type: 'integer' },
          index: { type: 'integer' },
        },
      },
    },
    attachmentCount: { type: 'integer', description: 'The number of entries in `attachments`.' },
    headers: {
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'By lower-case name; the values of a repeated header are joined by ", ".',
    },
    headerList: {
      type: 'array',
      description: 'The headers as they were written, in their order.',
      items: {
        title: 'InboundHeader',
        type: 'object',
        required: ['name', 'value'],
        properties: { name: { type: 'string' }, value: { type: 'string' } },
      },
    },
    spamVerdict: verdict,
    virusVerdict: verdict,
    spfVerdict: verdict,
    dkimVerdict: verdict,
    dmarcVerdict: verdict,
    status: inboundStatus,
    threadId: { type: 'string' },
    inReplyTo: nullableString,
    inReplyToEmailActivityId: nullableString,
    inReplyToInboundEmailId: nullableString,
    receivedAt: timestampField,
  },
});

export const inboundMessagesAnswer = pageAnswer('InboundMessagesPage', 'items', inboundMessageAnswer.json);

export const inboundAttachmentAnswer = shape({
  title: 'InboundAttachmentLink',
  type: 'object',
  required: ['attachmentId', 'filename', 'contentType', 'size', 'downloadUrl', 'expiresIn'],
  properties: {
    attachmentId: idField,
    filename: { type: 'string' },
    contentType: { type: 'string' },
    size: { type: 'integer' },
    downloadUrl: { type: 'string', description: 'Needs no key; works until it expires.' },
    expiresIn: { type: 'integer', description: 'Seconds.' },
  },
});

export const inboundPreviewQuery = schema({
  type: 'object',
  properties: {
    pictures: {
      type: 'boolean',
      default: false,
      description: 'Load pictures of other servers, which then know that the mail was looked at.',
    },
  },
});

export const inboundPreviewAnswer = shape({
  title: 'InboundPreview',
  type: 'object',
  required: ['previewUrl', 'expiresIn', 'pictures'],
  properties: { ...previewLinkFields, pictures: { type: 'boolean' } },
});
