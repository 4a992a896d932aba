import { type Indexes, onlyWith } from '../../base/indexes.ts';
import type { Engagement } from './model.ts';

/**
 * A key is written once for each recipient who did it: the first time of each kind does not change any more. Mail that belongs to no
 * campaign has none.
 */
function engaged(at: keyof Engagement, because: string) {
  return {
    key: { projectId: 1, campaignId: 1, [at]: -1, _id: -1 } as const,
    partialFilterExpression: { campaignId: { $exists: true }, [at]: { $exists: true } },
    because,
  };
}

export const messageIndexes = {
  attachmentChunks: {
    // The name that GridFS gives it.
    files_id_1_n_1: {
      key: { files_id: 1, n: 1 },
      unique: true,
      because: 'A file has each of its pieces once; reading them in order.',
    },
  },
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
    opened: engaged('openedAt', 'Who opened a campaign, the last one first; their number.'),
    human_opened: engaged('humanOpenedAt', 'The same for opens of people.'),
    clicked: engaged('clickedAt', 'The same for clicks.'),
    clicked_url: {
      key: { projectId: 1, campaignId: 1, 'clicks.url': 1, clickedAt: -1, _id: -1 },
      partialFilterExpression: { campaignId: { $exists: true }, clickedAt: { $exists: true } },
      because: 'Who clicked one address in a campaign.',
    },
    clicked_link: {
      key: { projectId: 1, campaignId: 1, 'clicks.link': 1, clickedAt: -1, _id: -1 },
      partialFilterExpression: { campaignId: { $exists: true }, 'clicks.link': { $exists: true } },
      because: 'Who clicked one link of the content of a campaign.',
    },
    unsubscribed: engaged('unsubscribedAt', 'Who unsubscribed from a campaign.'),
    complained: engaged('complainedAt', 'Who complained about a campaign.'),
    counted: {
      key: { projectId: 1, countDueAt: 1 },
      ...onlyWith('countDueAt'),
      because: 'Opens, clicks and complaints that the series do not have yet.',
    },
  },
} satisfies Indexes;
