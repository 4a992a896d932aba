import { readableMails } from '../../core/accounts/scopes.ts';
import { listEmailsOf } from '../../core/campaigns/audience/emails.ts';
import { getEmail } from '../../core/messages/emails.ts';
import { emailAnswer, emailsAnswer, emailsQuery } from '../../schemas/emails.ts';
import { endpoint } from '../http/endpoint.ts';
import { presentEmail, presentEmailWithTimeline } from '../present/emails.ts';
import { presentPage } from '../present/present.ts';

const tag = 'emails';

export const emailRoutes = [
  endpoint({
    operation: 'emails.list',
    method: 'get',
    path: '/emails',
    key: 'token',
    tag,
    summary: 'List emails, newest first',
    description:
      'Recipients of a campaign have an email here once there is an outcome. With campaignId the answer has those that wait to be sent too, behind the others.',
    query: emailsQuery,
    answer: emailsAnswer,
    handler: async ({ deps, project, apiKey, query }) => {
      const page = await listEmailsOf(deps, project, { ...query, ...readableMails(apiKey) });
      return presentPage('emails', page, presentEmail);
    },
  }),
  endpoint({
    operation: 'emails.get',
    method: 'get',
    path: '/emails/{emailId}',
    key: 'token',
    tag,
    summary: 'Get an email: why it arrived, or did not, with the reply of the relay',
    description: 'A recipient of a campaign has an email once there is an outcome: 404 before.',
    answer: emailAnswer,
    handler: async ({ deps, project, apiKey, params }) =>
      presentEmailWithTimeline(await getEmail(deps, project, params.emailId ?? '', readableMails(apiKey))),
  }),
];
