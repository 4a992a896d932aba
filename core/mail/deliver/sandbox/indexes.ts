import { type Indexes, onlyWith } from '../../../base/indexes.ts';
import { DAY_SECONDS } from '../../../base/time/durations.ts';

export const sandboxIndexes = {
  sandboxReports: {
    due: {
      key: { projectId: 1, dueAt: 1 },
      ...onlyWith('dueAt'),
      because: 'Reports about mail to sandbox addresses that are to be handed to the inbound mail server.',
    },
    expiry: {
      key: { createdAt: 1 },
      expireAfterSeconds: DAY_SECONDS,
      because: 'A report that no inbound mail server takes is given up after a day.',
    },
  },
} satisfies Indexes;
