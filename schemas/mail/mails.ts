import { EMAIL_LENGTH_MAX, errorDetails, idField, idReference, mailboxField, mailboxName as name } from '../common.ts';
import { schema, shape } from '../schema.ts';
import { INLINE_PICTURES_BYTES_MAX, INLINE_PICTURES_MAX } from '../templates/media.ts';
import {
  dynamicDataField,
  languageField,
  PREVIEW_TEXT_MAX,
  subjectField,
  TEMPLATE_LENGTH_MAX,
} from '../templates/templates.ts';
import { givenTags } from './tags.ts';

const BULK_RECIPIENTS_MAX = 100;
const BATCH_MAILS_MAX = 100;
/** to, cc and bcc together. */
export const RECIPIENTS_MAX = 50;
const ATTACHMENTS_MAX = 20;
/** All attachments of a call, decoded. */
export const ATTACHMENT_BYTES_MAX = 40 * 1024 * 1024;
const HEADERS_MAX = 20;
const URL_LENGTH_MAX = 2_048;

export const copiesField = {
  type: 'array',
  maxItems: RECIPIENTS_MAX,
  items: mailboxField,
  description:
    'Of marketing mail each address gets a copy of its own, with its own unsubscribe link, under the same emailId.',
} as const;
export const headersField = {
  type: 'object',
  maxProperties: HEADERS_MAX,
  propertyNames: { pattern: '^[A-Za-z0-9-]{1,76}$' },
  additionalProperties: { type: 'string', maxLength: 1_000, format: 'line' },
  description: 'Custom headers; those that the service writes itself are refused.',
} as const;
export const inlinePicturesField = {
  type: 'boolean',
  description: `Pictures of the project's media go inside the mail (cid:), not as links: ${INLINE_PICTURES_MAX} and ${INLINE_PICTURES_BYTES_MAX} bytes at most.`,
} as const;
const body = { type: 'string', maxLength: TEMPLATE_LENGTH_MAX } as const;
export const scheduledAtField = {
  type: 'string',
  format: 'date-time',
  description:
    'ISO 8601 with a zone, up to 30 days ahead, at most a minute ago. Content and template are those of the call, and files behind URLs are fetched at the call; suppressions are checked when the mail leaves.',
} as const;

export const attachmentsField = {
  type: 'array',
  maxItems: ATTACHMENTS_MAX,
  items: {
    title: 'Attachment',
    type: 'object',
    properties: {
      fileName: { type: 'string', minLength: 1, maxLength: 256, format: 'line' },
      filename: { type: 'string', minLength: 1, maxLength: 256, format: 'line', description: 'Alias of fileName.' },
      content: { type: 'string', description: 'Base64; line breaks are tolerated.' },
      fileUrl: {
        type: 'string',
        maxLength: URL_LENGTH_MAX,
        description:
          'Public https URL instead of content; fetched when the mail is sent, with scheduledAt at the call.',
      },
      contentType: { type: 'string', maxLength: 200, format: 'line' },
      fileSize: { type: 'integer', minimum: 1, description: 'Bytes; checked when given.' },
      contentId: { type: 'string', minLength: 1, maxLength: 128, format: 'line', description: 'For cid: in the HTML.' },
      description: { type: 'string', maxLength: 256, format: 'line' },
    },
  },
} as const;

const options = {
  from: { ...mailboxField, description: 'On a verified domain of the project.' },
  cc: copiesField,
  bcc: copiesField,
  subject: { ...subjectField, description: 'Required without a template that has one.' },
  html: { ...body, description: 'May hold {{variables}}.' },
  text: { ...body, description: 'Made from the HTML when omitted.' },
  previewText: { type: 'string', maxLength: PREVIEW_TEXT_MAX, format: 'line' },
  templateId: { ...idReference, description: 'html, text and subject of the call win for this mail.' },
  language: languageField,
  dynamicData: dynamicDataField,
  replyTo: mailboxField,
  unsubscribeGroupId: { type: 'string', maxLength: 64, description: 'A suppression group; makes the mail marketing.' },
  unsubscribe: {
    title: 'UnsubscribeOption',
    type: 'object',
    properties: { groupId: { type: 'string', maxLength: 64 } },
    description: 'Alias: unsubscribe.groupId.',
  },
  trackingClick: { type: 'boolean', description: "Omitted: the project's setting." },
  trackingOpen: { type: 'boolean', description: "Omitted: the project's setting." },
  headers: headersField,
  attachments: attachmentsField,
  inlinePictures: inlinePicturesField,
  bypassSuppressions: { type: 'boolean', description: 'Skips every suppression but a complaint.' },
  tags: givenTags,
  scheduledAt: scheduledAtField,
} as const;

/** The common part of a send and a bulk. */
export const mailOptions = schema({ type: 'object', required: ['from'], properties: options });

const mail = {
  title: 'SendMailBody',
  type: 'object',
  required: ['to', 'from'],
  properties: {
    to: { ...mailboxField, 'x-hint': 'one recipient only: POST /mails/bulk takes several' },
    ...options,
  },
} as const;
export const sendMailBody = schema(mail);

export const batchMailBody = schema({
  title: 'BatchMailBody',
  type: 'object',
  required: ['mails'],
  properties: {
    mails: {
      type: 'array',
      minItems: 1,
      maxItems: BATCH_MAILS_MAX,
      items: { ...mail, 'x-checked-alone': true },
      description: 'Each as for POST /mails/send; their attachments have 40 MiB together at most.',
    },
    mode: {
      enum: ['strict', 'partial'],
      description:
        'strict, when omitted: one mail that is refused refuses the call, and nothing is queued. partial: each mail is queued or refused by itself, and the answer is 200.',
    },
  },
});

export const bulkMailBody = schema({
  title: 'BulkMailBody',
  type: 'object',
  required: ['recipients', 'from'],
  properties: {
    recipients: {
      type: 'array',
      minItems: 1,
      maxItems: BULK_RECIPIENTS_MAX,
      items: {
        title: 'BulkRecipient',
        type: 'object',
        required: ['email'],
        properties: {
          email: {
            type: 'string',
            maxLength: EMAIL_LENGTH_MAX,
            description: 'An invalid address fails without failing the others.',
          },
          name,
          dynamicData: dynamicDataField,
          language: languageField,
          cc: copiesField,
          bcc: copiesField,
        },
      },
    },
    ...options,
  },
});

export const sentAnswer = shape({
  title: 'QueuedMail',
  type: 'object',
  required: ['emailId', 'message', 'totalRecipients'],
  properties: {
    emailId: idField,
    message: { type: 'string' },
    totalRecipients: { type: 'integer', description: 'to, cc and bcc.' },
  },
});

export const batchAnswer = shape({
  title: 'QueuedBatch',
  type: 'object',
  required: ['batchId', 'totalRecipients', 'successCount', 'failedCount', 'results'],
  properties: {
    batchId: { type: 'string', format: 'uuid', description: 'Of all mails of the call, for GET /emails.' },
    totalRecipients: { type: 'integer', description: 'to, cc and bcc of the mails that were queued.' },
    successCount: {
      type: 'integer',
      description: 'Mails that were queued; one to a suppressed address is among them.',
    },
    failedCount: { type: 'integer', description: 'Mails that were refused.' },
    results: {
      type: 'array',
      description: 'In the order of the call: each has emailId or error.',
      items: {
        title: 'BatchResult',
        type: 'object',
        required: ['index'],
        properties: { index: { type: 'integer' }, emailId: idField, error: errorDetails },
      },
    },
  },
});

export const bulkAnswer = shape({
  title: 'QueuedBulk',
  type: 'object',
  required: ['batchId', 'totalRecipients', 'successCount', 'failedCount', 'failures'],
  properties: {
    batchId: { type: 'string', format: 'uuid' },
    totalRecipients: { type: 'integer' },
    successCount: { type: 'integer' },
    failedCount: { type: 'integer' },
    failures: {
      type: 'array',
      items: {
        title: 'BulkFailure',
        type: 'object',
        required: ['email', 'code', 'message'],
        properties: {
          email: { type: 'string' },
          code: { enum: ['SUPPRESSED', 'INVALID_EMAIL', 'RENDER_FAILED'] },
          message: { type: 'string' },
        },
      },
    },
  },
});
