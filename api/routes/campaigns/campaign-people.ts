import { everyPersonOf } from '../../../core/campaigns/people/every.ts';
import { listPeople } from '../../../core/campaigns/people/list.ts';
import { peopleAnswer, peopleExportQuery, peopleQuery } from '../../../schemas/campaigns/people.ts';
import { DOWNLOAD_BYTES, endpoint } from '../../http/endpoint.ts';
import { peopleDownload } from '../../http/streams/exports.ts';
import { presentPerson } from '../../present/campaigns.ts';
import { presentPage } from '../../present/page.ts';

const tag = 'campaigns';
const key = 'token';

export const campaignPeopleRoutes = [
  endpoint({
    operation: 'campaigns.people',
    method: 'get',
    path: '/campaigns/{campaignId}/people',
    key,
    tag,
    summary: 'List the contacts behind a figure of a campaign',
    description:
      'Contacts who opened, clicked, unsubscribed or complained are sorted by time, newest first; contacts whose mail was sent, bounced, or not opened or clicked are in the order of sending. Recipients whose mail has not been sent yet are in no figure. A total that takes long to count is kept for ten times as long.',
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
    summary: 'Download all contacts behind a figure of a campaign',
    query: peopleExportQuery,
    heldBytes: DOWNLOAD_BYTES,
    produces: ['text/csv', 'application/x-ndjson'],
    handler: async ({ deps, project, params, query }) => {
      const { format = 'csv', ...behind } = query;
      const people = await everyPersonOf(deps, project, params.campaignId ?? '', behind);
      return peopleDownload(`people-${behind.did}`, format, people);
    },
  }),
];
