import { originOf } from '../../../core/accounts/scopes.ts';
import { sendBatch } from '../../../core/mail/accept/batch.ts';
import { sendBulk } from '../../../core/mail/accept/bulk.ts';
import { sendMail } from '../../../core/mail/accept/send.ts';
import {
  batchAnswer,
  batchMailBody,
  bulkAnswer,
  bulkMailBody,
  sendMailBody,
  sentAnswer,
} from '../../../schemas/mail/mails.ts';
import { Answer, endpoint } from '../../http/endpoint.ts';
import { validateEach } from '../../http/validate.ts';

const tag = 'mails';
const errors = {
  404: 'A template or suppression group that is named does not exist.',
  422: 'The domain of `from` is not verified, or the template fails with these data.',
  429: 'Too many requests, or too many mails wait to be sent.',
} as const;

export const mailRoutes = [
  endpoint({
    operation: 'mails.send',
    method: 'post',
    path: '/mails/send',
    key: 'token',
    tag,
    summary: 'Queue an email to one recipient',
    body: sendMailBody,
    bodyLimit: 'attachments',
    answer: sentAnswer,
    errors,
    handler: async ({ deps, project, apiKey, body, request }) => {
      const sent = await sendMail(deps, project, body, originOf(request, apiKey));
      return new Answer(sent, sent.message);
    },
  }),
  endpoint({
    operation: 'mails.bulk',
    method: 'post',
    path: '/mails/bulk',
    key: 'token',
    tag,
    summary: 'Queue an email to up to 100 recipients, each with its own data',
    body: bulkMailBody,
    bodyLimit: 'attachments',
    answer: bulkAnswer,
    errors,
    handler: async ({ deps, project, apiKey, body, request }) =>
      sendBulk(deps, project, body, originOf(request, apiKey)),
  }),
  endpoint({
    operation: 'mails.batch',
    method: 'post',
    path: '/mails/batch',
    key: 'token',
    tag,
    summary: 'Queue up to 100 different emails',
    description:
      'Each mail is checked as POST /mails/send checks it, and all of them are stored together. A mail to a suppressed address is not refused. `details` of a refusal name the mail: `mails/3/to/email: ...`; in a result the path begins at the mail.',
    body: batchMailBody,
    bodyLimit: 'attachments',
    answer: batchAnswer,
    errors,
    handler: async ({ deps, project, apiKey, body, request }) => {
      // A body of unknown size may be large: then only the first fault of each mail is reported.
      const sizeBytes = Number(request.header('content-length') || Number.POSITIVE_INFINITY);
      const mails = validateEach(sendMailBody, body.mails, sizeBytes);
      return sendBatch(deps, project, { mails, mode: body.mode }, originOf(request, apiKey));
    },
  }),
];
