import { getAutomation } from '../../core/automations/automations.ts';
import { findCampaign } from '../../core/campaigns/campaigns.ts';
import { linksOfAutomation, linksOfCampaign, linksOfTemplate } from '../../core/reports/links/report.ts';
import { findTemplate } from '../../core/templates/templates.ts';
import { automationLinksAnswer, campaignLinksAnswer, templateLinksAnswer } from '../../schemas/links.ts';
import { endpoint } from '../http/endpoint.ts';
import { presentAutomationLinks, presentCampaignLinks, presentTemplateLinks } from '../present/links.ts';

const key = 'token';
const COUNTED = 'Clicks appear some seconds after they happen, and stay when the mails are removed.';

export const linkRoutes = [
  endpoint({
    operation: 'campaigns.links',
    method: 'get',
    path: '/campaigns/{campaignId}/links',
    key,
    tag: 'campaigns',
    summary: 'The clicks on each link of a campaign',
    description: `A link is the one that is written in the content: those with variables are one row. Mail that was sent by versions before has rows by URL. ${COUNTED}`,
    answer: campaignLinksAnswer,
    handler: async ({ deps, project, params }) =>
      presentCampaignLinks(
        await linksOfCampaign(deps, project, await findCampaign(deps, project, params.campaignId ?? '')),
      ),
  }),
  endpoint({
    operation: 'automations.links',
    method: 'get',
    path: '/automations/{automationId}/links',
    key,
    tag: 'automations',
    summary: 'The clicks on each link of the mails of an automation, by step',
    description: `A link that was changed has a row for each version that was sent. ${COUNTED}`,
    answer: automationLinksAnswer,
    handler: async ({ deps, project, params }) =>
      presentAutomationLinks(
        await linksOfAutomation(deps, project, await getAutomation(deps, project, params.automationId ?? '')),
      ),
  }),
  endpoint({
    operation: 'templates.links',
    method: 'get',
    path: '/templates/{templateId}/links',
    key,
    tag: 'templates',
    summary: 'The clicks on each link of a template, in all mail made of it',
    description: `In campaigns, automations and single mails. A link that was changed has a row for each version that was sent. ${COUNTED}`,
    answer: templateLinksAnswer,
    handler: async ({ deps, project, params }) =>
      presentTemplateLinks(
        await linksOfTemplate(deps, project, await findTemplate(deps, project, params.templateId ?? '')),
      ),
  }),
];
