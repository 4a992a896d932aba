import { providersOf } from '../../../core/figures/reports/providers.ts';
import { reputationOf } from '../../../core/figures/reports/reputation.ts';
import { seriesOf } from '../../../core/figures/reports/series.ts';
import {
  providersAnswer,
  providersQuery,
  reputationAnswer,
  seriesAnswer,
  seriesQuery,
} from '../../../schemas/figures/reports.ts';
import { endpoint } from '../../http/endpoint.ts';
import { presentReputation, presentSeries } from '../../present/reports.ts';

const tag = 'reports';
const key = 'token';

export const reportRoutes = [
  endpoint({
    operation: 'reports.series',
    method: 'get',
    path: '/reports/series',
    key,
    tag,
    summary: 'Count the mail of a project by hour or day',
    description:
      'The counts are of the project, or of one campaign, automation, sending domain, mailbox provider or tag. A mail counts once for each of its tags. The times of a point are in UTC, so an hour that clocks repeat is two points, and an hour that they skip is none. Counts appear some seconds after the mail they count, and stay when that mail is removed.',
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
    summary: 'Count outcomes by mailbox provider',
    description:
      'The domain of the recipient decides: a company that keeps its mailboxes at a provider under its own domain is counted as `other`.',
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
    summary: 'Compare bounces and complaints with the limits of mailbox providers',
    answer: reputationAnswer,
    handler: async ({ deps, project }) => presentReputation(await reputationOf(deps, project)),
  }),
];
