import { readableMails } from '../../../core/accounts/scopes.ts';
import { listEmailsOf } from '../../../core/campaigns/audience/emails.ts';
import { emailContent } from '../../../core/campaigns/definition/email-content.ts';
import { withCampaignSubjects } from '../../../core/campaigns/definition/subjects.ts';
import { waitsForRelay } from '../../../core/figures/live/relay.ts';
import { getEmail } from '../../../core/mail/messages/emails.ts';
import { cancelBatch, cancelEmail, rescheduleEmail } from '../../../core/mail/messages/scheduled/change-email.ts';
import {
  cancelEmailsBody,
  cancelledEmailsAnswer,
  emailAnswer,
  emailsAnswer,
  emailsQuery,
  renderedEmailAnswer,
  updateEmailBody,
} from '../../../schemas/mail/emails.ts';
import { endpoint } from '../../http/endpoint.ts';
import { presentEmail, presentEmailWithTimeline, presentRenderedEmail } from '../../present/emails.ts';
import { presentPage } from '../../present/page.ts';

const tag = 'emails';
const changeErrors = {
  409: '`ALREADY_SENT`: the mail is sent or on its way. `INVALID_STATE`: it ended otherwise, or belongs to a campaign or an automation.',
} as const;

export const emailRoutes = [
  endpoint({
    operation: 'emails.list',
    method: 'get',
    path: '/emails',
    key: 'token',
    tag,
    summary: 'List emails, newest first',
    description:
      'A recipient of a campaign has an email here once it has an outcome. With campaignId the answer also has the recipients that wait to be sent, after the others.',
    query: emailsQuery,
    answer: emailsAnswer,
    handler: async ({ deps, project, apiKey, query }) => {
      const page = await listEmailsOf(deps, project, { ...query, ...readableMails(apiKey) });
      const messages = page.entries.map(({ message }) => message);
      const named = await withCampaignSubjects(deps, project, messages);
      const entries = page.entries.map((email, index) => ({ ...email, message: named[index] ?? email.message }));
      return presentPage('emails', { ...page, entries }, presentEmail);
    },
  }),
  endpoint({
    operation: 'emails.get',
    method: 'get',
    path: '/emails/{emailId}',
    key: 'token',
    tag,
    summary: 'Get an email with its outcome and the reply of the relay',
    description: 'A recipient of a campaign has an email once it has an outcome; before, the answer is 404.',
    answer: emailAnswer,
    handler: async ({ deps, project, apiKey, params }) => {
      const email = await getEmail(deps, project, params.emailId ?? '', readableMails(apiKey));
      const [message = email.message] = await withCampaignSubjects(deps, project, [email.message]);
      return presentEmailWithTimeline({ ...email, message, waiting: await waitsForRelay(deps, project, message) });
    },
  }),
  endpoint({
    operation: 'emails.content',
    method: 'get',
    path: '/emails/{emailId}/content',
    key: 'token',
    tag,
    summary: 'Show an email as its recipient got it, without tracking',
    description:
      'Fields of a contact are those of today. The content is kept for 7 days after the last outcome, and that of a campaign as long as the campaign; after that `html` and `text` are null. Those of a mail that came by SMTP are read from it; pictures that it brought are in the page of `previewUrl`.',
    answer: renderedEmailAnswer,
    handler: async ({ deps, project, apiKey, params, request: { held } }) =>
      presentRenderedEmail(
        deps,
        project,
        await emailContent(deps, project, params.emailId ?? '', { ...readableMails(apiKey), held }),
      ),
  }),
  endpoint({
    operation: 'emails.update',
    method: 'patch',
    path: '/emails/{emailId}',
    key: 'token',
    tag,
    summary: 'Send a scheduled email at another time',
    description: 'Only while it is `scheduled`. A time that has come sends it at once.',
    body: updateEmailBody,
    answer: emailAnswer,
    errors: changeErrors,
    handler: async ({ deps, project, apiKey, params, body, request: { at } }) => {
      const asked = { ...body, at, ...readableMails(apiKey) };
      return presentEmailWithTimeline(await rescheduleEmail(deps, project, params.emailId ?? '', asked));
    },
  }),
  endpoint({
    operation: 'emails.cancel',
    method: 'post',
    path: '/emails/{emailId}/cancel',
    key: 'token',
    tag,
    summary: 'Cancel an email that is not sent yet',
    description:
      'While it is `scheduled`, `queued` or `deferred` and was taken for none of its recipients. After 200 it never leaves. Cancelling again is 200 too.',
    answer: emailAnswer,
    errors: changeErrors,
    handler: async ({ deps, project, apiKey, params }) =>
      presentEmailWithTimeline(await cancelEmail(deps, project, params.emailId ?? '', readableMails(apiKey))),
  }),
  endpoint({
    operation: 'emails.cancelBatch',
    method: 'post',
    path: '/emails/cancel',
    key: 'token',
    tag,
    summary: 'Cancel the emails of a bulk or batch call that are not sent yet',
    body: cancelEmailsBody,
    answer: cancelledEmailsAnswer,
    errors: { 404: 'No mail has this `batchId`.' },
    handler: async ({ deps, project, apiKey, body: { batchId } }) =>
      cancelBatch(deps, project, batchId, readableMails(apiKey)),
  }),
];
