import type { Indexes } from '../base/indexes.ts';

export const jobIndexes = {
  starts: {
    due: { key: { kind: 1, projectId: 1, dueAt: 1 }, because: 'Runs that must be started or signalled, by kind.' },
  },
} satisfies Indexes;
