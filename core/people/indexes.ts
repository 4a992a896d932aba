import { type Indexes, onlyWith } from '../base/indexes.ts';

export const contactIndexes = {
  contacts: {
    email: { key: { projectId: 1, email: 1 }, unique: true, because: 'One contact for each address of a project.' },
    list: {
      key: { projectId: 1, listIds: 1, email: 1 },
      because: 'The contacts of a list, by address: search and freeze.',
    },
    segment: { key: { projectId: 1, segmentIds: 1, email: 1 }, because: 'The contacts of a segment, by address.' },
    user: {
      key: { projectId: 1, userId: 1 },
      partialFilterExpression: { userId: { $type: 'string' } },
      because: 'Deletion by userId.',
    },
    newest: { key: { projectId: 1, _id: -1 }, because: 'The contacts of a project, newest first.' },
    window_due: {
      key: { projectId: 1, windowDueAt: 1 },
      ...onlyWith('windowDueAt'),
      because: 'Contacts for which the window of a segment has passed.',
    },
  },
  contactFacts: {
    contact: {
      key: { projectId: 1, contactId: 1, kind: 1, at: 1 },
      because: 'What contacts did since a time; removal of the facts of deleted contacts.',
    },
  },
  contactHistory: {
    contact: {
      key: { projectId: 1, contactId: 1, at: -1, _id: -1 },
      because: 'The changes of a contact, newest first; removal of those of deleted contacts.',
    },
    addresses: {
      key: { projectId: 1, contactId: 1, 'fields.field': 1 },
      partialFilterExpression: { 'fields.field': 'email' },
      because: 'The addresses that a contact had before.',
    },
    former: {
      key: { projectId: 1, 'fields.from': 1, at: 1 },
      partialFilterExpression: { 'fields.field': 'email' },
      because: 'The contact that had an address before: whoever leaves by an old mail gets none at the new address.',
    },
  },
  notedFacts: {
    due: { key: { projectId: 1, dueAt: 1 }, ...onlyWith('dueAt'), because: 'Facts that are to be counted.' },
  },
  contactLists: {
    project: {
      key: { projectId: 1, type: 1, _id: 1 },
      because: 'The global list, lists and segments of a project, in order.',
    },
    public: {
      key: { projectId: 1, isPublic: 1, _id: 1 },
      ...onlyWith('isPublic'),
      because: 'The lists that the preference page of a project shows.',
    },
  },
  listCounts: {
    list: { key: { projectId: 1, listId: 1 }, because: 'The parts of the count of a list.' },
  },
  listRemovals: {
    due: {
      key: { projectId: 1, dueAt: 1 },
      ...onlyWith('dueAt'),
      because: 'Deleted lists that are still named in contacts.',
    },
  },
  customFields: {
    field_name: { key: { projectId: 1, fieldName: 1 }, unique: true, because: 'One declaration for each field name.' },
  },
} satisfies Indexes;
