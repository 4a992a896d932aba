import type { Indexes } from '../../base/indexes.ts';

export const previewIndexes = {
  previews: {
    newest: { key: { projectId: 1, _id: -1 }, because: 'Of a project the newest previews are kept.' },
    expiry: { key: { expiresAt: 1 }, expireAfterSeconds: 0, because: 'Previews expire after ten minutes.' },
  },
} satisfies Indexes;
