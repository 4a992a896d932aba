import { type Indexes, onlyWith } from '../base/indexes.ts';

export const messageIndexes = {
  contactErasures: {
    due: {
      key: { projectId: 1, dueAt: 1 },
      ...onlyWith('dueAt'),
      because: 'Deleted contacts whose messages are to be erased.',
    },
  },
  engagements: {
    campaign: {
      key: { projectId: 1, campaignId: 1 },
      ...onlyWith('campaignId'),
      because: 'Opens, clicks and complaints of a campaign, to be counted.',
    },
  },
} satisfies Indexes;
