import { type Indexes, onlyWith } from '../../base/indexes.ts';

export const consentIndexes = {
  consents: {
    contact: {
      key: { projectId: 1, contactId: 1, createdAt: -1, _id: -1 },
      because: 'The consents of a contact, newest first; those to erase when it is deleted.',
    },
    erased_address: {
      key: { projectId: 1, emailHash: 1 },
      ...onlyWith('emailHash'),
      because: 'What an erased person had agreed to, by the keyed hash of the address.',
    },
    erased: {
      key: { erasedAt: 1, _id: 1 },
      ...onlyWith('erasedAt'),
      because: 'Records of erased people that are older than CONSENT_RETENTION_DAYS, of all projects.',
    },
  },
} satisfies Indexes;
