import { nullableString, timestampField } from '../common.ts';
import { schema } from '../schema.ts';

/** The draft of an automation: what its next version will be. */

const REVISION_MAX = 2_000_000_000;

export const draftRevision = {
  type: 'integer',
  minimum: 0,
  maximum: REVISION_MAX,
  description:
    'The draftRevision that the caller saw: 409 when a draft or a version was saved since. Omitted: whatever was saved is changed.',
} as const;

export const existingField = {
  enum: ['keep', 'move'],
  description: 'Enrolled contacts: keep the version they entered with (default), or move to this one.',
} as const;

export const draftVersion = {
  title: 'AutomationDraftVersion',
  enum: ['draft'],
  description: 'draft: the draft, or the version that runs where there is none. Omitted: the version that runs.',
} as const;

export const automationQuery = schema({ type: 'object', properties: { version: draftVersion } });
export const discardDraftQuery = schema({ type: 'object', properties: { draftRevision } });
export const publishAutomationBody = schema({
  title: 'PublishAutomationBody',
  type: 'object',
  properties: { existing: existingField, draftRevision },
});

const people = { type: 'integer', minimum: 0 } as const;

export const draftMark = {
  title: 'AutomationDraft',
  type: ['object', 'null'],
  required: ['baseVersion', 'isOutdated', 'updatedAt', 'updatedBy'],
  description: 'The draft of the next version; null: there is none.',
  properties: {
    baseVersion: { type: 'integer', description: 'The version that it was begun from.' },
    isOutdated: {
      type: 'boolean',
      description: 'Another version was saved since: save the draft again with draftRevision to publish it.',
    },
    updatedAt: timestampField,
    updatedBy: { ...nullableString, description: 'The id of the member who saved it; null: a key.' },
    inside: { ...people, description: 'With version=draft: the people inside now, whom a publication keeps or moves.' },
    leaving: {
      type: 'array',
      description:
        'With version=draft: those of them who stand on a step that the draft does not have, and would leave when moved.',
      items: {
        title: 'LeavingPeople',
        type: 'object',
        required: ['stepId', 'inside'],
        properties: { stepId: { type: 'string' }, inside: people },
      },
    },
  },
} as const;

export const publishedInside = {
  title: 'PublishedInside',
  type: 'object',
  required: ['kept', 'moved', 'leaving'],
  description: 'The people inside when it was published.',
  properties: {
    kept: { ...people, description: 'They keep the version they have.' },
    moved: { ...people, description: 'They go on in the new version.' },
    leaving: { ...people, description: 'Their step is gone, so they leave with step_removed.' },
  },
} as const;
