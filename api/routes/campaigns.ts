import {
  createCampaign,
  deleteCampaign,
  duplicateCampaign,
  findCampaign,
  listCampaigns,
} from '../../core/campaigns/campaigns.ts';
import { relatedCampaigns } from '../../core/campaigns/expand.ts';
import { updateCampaign } from '../../core/campaigns/update.ts';
import {
  analyticsAnswer,
  campaignAnswer,
  campaignsAnswer,
  campaignsQuery,
  createCampaignBody,
  duplicateCampaignBody,
  updateCampaignBody,
} from '../../schemas/campaigns.ts';
import { Answer, endpoint } from '../http/endpoint.ts';
import { presentAnalytics, presentCampaign, presentOne } from '../present/campaigns.ts';
import { presentPage } from '../present/present.ts';

const tag = 'campaigns';
const key = 'token';

export const campaignRoutes = [
  endpoint({
    operation: 'campaigns.analytics',
    method: 'get',
    path: '/campaigns/{campaignId}/analytics',
    key,
    tag,
    summary: 'The counts and rates of a campaign, as last refreshed',
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
      const campaign = await createCampaign(deps, project, body, request);
      return new Answer(
        await presentOne(deps, project, campaign),
        campaign.status === 'scheduled' ? 'Campaign scheduled' : 'Campaign created',
      );
    },
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
      const entries = await relatedCampaigns(deps, project, page.entries);
      return presentPage('campaigns', { ...page, entries }, presentCampaign);
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
        await presentOne(deps, project, await findCampaign(deps, project, params.campaignId ?? '')),
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
    handler: async ({ deps, project, params, body, request }) =>
      presentOne(deps, project, await updateCampaign(deps, project, params.campaignId ?? '', body, request)),
  }),
  endpoint({
    operation: 'campaigns.duplicate',
    method: 'post',
    path: '/campaigns/{campaignId}/duplicate',
    key,
    tag,
    summary: 'Copy a campaign as a draft, for its audience or for those of it who did not open',
    body: duplicateCampaignBody,
    bodyOptional: true,
    answer: campaignAnswer,
    status: 201,
    handler: async ({ deps, project, params, body, request }) =>
      presentOne(deps, project, await duplicateCampaign(deps, project, params.campaignId ?? '', body, request)),
  }),
  endpoint({
    operation: 'campaigns.delete',
    method: 'delete',
    path: '/campaigns/{campaignId}',
    key,
    tag,
    summary: 'Delete a campaign that is not under way',
    handler: async ({ deps, project, params }) => deleteCampaign(deps, project, params.campaignId ?? ''),
  }),
];
