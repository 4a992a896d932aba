import { readWhenAsked } from '../../../core/base/paging.ts';
import { previewAudience } from '../../../core/campaigns/audience/preview.ts';
import {
  createCampaign,
  deleteCampaign,
  duplicateCampaign,
  findCampaign,
  listCampaigns,
} from '../../../core/campaigns/definition/campaigns.ts';
import { relatedCampaigns } from '../../../core/campaigns/definition/expand.ts';
import { previewCampaign } from '../../../core/campaigns/definition/preview.ts';
import { updateCampaign } from '../../../core/campaigns/definition/update.ts';
import { linksOfCampaign, peopleByPosition } from '../../../core/figures/reports/links/report.ts';
import { audienceAnswer, audienceBody } from '../../../schemas/campaigns/audience.ts';
import {
  campaignAnswer,
  campaignsAnswer,
  campaignsQuery,
  createCampaignBody,
  duplicateCampaignBody,
  updateCampaignBody,
} from '../../../schemas/campaigns/campaigns.ts';
import { analyticsAnswer } from '../../../schemas/campaigns/figures.ts';
import { previewAnswer, previewCampaignBody } from '../../../schemas/templates/previews.ts';
import { Answer, endpoint, PREVIEWS_A_MINUTE } from '../../http/endpoint.ts';
import { presentAnalytics, presentCampaign, presentOne, presentWithRun } from '../../present/campaigns.ts';
import { presentLongPage } from '../../present/page.ts';

const tag = 'campaigns';
const key = 'token';

export const campaignRoutes = [
  endpoint({
    operation: 'campaigns.analytics',
    method: 'get',
    path: '/campaigns/{campaignId}/analytics',
    key,
    tag,
    summary: 'Get the counts and rates of a campaign, as last refreshed',
    answer: analyticsAnswer,
    handler: async ({ deps, project, params }) =>
      new Answer(presentAnalytics(await findCampaign(deps, project, params.campaignId ?? '')), 'Campaign analytics'),
  }),
  endpoint({
    operation: 'campaigns.create',
    method: 'post',
    path: '/campaigns',
    key,
    tag,
    summary: 'Create a campaign',
    body: createCampaignBody,
    answer: campaignAnswer,
    handler: async ({ deps, project, body, request }) => {
      const created = await createCampaign(deps, project, body, request);
      const isScheduled = created.campaign.status === 'scheduled';
      return new Answer(presentOne(created), isScheduled ? 'Campaign scheduled' : 'Campaign created');
    },
  }),
  endpoint({
    operation: 'campaigns.audience',
    method: 'post',
    path: '/campaigns/audience',
    key,
    tag,
    summary: 'Count the contacts that a campaign to these lists would go to now',
    description:
      'As its start would write them down: each contact once, without those who are suppressed. Answers within two seconds; nothing is written.',
    body: audienceBody,
    answer: audienceAnswer,
    errors: { 429: 'Two audiences of the project are being counted already.' },
    handler: async ({ deps, project, body, request }) =>
      previewAudience(deps, project, body, { signal: request.signal }),
  }),
  endpoint({
    operation: 'campaigns.list',
    method: 'get',
    path: '/campaigns',
    key,
    tag,
    summary: 'List campaigns, newest first',
    query: campaignsQuery,
    answer: campaignsAnswer,
    handler: async ({ deps, project, query }) => {
      const page = await listCampaigns(deps, project, query);
      const entries = readWhenAsked(page.entries, (some) => relatedCampaigns(deps, project, some));
      return presentLongPage('campaigns', { ...page, entries }, presentCampaign);
    },
  }),
  endpoint({
    operation: 'campaigns.get',
    method: 'get',
    path: '/campaigns/{campaignId}',
    key,
    tag,
    summary: 'Get a campaign',
    answer: campaignAnswer,
    handler: async ({ deps, project, params }) =>
      new Answer(
        await presentWithRun(deps, project, await findCampaign(deps, project, params.campaignId ?? '')),
        'Campaign',
      ),
  }),
  endpoint({
    operation: 'campaigns.update',
    method: 'patch',
    path: '/campaigns/{campaignId}',
    key,
    tag,
    summary: 'Change, publish or reschedule a campaign',
    body: updateCampaignBody,
    answer: campaignAnswer,
    errors: { 409: 'Its status does not allow it, or it was changed after updatedAt.' },
    handler: async ({ deps, project, params, body, request }) =>
      presentOne(await updateCampaign(deps, project, params.campaignId ?? '', body, request)),
  }),
  endpoint({
    operation: 'campaigns.preview',
    method: 'post',
    path: '/campaigns/{campaignId}/preview',
    key,
    tag,
    summary: 'Show the mail of a campaign as a contact would get it',
    description: 'As it would be sent now; once it has begun, as it is sent.',
    body: previewCampaignBody,
    bodyOptional: true,
    answer: previewAnswer,
    errors: { 422: 'The template fails with these data.' },
    isComputed: true,
    perMinute: PREVIEWS_A_MINUTE,
    handler: async ({ deps, project, params, body: { clicks, ...named } }) => {
      const campaign = await findCampaign(deps, project, params.campaignId ?? '');
      const figures = clicks ? peopleByPosition(await linksOfCampaign(deps, project, campaign)) : undefined;
      return previewCampaign(deps, project, campaign, named, figures);
    },
  }),
  endpoint({
    operation: 'campaigns.duplicate',
    method: 'post',
    path: '/campaigns/{campaignId}/duplicate',
    key,
    tag,
    summary: 'Copy a campaign as a draft, for the same audience or for the recipients who did not open it',
    body: duplicateCampaignBody,
    bodyOptional: true,
    answer: campaignAnswer,
    status: 201,
    handler: async ({ deps, project, params, body, request }) =>
      presentOne(await duplicateCampaign(deps, project, params.campaignId ?? '', body, request)),
  }),
  endpoint({
    operation: 'campaigns.delete',
    method: 'delete',
    path: '/campaigns/{campaignId}',
    key,
    tag,
    summary: 'Delete a campaign that is not being sent',
    handler: async ({ deps, project, params }) => deleteCampaign(deps, project, params.campaignId ?? ''),
  }),
];
