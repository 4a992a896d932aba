import type { Indexes } from '../../base/indexes.ts';

export const liveIndexes = {
  processes: {
    seen: { key: { seenAt: 1 }, expireAfterSeconds: 60, because: 'Processes that report nothing any more expire.' },
  },
} satisfies Indexes;
