import { type Indexes, onlyWith } from '../base/indexes.ts';

export const importIndexes = {
  imports: {
    due: {
      key: { projectId: 1, startDueAt: 1 },
      ...onlyWith('startDueAt'),
      because: 'Imports whose run must be started.',
    },
  },
  importChunks: {
    import: { key: { projectId: 1, importId: 1, number: 1 }, because: 'The chunks of a file, in order.' },
    expiry: {
      key: { createdAt: 1 },
      expireAfterSeconds: 30 * 86_400,
      because: 'Files of uploads that were cut off expire.',
    },
  },
  importErrors: {
    import: { key: { projectId: 1, importId: 1, row: 1 }, because: 'The errors of a file, in its order.' },
    expiry: {
      key: { createdAt: 1 },
      expireAfterSeconds: 30 * 86_400,
      because: 'Errors of imports can be downloaded for 30 days.',
    },
  },
} satisfies Indexes;
