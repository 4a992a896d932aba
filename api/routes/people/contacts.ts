import { paginationOf } from '../../../core/base/paging.ts';
import { withCampaignSubjects } from '../../../core/campaigns/definition/subjects.ts';
import { listConsents } from '../../../core/consent/consents/consents.ts';
import { unsubscribeGroups } from '../../../core/consent/suppressions/search.ts';
import { contactActivity } from '../../../core/figures/reports/activity/activity.ts';
import { bulkUpdateContacts } from '../../../core/people/contacts/bulk.ts';
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
} from '../../../core/people/contacts/contacts.ts';
import { declaredFields } from '../../../core/people/contacts/custom-fields.ts';
import { everyContact } from '../../../core/people/imports/exports.ts';
import { exportPerson, personOfContact } from '../../../core/persons-own/personal-data/export.ts';
import { pageQuery } from '../../../schemas/common.ts';
import { activityAnswer, activityQuery } from '../../../schemas/figures/activity.ts';
import { consentsAnswer } from '../../../schemas/people/consents.ts';
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
} from '../../../schemas/people/contacts.ts';
import { exportQuery } from '../../../schemas/people/imports.ts';
import { personalDataFile } from '../../../schemas/persons-own/personal-data.ts';
import { unsubscribeGroupsAnswer } from '../../../schemas/suppressions.ts';
import { DOWNLOAD_BYTES, endpoint, type MinuteLimit } from '../../http/endpoint.ts';
import { contactsDownload } from '../../http/streams/exports.ts';
import { dataDownload, PERSON_DOWNLOAD_BYTES } from '../../http/streams/person-download.ts';
import { presentActivity } from '../../present/activity.ts';
import { presentConsent, presentUnsubscribeGroup } from '../../present/consent.ts';
import { presentLongList, presentPage } from '../../present/page.ts';
import { presentContact } from '../../present/people.ts';

const tag = 'contacts';
/** Each reads all mails of a person. */
const DATA_FILES_A_MINUTE: MinuteLimit = { of: 'data files', most: 60 };

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
    summary: 'Create a contact; an email that exists already is refused',
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
    summary: 'Create or update up to 100 contacts; each succeeds or fails by itself',
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
    description:
      'Contacts with more than 8 MiB of properties together are not found at once (400): ask for fewer at a time.',
    body: searchEmailsBody,
    bareArrayAs: 'emails',
    answer: foundContactsAnswer,
    isComputed: true,
    handler: async ({ deps, project, body }) =>
      presentLongList('contacts', await findContactsByEmail(deps, project, body.emails), presentContact),
  }),
  endpoint({
    operation: 'contacts.export',
    method: 'get',
    path: '/contacts/export',
    key: 'token',
    tag,
    summary: 'Download all contacts',
    query: exportQuery,
    heldBytes: DOWNLOAD_BYTES,
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
    summary: 'Delete all contacts with a userId',
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
    summary: 'Update a contact by id, its email included',
    body: updateContactBody,
    answer: contactAnswer,
    handler: async ({ deps, project, params, body, request }) =>
      presentContact(await updateContact(deps, project, params.contactId ?? '', body, request)),
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
    operation: 'contacts.data',
    method: 'get',
    path: '/contacts/{contactId}/data',
    key: 'token',
    tag,
    summary: 'Download everything that is stored about a person',
    description:
      'One JSON object with a part for each collection that names the person: fields and lists, suppressions, mails with their timelines, opens and clicks, custom events, mail that came in, automations, changes. Left out are secrets, addresses of other people, and bodies of mails, which the person has. A file that broke off is no JSON.',
    heldBytes: PERSON_DOWNLOAD_BYTES,
    produces: ['application/json'],
    answer: personalDataFile,
    perMinute: DATA_FILES_A_MINUTE,
    handler: async ({ deps, project, params }) =>
      dataDownload(exportPerson(deps, project, await personOfContact(deps, project, params.contactId ?? ''))),
  }),
  endpoint({
    operation: 'contacts.activity',
    method: 'get',
    path: '/contacts/{contactId}/activity',
    key: 'token',
    tag,
    summary: 'List what a contact did and how it changed, newest first',
    description:
      'The entries are: steps of the newest 1,000 mails, with opens and clicks; custom events; changes of fields and lists, with the import that made them; suppressions that stop mail to the address now; consents. Entries older than RETENTION_DAYS are removed. Changes before the version that added this endpoint were not recorded.',
    query: activityQuery,
    answer: activityAnswer,
    handler: async ({ deps, project, params, query }) => {
      const { entries, next } = await contactActivity(deps, project, params.contactId ?? '', query);
      const messages = entries.flatMap(({ mail }) => mail?.message ?? []);
      const named = await withCampaignSubjects(deps, project, messages);
      const byId = new Map(named.map((message) => [message._id.toHexString(), message]));
      const activity = entries.map((entry) => {
        const message = entry.mail && byId.get(entry.mail.message._id.toHexString());
        return presentActivity(entry.mail && message ? { ...entry, mail: { ...entry.mail, message } } : entry);
      });
      return { activity, next };
    },
  }),
  endpoint({
    operation: 'contacts.consents',
    method: 'get',
    path: '/contacts/{contactId}/consents',
    key: 'token',
    tag,
    summary: 'List the consents of a contact, newest first',
    description:
      'Each is a record of its own: the text, where and when it was shown, when it was confirmed. Records are never changed. When the contact is deleted they lose the address within a day and are kept for CONSENT_RETENTION_DAYS.',
    query: pageQuery,
    answer: consentsAnswer,
    handler: async ({ deps, project, params, query }) => {
      const contact = await getContact(deps, project, params.contactId ?? '');
      return presentPage('consents', await listConsents(deps, contact, query), presentConsent);
    },
  }),
  endpoint({
    operation: 'contacts.unsubscribeGroups',
    method: 'get',
    path: '/contacts/{contactId}/unsubscribe-groups',
    key: 'token',
    tag,
    summary: 'List the suppression groups that hold the address of a contact',
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
