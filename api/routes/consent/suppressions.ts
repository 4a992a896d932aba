import { findGroup } from '../../../core/consent/suppressions/find-groups.ts';
import { createGroup, deleteGroup, listGroups, updateGroup } from '../../../core/consent/suppressions/groups.ts';
import { searchSuppressions } from '../../../core/consent/suppressions/search.ts';
import { suppress, unsuppress } from '../../../core/consent/suppressions/suppressions.ts';
import { everySuppression } from '../../../core/people/imports/exports.ts';
import { exportQuery } from '../../../schemas/people/imports.ts';
import {
  createGroupBody,
  groupAnswer,
  groupsAnswer,
  groupsQuery,
  searchSuppressionsBody,
  suppressBody,
  suppressedAnswer,
  suppressionsAnswer,
  unsuppressBody,
  unsuppressedAnswer,
  updateGroupBody,
} from '../../../schemas/suppressions.ts';
import { DOWNLOAD_BYTES, endpoint } from '../../http/endpoint.ts';
import { suppressionsDownload } from '../../http/streams/exports.ts';
import { presentSuppression, presentSuppressionGroup } from '../../present/consent.ts';
import { presentPage } from '../../present/page.ts';

const tag = 'suppressions';

export const suppressionRoutes = [
  endpoint({
    operation: 'suppressionGroups.suppress',
    method: 'post',
    path: '/suppression-groups/emails/suppress',
    key: 'token',
    tag,
    summary: 'Suppress addresses in a group, in the default, the global or the marketing one',
    body: suppressBody,
    answer: suppressedAnswer,
    handler: async ({ deps, project, body }) => ({ suppressed: await suppress(deps, project._id, body) }),
  }),
  endpoint({
    operation: 'suppressionGroups.unsuppress',
    method: 'post',
    path: '/suppression-groups/emails/unsuppress',
    key: 'token',
    tag,
    summary: 'Release addresses from a group, from the default, the global or the marketing one',
    body: unsuppressBody,
    answer: unsuppressedAnswer,
    handler: async ({ deps, project, body }) => ({ unsuppressed: await unsuppress(deps, project._id, body) }),
  }),
  endpoint({
    operation: 'suppressionGroups.searchEntries',
    method: 'post',
    path: '/suppression-groups/entries',
    key: 'token',
    tag,
    summary: 'Search suppression entries, newest first',
    description:
      'search looks in addresses, reasons and group codes, and sorts by address. It reads all keys of an index: about a millisecond for each thousand entries of the project. Each other filter has its own index, and takes the same time for any number of entries.',
    body: searchSuppressionsBody,
    answer: suppressionsAnswer,
    handler: async ({ deps, project, body }) =>
      presentPage('entries', await searchSuppressions(deps, project, body), presentSuppression),
  }),
  endpoint({
    operation: 'suppressionGroups.exportEntries',
    method: 'get',
    path: '/suppression-groups/entries/export',
    key: 'token',
    tag,
    summary: 'Download all suppression entries',
    query: exportQuery,
    heldBytes: DOWNLOAD_BYTES,
    produces: ['text/csv', 'application/x-ndjson'],
    handler: async ({ deps, project, query }) =>
      suppressionsDownload(query.format ?? 'csv', everySuppression(deps, project)),
  }),
  endpoint({
    operation: 'suppressionGroups.list',
    method: 'get',
    path: '/suppression-groups',
    key: 'token',
    tag,
    summary: 'List suppression groups',
    query: groupsQuery,
    answer: groupsAnswer,
    handler: async ({ deps, project, query }) =>
      presentPage('groups', await listGroups(deps, project, query), presentSuppressionGroup),
  }),
  endpoint({
    operation: 'suppressionGroups.create',
    method: 'post',
    path: '/suppression-groups',
    key: 'token',
    tag,
    summary: 'Create a suppression group; people unsubscribe from each group separately',
    body: createGroupBody,
    answer: groupAnswer,
    status: 201,
    errors: { 409: 'The project has 25 public groups already.' },
    handler: async ({ deps, project, body, request }) =>
      presentSuppressionGroup(await createGroup(deps, project, body, request)),
  }),
  endpoint({
    operation: 'suppressionGroups.get',
    method: 'get',
    path: '/suppression-groups/{groupId}',
    key: 'token',
    tag,
    summary: 'Get a suppression group',
    answer: groupAnswer,
    handler: async ({ deps, project, params }) =>
      presentSuppressionGroup(await findGroup(deps, project, params.groupId ?? '')),
  }),
  endpoint({
    operation: 'suppressionGroups.update',
    method: 'patch',
    path: '/suppression-groups/{groupId}',
    key: 'token',
    tag,
    summary: 'Change name or description of a suppression group, or show it on the preference page',
    body: updateGroupBody,
    answer: groupAnswer,
    errors: {
      409: 'The global, the default and the marketing group belong to the project; the default one may only be made public. Or the project has 25 public groups already.',
    },
    handler: async ({ deps, project, params, body }) =>
      presentSuppressionGroup(await updateGroup(deps, project, params.groupId ?? '', body)),
  }),
  endpoint({
    operation: 'suppressionGroups.delete',
    method: 'delete',
    path: '/suppression-groups/{groupId}',
    key: 'token',
    tag,
    summary: 'Delete a suppression group with its entries',
    errors: { 409: 'The global, the default and the marketing group belong to the project.' },
    handler: async ({ deps, project, params }) => deleteGroup(deps, project, params.groupId ?? ''),
  }),
];
