import { type Indexes, onlyWith } from '../../base/indexes.ts';

export const mediaIndexes = {
  media: {
    hash: {
      key: { projectId: 1, hash: 1 },
      unique: true,
      ...onlyWith('hash'),
      because: 'A project has the same picture once.',
    },
    newest: { key: { projectId: 1, state: 1, _id: -1 }, because: 'The pictures of a project, newest first.' },
    name: { key: { projectId: 1, name: 1 }, because: 'The pictures that a mail shows.' },
    removals: {
      key: { projectId: 1, removeDueAt: 1 },
      ...onlyWith('removeDueAt'),
      because: 'Files that must be removed.',
    },
  },
} satisfies Indexes;
