import { refuseStrangers } from '../../../core/accounts/members.ts';
import type { Deps } from '../../../core/base/deps.ts';
import type { Project } from '../../../core/base/model.ts';
import {
  abortCampaign,
  PAUSED_BY_CALL,
  pauseCampaign,
  resumeCampaign,
  type Settled,
} from '../../../core/campaigns/control.ts';
import { findCampaign } from '../../../core/campaigns/definition/campaigns.ts';
import { relatedCampaign } from '../../../core/campaigns/definition/expand.ts';
import { testCampaign } from '../../../core/campaigns/definition/send-test.ts';
import { reconcileCampaign } from '../../../core/campaigns/numbers/counts.ts';
import { progressOf, watchCampaign } from '../../../core/campaigns/numbers/progress.ts';
import { reasonsOf } from '../../../core/campaigns/people/reasons.ts';
import { listRecipients, recipientStory } from '../../../core/campaigns/people/recipients.ts';
import { retryCampaign } from '../../../core/campaigns/retry.ts';
import { campaignAnswer, testAnswer, testCampaignBody } from '../../../schemas/campaigns/campaigns.ts';
import { progressAnswer, reconcileAnswer } from '../../../schemas/campaigns/figures.ts';
import {
  reasonsAnswer,
  recipientAnswer,
  recipientsAnswer,
  recipientsQuery,
  retryCampaignBody,
} from '../../../schemas/campaigns/recipients.ts';
import { EventStream, endpoint, streamEnds, streamErrors } from '../../http/endpoint.ts';
import { presentOne, presentRecipient, presentStory } from '../../present/campaigns.ts';
import { presentPage } from '../../present/page.ts';

const tag = 'campaigns';
const key = 'token';

export const campaignControlRoutes = [
  endpoint({
    operation: 'campaigns.pause',
    method: 'post',
    path: '/campaigns/{campaignId}/pause',
    key,
    tag,
    summary: 'Pause a campaign; the answer comes when no message is in flight',
    description:
      'No message goes to the relay after the answer. If waiting for the relay took longer than 30 seconds, `progress.inFlight` is the number of messages that it has not answered.',
    answer: campaignAnswer,
    handler: async ({ deps, project, params }) =>
      presentSettled(deps, project, await pauseCampaign(deps, project, params.campaignId ?? '', PAUSED_BY_CALL)),
  }),
  endpoint({
    operation: 'campaigns.resume',
    method: 'post',
    path: '/campaigns/{campaignId}/resume',
    key,
    tag,
    summary: 'Resume a paused campaign',
    answer: campaignAnswer,
    handler: async ({ deps, project, params }) =>
      presentSettled(deps, project, await resumeCampaign(deps, project, params.campaignId ?? '')),
  }),
  endpoint({
    operation: 'campaigns.abort',
    method: 'post',
    path: '/campaigns/{campaignId}/abort',
    key,
    tag,
    summary: 'Abort a campaign for good; recipients without mail stay pending',
    answer: campaignAnswer,
    handler: async ({ deps, project, params }) =>
      presentSettled(deps, project, await abortCampaign(deps, project, params.campaignId ?? '')),
  }),
  endpoint({
    operation: 'campaigns.retry',
    method: 'post',
    path: '/campaigns/{campaignId}/retry',
    key,
    tag,
    summary: 'Send the failed and unknown messages of a campaign again',
    body: retryCampaignBody,
    answer: campaignAnswer,
    handler: async ({ deps, project, params, body }) =>
      presentSettled(deps, project, await retryCampaign(deps, project, params.campaignId ?? '', body.states)),
  }),
  endpoint({
    operation: 'campaigns.test',
    method: 'post',
    path: '/campaigns/{campaignId}/test',
    key,
    tag,
    summary: 'Send a test of the campaign, as it is now, to a few addresses',
    body: testCampaignBody,
    answer: testAnswer,
    handler: async ({ deps, project, organization, params, body, request }) => {
      await refuseStrangers(deps, organization._id, body.emails, request);
      return testCampaign(deps, project, params.campaignId ?? '', body, request);
    },
  }),
  endpoint({
    operation: 'campaigns.progress',
    method: 'get',
    path: '/campaigns/{campaignId}/progress',
    key,
    tag,
    summary: 'Get the current counts of a campaign by state, from the ledger',
    answer: progressAnswer,
    handler: async ({ deps, project, params }) =>
      progressOf(deps, await findCampaign(deps, project, params.campaignId ?? '')),
  }),
  endpoint({
    operation: 'campaigns.watch',
    method: 'get',
    path: '/campaigns/{campaignId}/events',
    key,
    tag,
    summary: 'Watch the progress of a campaign as server-sent events, until it is over',
    description: streamEnds,
    produces: ['text/event-stream'],
    events: progressAnswer,
    errors: streamErrors,
    handler: async ({ deps, project, params, request }) =>
      new EventStream(watchCampaign(deps, await findCampaign(deps, project, params.campaignId ?? ''), request.signal)),
  }),
  endpoint({
    operation: 'campaigns.reconcile',
    method: 'get',
    path: '/campaigns/{campaignId}/reconcile',
    key,
    tag,
    summary: 'Recount a campaign from the ledger, and compare the stored counts with it',
    answer: reconcileAnswer,
    handler: async ({ deps, project, params }) =>
      reconcileCampaign(deps, await findCampaign(deps, project, params.campaignId ?? '')),
  }),
  endpoint({
    operation: 'campaigns.reasons',
    method: 'get',
    path: '/campaigns/{campaignId}/reasons',
    key,
    tag,
    summary: 'Count recipients by the reason why they did not get the mail, or not yet',
    description:
      'Bounces and deferrals by the codes of the reply, suppressions by the entry, failures by their sentence. The numbers may be some seconds old.',
    answer: reasonsAnswer,
    handler: async ({ deps, project, params }) => reasonsOf(deps, project, params.campaignId ?? ''),
  }),
  endpoint({
    operation: 'campaigns.recipients',
    method: 'get',
    path: '/campaigns/{campaignId}/recipients',
    key,
    tag,
    summary: 'List the recipients of a campaign, each with the state of its mail',
    query: recipientsQuery,
    answer: recipientsAnswer,
    handler: async ({ deps, project, params, query }) =>
      presentPage('recipients', await listRecipients(deps, project, params.campaignId ?? '', query), presentRecipient),
  }),
  endpoint({
    operation: 'campaigns.recipient',
    method: 'get',
    path: '/campaigns/{campaignId}/recipients/{contactId}',
    key,
    tag,
    summary: 'Get the reason why a contact got the mail of a campaign, or did not',
    answer: recipientAnswer,
    handler: async ({ deps, project, params }) =>
      presentStory(
        await recipientStory(deps, project, params.campaignId ?? '', params.contactId ?? ''),
        params.contactId ?? '',
      ),
  }),
];

async function presentSettled(deps: Deps, project: Project, { campaign, progress }: Settled) {
  return { ...presentOne(await relatedCampaign(deps, project, campaign)), progress };
}
