import type { Indexes } from '../../base/indexes.ts';

export const personalDataIndexes = {
  dataRequests: {
    token: { key: { hash: 1 }, unique: true, because: 'A request is found by its token, and no two share one.' },
    project: { key: { projectId: 1, _id: 1 }, because: 'The requests of a project that is deleted.' },
    expiry: { key: { expiresAt: 1 }, expireAfterSeconds: 0, because: 'Links to the data of a person expire.' },
  },
} satisfies Indexes;
