import { type Indexes, onlyWith } from '../base/indexes.ts';

export const campaignIndexes = {
  campaigns: {
    metrics_due: {
      key: { projectId: 1, metricsDueAt: 1 },
      ...onlyWith('metricsDueAt'),
      because: 'Campaigns whose numbers are to be refreshed from now on.',
    },
    counted: {
      key: { projectId: 1, countDueAt: 1 },
      ...onlyWith('countDueAt'),
      because: 'Campaigns whose recipients the series do not have yet.',
    },
    newest: { key: { projectId: 1, _id: -1 }, because: 'The campaigns of a project, newest first.' },
    status: { key: { projectId: 1, status: 1, _id: -1 }, because: 'The campaigns of a project in one status.' },
    start_due: {
      key: { projectId: 1, startDueAt: 1 },
      ...onlyWith('startDueAt'),
      because: 'Campaigns whose run must be started or signalled.',
    },
  },
} satisfies Indexes;
