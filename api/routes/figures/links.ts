import { getAutomation } from '../../../core/automations/automations.ts';
import { findCampaign } from '../../../core/campaigns/definition/campaigns.ts';
import { linksOfAutomation, linksOfCampaign, linksOfTemplate } from '../../../core/figures/reports/links/report.ts';
import { findTemplate } from '../../../core/templates/find.ts';
import { automationLinksAnswer, campaignLinksAnswer, templateLinksAnswer } from '../../../schemas/figures/links.ts';
import { endpoint } from '../../http/endpoint.ts';
import { presentAutomationLinks, presentCampaignLinks, presentTemplateLinks } from '../../present/reports.ts';

const key = 'token';
const COUNTED = 'Clicks appear some seconds after they happen, and stay when the mails are removed.';

export const linkRoutes = [
  endpoint({
    operation: 'campaigns.links',
    method: 'get',
    path: '/campaigns/{campaignId}/links',
    key,
    tag: 'campaigns',
    summary: 'Count the clicks on each link of a campaign',
    description: `Links are counted as they are written in the content: a link with variables is one row. Links of mail that older versions sent are counted by URL. ${COUNTED}`,
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
    summary: 'Count the clicks on each link in the mails of an automation, by step',
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
    summary: 'Count the clicks on each link of a template, in all mail made from it',
    description: `In campaigns, automations and single mails. A link that was changed has a row for each version that was sent. ${COUNTED}`,
    answer: templateLinksAnswer,
    handler: async ({ deps, project, params }) =>
      presentTemplateLinks(
        await linksOfTemplate(deps, project, await findTemplate(deps, project, params.templateId ?? '')),
      ),
  }),
];
