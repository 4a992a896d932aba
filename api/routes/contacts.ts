import { paginationOf } from '../../core/base/paging.ts';
import { bulkUpdateContacts } from '../../core/contacts/bulk.ts';
import {
  createContact,
  deleteContact,
  deleteContactsByEmail,
  deleteContactsOfUser,
  findContactsByEmail,
  getContact,
  listContacts,
  updateContact,
  upsertContact,
} from '../../core/contacts/contacts.ts';
import { declaredFields } from '../../core/contacts/custom-fields.ts';
import { everyContact } from '../../core/imports/exports.ts';
import { contactActivity } from '../../core/reports/activity/activity.ts';
import { unsubscribeGroups } from '../../core/suppressions/search.ts';
import { activityAnswer, activityQuery } from '../../schemas/activity.ts';
import {
  bulkUpdateBody,
  bulkUpdatedAnswer,
  contactAnswer,
  contactsAnswer,
  contactsQuery,
  deletedAnswer,
  foundContactsAnswer,
  removeEmailsBody,
  searchEmailsBody,
  updateContactBody,
  upsertContactBody,
} from '../../schemas/contacts.ts';
import { exportQuery } from '../../schemas/imports.ts';
import { unsubscribeGroupsAnswer } from '../../schemas/suppressions.ts';
import { endpoint } from '../http/endpoint.ts';
import { contactsDownload } from '../http/exports.ts';
import { presentActivity } from '../present/activity.ts';
import { presentContact, presentPage, presentUnsubscribeGroup } from '../present/present.ts';

const tag = 'contacts';

export const contactRoutes = [
  endpoint({
    operation: 'contacts.upsert',
    method: 'post',
    path: '/contacts/email',
    key: 'token',
    tag,
    summary: 'Create a contact, or update the one with this email',
    body: upsertContactBody,
    answer: contactAnswer,
    handler: async ({ deps, project, body, request }) =>
      presentContact(await upsertContact(deps, project, body, request)),
  }),
  endpoint({
    operation: 'contacts.create',
    method: 'post',
    path: '/contacts',
    key: 'token',
    tag,
    summary: 'Create a contact; an email that is known is refused',
    body: upsertContactBody,
    answer: contactAnswer,
    status: 201,
    handler: async ({ deps, project, body, request }) =>
      presentContact(await createContact(deps, project, body, request)),
  }),
  endpoint({
    operation: 'contacts.list',
    method: 'get',
    path: '/contacts',
    key: 'token',
    tag,
    summary: 'List contacts, newest first, or search by part of an email',
    query: contactsQuery,
    answer: contactsAnswer,
    handler: async ({ deps, project, query }) =>
      presentPage('contacts', await listContacts(deps, project, query), presentContact),
  }),
  endpoint({
    operation: 'contacts.bulkUpdate',
    method: 'post',
    path: '/contacts/bulk-update',
    key: 'token',
    tag,
    summary: 'Create or update up to 100 contacts; one that fails, fails alone',
    body: bulkUpdateBody,
    answer: bulkUpdatedAnswer,
    handler: async ({ deps, project, body, request }) => bulkUpdateContacts(deps, project, body, request),
  }),
  endpoint({
    operation: 'contacts.findByEmail',
    method: 'post',
    path: '/contacts/search/emails',
    key: 'token',
    tag,
    summary: 'Find contacts by their emails',
    body: searchEmailsBody,
    bareArrayAs: 'emails',
    answer: foundContactsAnswer,
    handler: async ({ deps, project, body }) => ({
      contacts: (await findContactsByEmail(deps, project, body.emails)).map(presentContact),
    }),
  }),
  endpoint({
    operation: 'contacts.export',
    method: 'get',
    path: '/contacts/export',
    key: 'token',
    tag,
    summary: 'Download every contact',
    query: exportQuery,
    produces: ['text/csv', 'application/x-ndjson'],
    handler: async ({ deps, project, query }) =>
      contactsDownload(query.format ?? 'csv', everyContact(deps, project), await declaredFields(deps, project)),
  }),
  endpoint({
    operation: 'contacts.deleteByEmail',
    method: 'post',
    path: '/contacts/remove',
    key: 'token',
    tag,
    summary: 'Delete contacts by email',
    body: removeEmailsBody,
    bareArrayAs: 'emails',
    answer: deletedAnswer,
    handler: async ({ deps, project, body }) => ({ deleted: await deleteContactsByEmail(deps, project, body.emails) }),
  }),
  endpoint({
    operation: 'contacts.deleteByUserId',
    method: 'delete',
    path: '/contacts/email/userId/{userId}',
    key: 'token',
    tag,
    summary: 'Delete every contact that carries this userId',
    answer: deletedAnswer,
    handler: async ({ deps, project, params }) => ({
      deleted: await deleteContactsOfUser(deps, project, params.userId ?? ''),
    }),
  }),
  endpoint({
    operation: 'contacts.get',
    method: 'get',
    path: '/contacts/{contactId}',
    key: 'token',
    tag,
    summary: 'Get a contact',
    answer: contactAnswer,
    handler: async ({ deps, project, params }) =>
      presentContact(await getContact(deps, project, params.contactId ?? '')),
  }),
  endpoint({
    operation: 'contacts.update',
    method: 'patch',
    path: '/contacts/{contactId}',
    key: 'token',
    tag,
    summary: 'Update a contact by id, its email too',
    body: updateContactBody,
    answer: contactAnswer,
    handler: async ({ deps, project, params, body }) =>
      presentContact(await updateContact(deps, project, params.contactId ?? '', body)),
  }),
  endpoint({
    operation: 'contacts.delete',
    method: 'delete',
    path: '/contacts/{contactId}',
    key: 'token',
    tag,
    summary: 'Delete a contact',
    handler: async ({ deps, project, params }) => deleteContact(deps, project, params.contactId ?? ''),
  }),
  endpoint({
    operation: 'contacts.activity',
    method: 'get',
    path: '/contacts/{contactId}/activity',
    key: 'token',
    tag,
    summary: 'The acts of a contact and the changes of it, newest first',
    description:
      'Steps of the newest 1,000 mails, opens and clicks among them; custom events; changes of fields and lists, with the import that made them; entries that stop mail to the address now. Entries older than RETENTION_DAYS are removed, and changes are recorded since the version that brought this endpoint.',
    query: activityQuery,
    answer: activityAnswer,
    handler: async ({ deps, project, params, query }) => {
      const { entries, next } = await contactActivity(deps, project, params.contactId ?? '', query);
      return { activity: entries.map(presentActivity), next };
    },
  }),
  endpoint({
    operation: 'contacts.unsubscribeGroups',
    method: 'get',
    path: '/contacts/{contactId}/unsubscribe-groups',
    key: 'token',
    tag,
    summary: 'The suppression groups that hold the address of a contact',
    answer: unsubscribeGroupsAnswer,
    handler: async ({ deps, project, params }) => {
      const contact = await getContact(deps, project, params.contactId ?? '');
      const groups = await unsubscribeGroups(deps, project, contact);
      return {
        groups: groups.map(({ group, entry }) => presentUnsubscribeGroup(group, entry)),
        pagination: paginationOf(1, Math.max(1, groups.length), groups.length),
      };
    },
  }),
];
