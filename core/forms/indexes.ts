import { type Indexes, onlyWith } from '../base/indexes.ts';

export const formIndexes = {
  forms: {
    project: { key: { projectId: 1, createdAt: -1, _id: -1 }, because: 'The forms of a project, newest first.' },
    list: { key: { projectId: 1, listIds: 1 }, because: 'Whether a form names a list that is to be removed.' },
    template: {
      key: { projectId: 1, confirmationTemplateId: 1 },
      partialFilterExpression: { confirmationTemplateId: { $type: 'string' } },
      because: 'Whether a form names a template that is to be removed.',
    },
    group: {
      key: { projectId: 1, unsubscribeGroupIds: 1 },
      because: 'Whether a form names a suppression group that is to be removed.',
    },
  },
  formSubmissions: {
    due: {
      key: { projectId: 1, dueAt: 1 },
      ...onlyWith('dueAt'),
      because: 'Forms that were sent and must be handled.',
    },
    address: { key: { projectId: 1, email: 1 }, because: 'The forms that an address has sent, for its erasure.' },
    expiry: {
      key: { expiresAt: 1 },
      expireAfterSeconds: 0,
      because: 'Forms that could not be handled within seven days are removed.',
    },
  },
  pendingSubscriptions: {
    address: {
      key: { projectId: 1, email: 1 },
      unique: true,
      ...onlyWith('email'),
      because: 'An address waits once in a project, for one confirmation of everything.',
    },
    due: { key: { projectId: 1, dueAt: 1 }, ...onlyWith('dueAt'), because: 'Agreements that are seven days old.' },
    project: { key: { projectId: 1, _id: 1 }, because: 'What waits in a project that is deleted.' },
    expiry: {
      key: { expiresAt: 1 },
      expireAfterSeconds: 0,
      because: 'What is not confirmed within seven days is removed.',
    },
  },
} satisfies Indexes;
