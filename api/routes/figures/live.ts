import { findCampaign } from '../../../core/campaigns/definition/campaigns.ts';
import { campaignRates } from '../../../core/figures/live/campaigns.ts';
import { healthDetails } from '../../../core/figures/live/health.ts';
import { figuresNow, nowData } from '../../../core/figures/live/now.ts';
import { usageToday } from '../../../core/inbound/quotas.ts';
import { VERSION } from '../../../platform/version.ts';
import { campaignRatesAnswer, healthAnswer, nowAnswer, nowQuery } from '../../../schemas/figures/now.ts';
import { endpoint } from '../../http/endpoint.ts';

const key = 'token';

export const liveRoutes = [
  endpoint({
    operation: 'reports.now',
    method: 'get',
    path: '/reports/now',
    key,
    tag: 'reports',
    summary: 'Get rates, lanes, running campaigns, the outcomes of today and everything that needs attention',
    description:
      'Of the project. Outcomes are those of the series, some seconds late; rates are lost when Redis is restarted. The event project.summary of GET /stream has what moves.',
    query: nowQuery,
    answer: nowAnswer,
    handler: async ({ deps, project, query }) =>
      nowData(await figuresNow(deps, project, { timezones: [query.timezone ?? 'UTC'] })),
  }),
  endpoint({
    operation: 'campaigns.rates',
    method: 'get',
    path: '/campaigns/{campaignId}/rates',
    key,
    tag: 'campaigns',
    summary: 'Get the mails, opens and clicks of a campaign in the last 15 minutes, in steps of five seconds',
    description: 'Lost when Redis is restarted. GET /reports/series has hours and days of any time.',
    answer: campaignRatesAnswer,
    handler: async ({ deps, project, params }) =>
      campaignRates(deps, await findCampaign(deps, project, params.campaignId ?? '')),
  }),
  endpoint({
    operation: 'reports.health',
    method: 'get',
    path: '/reports/health',
    key,
    tag: 'reports',
    summary: 'Get the state of servers, processes and waiting jobs',
    answer: healthAnswer,
    handler: async ({ deps, project }) => {
      const details = await healthDetails(deps, project);
      // Afterwards, since the details ask for much at once.
      const inbound = await usageToday(deps, project);
      // Networks that bring mail to other organizations are not shown to this one, nor are processes.
      const networks = details.processes && inbound.networks;
      return { version: VERSION, mongodb: 'up', ...details, inbound: { ...inbound, networks } };
    },
  }),
];
