import type { Deps } from '../../core/base/deps.ts';
import type { Project } from '../../core/base/model.ts';
import { findCampaign } from '../../core/campaigns/campaigns.ts';
import { abortCampaign, pauseCampaign, resumeCampaign, type Settled } from '../../core/campaigns/control.ts';
import { reconcileCampaign } from '../../core/campaigns/numbers/counts.ts';
import { progressOf, watchCampaign } from '../../core/campaigns/numbers/progress.ts';
import { listRecipients, recipientStory } from '../../core/campaigns/recipients.ts';
import { retryCampaign } from '../../core/campaigns/retry.ts';
import { testCampaign } from '../../core/campaigns/send-test.ts';
import {
  campaignAnswer,
  progressAnswer,
  recipientAnswer,
  recipientsAnswer,
  recipientsQuery,
  reconcileAnswer,
  retryCampaignBody,
  testAnswer,
  testCampaignBody,
} from '../../schemas/campaigns.ts';
import { EventStream, endpoint, streamEnds, streamErrors } from '../http/endpoint.ts';
import { presentOne, presentRecipient, presentStory } from '../present/campaigns.ts';
import { presentPage } from '../present/present.ts';

const tag = 'campaigns';
const key = 'token';

export const campaignControlRoutes = [
  endpoint({
    operation: 'campaigns.pause',
    method: 'post',
    path: '/campaigns/{campaignId}/pause',
    key,
    tag,
    summary: 'Pause; the answer comes when nothing is in flight',
    description:
      'No message is handed to the relay after the answer. `progress.inFlight` says how many the relay has not answered, if it took longer than 30 seconds.',
    answer: campaignAnswer,
    handler: async ({ deps, project, params }) =>
      presentSettled(deps, project, await pauseCampaign(deps, project, params.campaignId ?? '', 'Paused by a call.')),
  }),
  endpoint({
    operation: 'campaigns.resume',
    method: 'post',
    path: '/campaigns/{campaignId}/resume',
    key,
    tag,
    summary: 'Resume where it was paused',
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
    summary: 'End it for good; what was not sent stays pending',
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
    summary: 'Send again only what failed or is unknown',
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
    summary: 'Send the campaign as it is now to a few addresses',
    body: testCampaignBody,
    answer: testAnswer,
    handler: async ({ deps, project, params, body, request }) =>
      testCampaign(deps, project, params.campaignId ?? '', body.emails, request),
  }),
  endpoint({
    operation: 'campaigns.progress',
    method: 'get',
    path: '/campaigns/{campaignId}/progress',
    key,
    tag,
    summary: 'Counts by state, read from the ledger now',
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
    summary: 'Progress as server-sent events, until the campaign is over',
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
    summary: 'Recount the ledger and show what the stored numbers say differently',
    answer: reconcileAnswer,
    handler: async ({ deps, project, params }) =>
      reconcileCampaign(deps, await findCampaign(deps, project, params.campaignId ?? '')),
  }),
  endpoint({
    operation: 'campaigns.recipients',
    method: 'get',
    path: '/campaigns/{campaignId}/recipients',
    key,
    tag,
    summary: 'Everybody of the audience, with what became of the mail',
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
    summary: 'Why this person got it, or not',
    answer: recipientAnswer,
    handler: async ({ deps, project, params }) =>
      presentStory(
        await recipientStory(deps, project, params.campaignId ?? '', params.contactId ?? ''),
        params.contactId ?? '',
      ),
  }),
];

async function presentSettled(deps: Deps, project: Project, { campaign, progress }: Settled) {
  return { ...(await presentOne(deps, project, campaign)), progress };
}
