import { everyPersonOf } from '../../core/campaigns/people/every.ts';
import { listPeople } from '../../core/campaigns/people/list.ts';
import { peopleAnswer, peopleExportQuery, peopleQuery } from '../../schemas/people.ts';
import { endpoint } from '../http/endpoint.ts';
import { peopleDownload } from '../http/exports.ts';
import { presentPerson } from '../present/campaigns.ts';
import { presentPage } from '../present/present.ts';

const tag = 'campaigns';
const key = 'token';

export const campaignPeopleRoutes = [
  endpoint({
    operation: 'campaigns.people',
    method: 'get',
    path: '/campaigns/{campaignId}/people',
    key,
    tag,
    summary: 'The people behind a figure of a campaign',
    description:
      'People who opened, clicked, unsubscribed or complained: the last one first. Mail that was sent, bounced, or not opened or clicked: in the order of sending. Recipients whose mail has not been sent yet are behind no figure. A total that takes long to count is shown for ten times as long.',
    query: peopleQuery,
    answer: peopleAnswer,
    handler: async ({ deps, project, params, query }) => {
      const page = await listPeople(deps, project, params.campaignId ?? '', query);
      return { ...presentPage('people', page, presentPerson), keptUntil: page.keptUntil };
    },
  }),
  endpoint({
    operation: 'campaigns.exportPeople',
    method: 'get',
    path: '/campaigns/{campaignId}/people/export',
    key,
    tag,
    summary: 'Download all people behind a figure of a campaign',
    query: peopleExportQuery,
    produces: ['text/csv', 'application/x-ndjson'],
    handler: async ({ deps, project, params, query }) => {
      const { did, url, format = 'csv' } = query;
      const people = await everyPersonOf(deps, project, params.campaignId ?? '', { did, url });
      return peopleDownload(`people-${did}`, format, people);
    },
  }),
];
