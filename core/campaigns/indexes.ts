import { type Indexes, onlyWith } from '../base/indexes.ts';

export const campaignIndexes = {
  campaigns: {
    counted: {
      key: { projectId: 1, countDueAt: 1 },
      ...onlyWith('countDueAt'),
      because: 'Campaigns whose recipients the series do not have yet.',
    },
    newest: { key: { projectId: 1, _id: -1 }, because: 'The campaigns of a project, newest first.' },
    status: { key: { projectId: 1, status: 1, _id: -1 }, because: 'The campaigns of a project in one status.' },
  },
} satisfies Indexes;
