import { type Indexes, onlyWith } from '../base/indexes.ts';

export const accountIndexes = {
  projects: {
    organization: { key: { organizationId: 1, _id: 1 }, because: 'Projects of an organization, in order.' },
    deleted: {
      key: { deletedAt: 1 },
      partialFilterExpression: { deletedAt: { $type: 'date' } },
      because: 'Deleted projects of which something may be left.',
    },
  },
  apiKeys: {
    short_id: { key: { shortId: 1 }, unique: true, because: 'A key is found by its short part, and no two share one.' },
    owner: { key: { organizationId: 1, projectId: 1, _id: 1 }, because: 'Keys of a project, in order.' },
  },
  members: {
    address: {
      key: { organizationId: 1, email: 1 },
      unique: true,
      because: 'An address is a member of an organization once.',
    },
    email: { key: { email: 1 }, because: 'The organizations of an address, with each request of a session.' },
  },
  memberSessions: {
    token: { key: { hash: 1 }, unique: true, because: 'A session is found by its token, and no two share one.' },
    email: { key: { email: 1, _id: 1 }, because: 'The sessions of an address.' },
    expiry: { key: { expiresAt: 1 }, expireAfterSeconds: 0, because: 'Sessions expire.' },
  },
  signInLinks: {
    token: { key: { hash: 1 }, unique: true, because: 'A link is found by its token, and no two share one.' },
    email: { key: { email: 1, _id: 1 }, because: 'The links of an address.' },
    due: { key: { projectId: 1, dueAt: 1 }, ...onlyWith('dueAt'), because: 'Links whose mail must be sent.' },
    expiry: { key: { expiresAt: 1 }, expireAfterSeconds: 0, because: 'Links that were sent by mail expire.' },
  },
  confirmations: {
    waiting: {
      key: { projectId: 1, apiKeyId: 1, waiting: 1 },
      ...onlyWith('waiting'),
      because: 'The questions of a request that is cancelled.',
    },
    expiry: {
      key: { expiresAt: 1 },
      expireAfterSeconds: 0,
      because: 'Questions expire after five minutes, used ones after a day.',
    },
  },
} satisfies Indexes;
