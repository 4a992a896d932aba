import { type Indexes, onlyWith } from '../../base/indexes.ts';

export const suppressionIndexes = {
  suppressionGroups: {
    code: { key: { projectId: 1, groupId: 1 }, unique: true, because: 'A code names one group of a project.' },
    public: {
      key: { projectId: 1, isPublic: 1, _id: 1 },
      ...onlyWith('isPublic'),
      because: 'The groups that the preference page of a project shows.',
    },
  },
  suppressions: {
    address: {
      key: { projectId: 1, email: 1, groupId: 1 },
      unique: true,
      because: 'One entry for each address and group; what stops mail to an address.',
    },
    newest: {
      key: { projectId: 1, createdAt: -1, _id: -1 },
      because: 'Entries of a project, newest first, and those between two dates.',
    },
    group: { key: { projectId: 1, groupId: 1, createdAt: -1, _id: -1 }, because: 'Entries of a group, newest first.' },
    reason: {
      key: { projectId: 1, reason: 1, createdAt: -1, _id: -1 },
      because: 'Entries with a reason, newest first.',
    },
    group_reason: {
      key: { projectId: 1, groupId: 1, reason: 1, createdAt: -1, _id: -1 },
      because: 'Entries of a group with a reason, newest first.',
    },
    search: {
      key: { projectId: 1, email: 1, groupId: 1, reason: 1 },
      because: 'Entries by a part of the address or by the name of a reason, without reading the entries.',
    },
  },
} satisfies Indexes;
