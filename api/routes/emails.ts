import { getEmail, listEmails } from '../../core/messages/emails.ts';
import { emailAnswer, emailsAnswer, emailsQuery } from '../../schemas/emails.ts';
import { endpoint } from '../http/endpoint.ts';
import { presentEmail, presentEmailWithTimeline } from '../present/emails.ts';
import { presentPage } from '../present/present.ts';

const tag = 'emails';

export const emailRoutes = [
  endpoint({
    method: 'get',
    path: '/emails',
    key: 'token',
    tag,
    summary: 'List emails, newest first',
    query: emailsQuery,
    answer: emailsAnswer,
    handler: async ({ deps, project, query }) =>
      presentPage('emails', await listEmails(deps, project, query), presentEmail),
  }),
  endpoint({
    method: 'get',
    path: '/emails/{emailId}',
    key: 'token',
    tag,
    summary: 'Get an email: why it arrived, or did not, with what the relay said',
    answer: emailAnswer,
    handler: async ({ deps, project, params }) =>
      presentEmailWithTimeline(await getEmail(deps, project, params.emailId ?? '')),
  }),
];
