import { type Indexes, onlyWith } from '../base/indexes.ts';

export const accountIndexes = {
  projects: {
    organization: { key: { organizationId: 1, _id: 1 }, because: 'Projects of an organization, in order.' },
  },
  apiKeys: {
    short_id: { key: { shortId: 1 }, unique: true, because: 'A key is found by its short part, and no two share one.' },
    owner: { key: { organizationId: 1, projectId: 1, _id: 1 }, because: 'Keys of a project, in order.' },
  },
  confirmations: {
    waiting: {
      key: { projectId: 1, apiKeyId: 1, waiting: 1 },
      ...onlyWith('waiting'),
      because: 'The questions of a request that is cancelled.',
    },
    expiry: { key: { expiresAt: 1 }, expireAfterSeconds: 0, because: 'Questions expire after five minutes.' },
  },
} satisfies Indexes;
