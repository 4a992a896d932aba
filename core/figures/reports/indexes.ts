import { type Indexes, onlyWith } from '../../base/indexes.ts';

export const reportIndexes = {
  reportCounts: {
    part: {
      key: { projectId: 1, count: 1, part: 1, day: 1 },
      because: 'The days of a part of the mail of a project, or of all providers, replies or sending domains.',
    },
    tags: {
      key: { projectId: 1, count: 1, day: 1, tag: 1 },
      ...onlyWith('tag'),
      because: 'The tags of a day that are counted on their own.',
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
