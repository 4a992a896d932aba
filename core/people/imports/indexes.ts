import { type Indexes, onlyWith } from '../../base/indexes.ts';
import { DAY_SECONDS } from '../../base/time/durations.ts';

export const importIndexes = {
  imports: {
    newest: { key: { projectId: 1, _id: -1 }, because: 'The imports of a project, newest first.' },
    status: { key: { projectId: 1, status: 1, _id: -1 }, because: 'The imports of a project in one status.' },
  },
  importChunks: {
    import: { key: { projectId: 1, importId: 1, number: 1 }, because: 'The chunks of a file, in order.' },
    expiry: {
      key: { createdAt: 1 },
      expireAfterSeconds: 30 * DAY_SECONDS,
      because: 'Files of uploads that were cut off expire.',
    },
  },
  importErrors: {
    import: { key: { projectId: 1, importId: 1, row: 1 }, because: 'The errors of a file, in its order.' },
    address: {
      key: { projectId: 1, address: 1 },
      ...onlyWith('address'),
      because: 'The errors that name an address: the data of a person, and erasure.',
    },
    expiry: {
      key: { createdAt: 1 },
      expireAfterSeconds: 30 * DAY_SECONDS,
      because: 'Errors of imports can be downloaded for 30 days.',
    },
  },
} satisfies Indexes;
