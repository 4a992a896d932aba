import { originOf } from '../../core/accounts/scopes.ts';
import { sendBulk, sendMail } from '../../core/mails/send.ts';
import { bulkAnswer, bulkMailBody, sendMailBody, sentAnswer } from '../../schemas/mails.ts';
import { Answer, endpoint } from '../http/endpoint.ts';

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
    summary: 'Queue an email to up to 100 recipients, each with data of its own',
    body: bulkMailBody,
    bodyLimit: 'attachments',
    answer: bulkAnswer,
    errors,
    handler: async ({ deps, project, apiKey, body, request }) =>
      sendBulk(deps, project, body, originOf(request, apiKey)),
  }),
];
