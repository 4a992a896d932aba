import {
  createContact,
  deleteContact,
  deleteContactsByEmail,
  deleteContactsOfUser,
  getContact,
  listContacts,
  updateContact,
  upsertContact,
} from '../../core/contacts.ts';
import {
  contactAnswer,
  contactsAnswer,
  contactsQuery,
  deletedAnswer,
  removeEmailsBody,
  updateContactBody,
  upsertContactBody,
} from '../../schemas/contacts.ts';
import { endpoint } from '../endpoint.ts';
import { presentContact, presentPage } from '../present.ts';

const tag = 'contacts';

export const contactRoutes = [
  endpoint({
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
    method: 'delete',
    path: '/contacts/{contactId}',
    key: 'token',
    tag,
    summary: 'Delete a contact',
    handler: async ({ deps, project, params }) => deleteContact(deps, project, params.contactId ?? ''),
  }),
];
