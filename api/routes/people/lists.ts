import { addToList, removeFromList } from '../../../core/people/contacts/membership.ts';
import { createList, deleteList, findList, listLists, updateList } from '../../../core/people/lists/lists.ts';
import { previewFilter } from '../../../core/people/lists/preview.ts';
import { searchList } from '../../../core/people/lists/search.ts';
import {
  addedToListAnswer,
  addToListBody,
  createListBody,
  foundInListAnswer,
  listAnswer,
  listsAnswer,
  listsQuery,
  previewAnswer,
  previewBody,
  removedFromListAnswer,
  removeFromListBody,
  searchListBody,
  updateListBody,
} from '../../../schemas/people/lists.ts';
import { endpoint } from '../../http/endpoint.ts';
import { presentPage } from '../../present/page.ts';
import { presentFoundContact, presentList, presentListMember, presentPreview } from '../../present/people.ts';

const tag = 'contact lists';

export const listRoutes = [
  endpoint({
    operation: 'contactLists.addContacts',
    method: 'post',
    path: '/contact-lists/contacts/bulk-add',
    key: 'token',
    tag,
    summary: 'Add up to 500 contacts to a list, by email or by id',
    body: addToListBody,
    answer: addedToListAnswer,
    handler: async ({ deps, project, body, request }) => {
      const added = await addToList(deps, project, body, request);
      return { ...added, contacts: added.contacts.map(presentListMember) };
    },
  }),
  endpoint({
    operation: 'contactLists.removeContacts',
    method: 'post',
    path: '/contact-lists/{contactListId}/contacts/remove',
    key: 'token',
    tag,
    summary: 'Remove contacts from a list, without deleting them',
    body: removeFromListBody,
    answer: removedFromListAnswer,
    handler: async ({ deps, project, params, body }) => removeFromList(deps, project, params.contactListId ?? '', body),
  }),
  endpoint({
    operation: 'contactLists.searchContacts',
    method: 'post',
    path: '/contact-lists/contacts/search',
    key: 'token',
    tag,
    summary: 'Search the contacts of a list, a segment or the global list by part of the email',
    description:
      'The search reads the index of the list: about a millisecond for each thousand members, whatever the part of the address is.',
    body: searchListBody,
    answer: foundInListAnswer,
    handler: async ({ deps, project, body }) =>
      presentPage('contacts', await searchList(deps, project, body), presentFoundContact),
  }),
  endpoint({
    operation: 'contactLists.list',
    method: 'get',
    path: '/contact-lists',
    key: 'token',
    tag,
    summary: 'List the global list, lists and segments',
    query: listsQuery,
    answer: listsAnswer,
    handler: async ({ deps, project, query }) =>
      presentPage('lists', await listLists(deps, project, query), (list) => presentList(list, deps.config)),
  }),
  endpoint({
    operation: 'contactLists.preview',
    method: 'post',
    path: '/contact-lists/preview',
    key: 'token',
    tag,
    summary: 'Count the contacts that match a filter, and show the newest ten of them',
    description: 'The answer comes within two seconds; when counting takes longer, count is null.',
    body: previewBody,
    answer: previewAnswer,
    errors: {
      409: 'The values of contains and not_contains in the filter have over 20,000 characters.',
      429: 'Two previews of the project are running already.',
    },
    handler: async ({ deps, project, body, request }) => {
      const previewed = await previewFilter(deps, project, body.filterCriteria, { signal: request.signal });
      return presentPreview(previewed, deps.config);
    },
  }),
  endpoint({
    operation: 'contactLists.create',
    method: 'post',
    path: '/contact-lists',
    key: 'token',
    tag,
    summary: 'Create a list, or a segment with filterCriteria',
    body: createListBody,
    answer: listAnswer,
    status: 201,
    errors: {
      409: 'The project has 100 segments, or 25 public lists, already; or the values of contains and not_contains in its segments and in the entry criteria of its active automations have over 20,000 characters.',
    },
    handler: async ({ deps, project, body, request }) =>
      presentList(await createList(deps, project, body, request), deps.config),
  }),
  endpoint({
    operation: 'contactLists.get',
    method: 'get',
    path: '/contact-lists/{contactListId}',
    key: 'token',
    tag,
    summary: 'Get a list or a segment; GLOBAL_CONTACT_LIST is the id of the list of all contacts',
    answer: listAnswer,
    handler: async ({ deps, project, params }) =>
      presentList(await findList(deps, project, params.contactListId ?? ''), deps.config),
  }),
  endpoint({
    operation: 'contactLists.update',
    method: 'patch',
    path: '/contact-lists/{contactListId}',
    key: 'token',
    tag,
    summary: 'Rename a list, show it on the preference page, or change the filter of a segment',
    body: updateListBody,
    answer: listAnswer,
    errors: {
      409: 'The project has 25 public lists already; or the values of contains and not_contains in its segments and in the entry criteria of its active automations would have over 20,000 characters.',
    },
    handler: async ({ deps, project, params, body }) =>
      presentList(await updateList(deps, project, params.contactListId ?? '', body), deps.config),
  }),
  endpoint({
    operation: 'contactLists.delete',
    method: 'delete',
    path: '/contact-lists/{contactListId}',
    key: 'token',
    tag,
    summary: 'Delete a list or a segment; its contacts stay',
    handler: async ({ deps, project, params }) => deleteList(deps, project, params.contactListId ?? ''),
  }),
];
