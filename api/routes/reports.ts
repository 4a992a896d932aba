import { providersOf } from '../../core/reports/providers.ts';
import { reputationOf } from '../../core/reports/reputation.ts';
import { seriesOf } from '../../core/reports/series.ts';
import { providersAnswer, providersQuery, reputationAnswer, seriesAnswer, seriesQuery } from '../../schemas/reports.ts';
import { endpoint } from '../http/endpoint.ts';
import { presentReputation, presentSeries } from '../present/reports.ts';

const tag = 'reports';
const key = 'token';

export const reportRoutes = [
  endpoint({
    operation: 'reports.series',
    method: 'get',
    path: '/reports/series',
    key,
    tag,
    summary: 'Counts by hour or day',
    description:
      'Of the project, or of one campaign, automation, sending domain or mailbox provider. Each point has its instants in UTC: an hour that clocks repeat is two points, and one that they skip is none. Counts appear some seconds after what they count, and stay when the mails are removed.',
    query: seriesQuery,
    answer: seriesAnswer,
    handler: async ({ deps, project, query }) => presentSeries(query, await seriesOf(deps, project, query)),
  }),
  endpoint({
    operation: 'reports.providers',
    method: 'get',
    path: '/reports/providers',
    key,
    tag,
    summary: 'Outcomes by mailbox provider',
    description:
      'By the domain of the recipient: a company with mailboxes at a provider under its own domain is among the others.',
    query: providersQuery,
    answer: providersAnswer,
    handler: async ({ deps, project, query }) => providersOf(deps, project, query),
  }),
  endpoint({
    operation: 'reports.reputation',
    method: 'get',
    path: '/reports/reputation',
    key,
    tag,
    summary: 'Bounces and complaints against the limits of receivers',
    answer: reputationAnswer,
    handler: async ({ deps, project }) => presentReputation(await reputationOf(deps, project)),
  }),
];
