import { type Indexes, onlyWith } from '../base/indexes.ts';
import { DAY_SECONDS } from '../base/time/durations.ts';

export const templateIndexes = {
  templates: {
    template_id: {
      key: { projectId: 1, templateId: 1 },
      unique: true,
      because: 'A template is found by the id that the interface shows.',
    },
    saved_names: {
      key: { projectId: 1, createdAt: -1, _id: -1, templateName: 1, campaignId: 1 },
      because:
        'The saved templates of a project, newest first, and those with a part of a name, without reading the others and the mails of campaigns.',
    },
    campaign: {
      key: { projectId: 1, campaignId: 1 },
      partialFilterExpression: { campaignId: { $exists: true } },
      because: 'The mails that are written in a campaign go with it.',
    },
    uses: {
      key: { projectId: 1, uses: 1, _id: -1 },
      because: 'A layout or snippet finds what has it put in, the newest first.',
    },
    brand: {
      key: { projectId: 1, usesBrand: 1, _id: -1 },
      partialFilterExpression: { usesBrand: true },
      because: 'A change of the brand finds the templates that name it.',
    },
  },
  republications: {
    due: {
      key: { projectId: 1, dueAt: 1 },
      ...onlyWith('dueAt'),
      because: 'Templates that are yet to be published again.',
    },
    expiry: {
      key: { completedAt: 1 },
      expireAfterSeconds: 30 * DAY_SECONDS,
      because: 'The progress of a job can be read for 30 days after its end.',
    },
  },
  templateLanguages: {
    version: {
      key: { projectId: 1, templateId: 1, version: -1 },
      because: 'The mails of a version in other languages go with it.',
    },
  },
  templateVersions: {
    version: {
      key: { projectId: 1, templateId: 1, version: -1 },
      unique: true,
      because: 'A template has one version of each number; its versions, newest first.',
    },
  },
} satisfies Indexes;
