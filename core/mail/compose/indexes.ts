import type { Indexes } from '../../base/indexes.ts';

export const composingIndexes = {
  linkSets: {
    content: {
      key: { projectId: 1, templateId: 1, 'automation.id': 1 },
      because: 'How many versions of the links of a template or an automation are kept.',
    },
  },
} satisfies Indexes;
