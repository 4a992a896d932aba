import { type Indexes, onlyWith } from '../base/indexes.ts';

export const reportIndexes = {
  reportCounts: {
    project: {
      key: { projectId: 1, count: 1, at: 1 },
      because: 'The series of a project, and those by sending domain and provider.',
    },
    source: {
      key: { projectId: 1, count: 1, source: 1, at: 1 },
      because: 'The series of a campaign or an automation.',
    },
  },
  linkCounts: {
    source: {
      key: { projectId: 1, count: 1, source: 1, link: 1, url: 1 },
      because: 'The links of a campaign, an automation or a template.',
    },
  },
  reportStates: {
    reputation: {
      key: { projectId: 1, reputationDueAt: 1 },
      ...onlyWith('reputationDueAt'),
      because: 'Projects whose sending domains are to be judged.',
    },
  },
} satisfies Indexes;
