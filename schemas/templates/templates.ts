import { utmField } from '../campaigns/utm.ts';
import {
  createdByField,
  emailField,
  idField,
  idReference,
  mailboxField,
  nullableString,
  nullableTimestamp,
  pageAnswer,
  pageFields,
  seenUpdate,
  timestampField,
} from '../common.ts';
import { schema, shape } from '../schema.ts';
import { contentField } from './blocks.ts';
import { starterFields } from './starters.ts';

const TEMPLATE_NAME_MAX = 200;
const SUBJECT_MAX = 998;
export const PREVIEW_TEXT_MAX = 200;
export const TEMPLATE_LENGTH_MAX = 1_048_576;
const DESCRIPTION_MAX = 1_000;

export const subjectField = { type: 'string', maxLength: SUBJECT_MAX, format: 'line' } as const;

export const templateType = { type: 'string', enum: ['transactional', 'marketing'] } as const;

/** Of GET /layouts. */
export const layoutId = {
  type: ['string', 'null'],
  maxLength: 64,
  description: 'The layout around the mail.',
} as const;

export const languageField = {
  type: 'string',
  maxLength: 35,
  format: 'language',
  description: 'Of a translated template: fr-CA, else fr, else its own. Omitted: the one that the contact reads.',
} as const;

export const templateFields = {
  templateName: { type: 'string', minLength: 1, maxLength: TEMPLATE_NAME_MAX, format: 'line', pattern: '\\S' },
  content: contentField,
  emailTemplate: {
    type: 'string',
    minLength: 1,
    maxLength: TEMPLATE_LENGTH_MAX,
    description: 'HTML with {{variables}}, {{#if}}, {{#each}}; instead of content.',
  },
  subject: { ...subjectField, description: 'May hold {{variables}}.' },
  previewText: { type: 'string', maxLength: PREVIEW_TEXT_MAX, format: 'line' },
  templateType: { ...templateType, default: 'transactional' },
  builderType: { type: 'string', enum: ['code', 'editor', 'visual'], description: 'visual is an alias of editor.' },
  description: { type: 'string', maxLength: DESCRIPTION_MAX },
  editorJson: {
    type: ['object', 'null'],
    description: 'The state that your own editor keeps with the code; answers have the content blocks here.',
  },
  parentBodyProperties: { type: ['object', 'null'] },
  trackingClick: { type: 'boolean' },
  trackingOpen: { type: 'boolean' },
  utm: utmField,
  layoutId,
} as const;

const versionNumber = { type: 'integer', minimum: 1, maximum: 2_000_000_000 } as const;

export const newestVersion = {
  ...versionNumber,
  description: 'The newest version that the caller saw: 409 when there is a newer one.',
} as const;

export const createTemplateBody = schema({
  title: 'CreateTemplateBody',
  type: 'object',
  required: ['templateName'],
  properties: {
    ...templateFields,
    ...starterFields,
    draft: { type: 'boolean', description: 'Saved as a draft: it cannot be sent before it is published.' },
  },
});

export const updateTemplateBody = schema({
  title: 'UpdateTemplateBody',
  type: 'object',
  properties: {
    ...templateFields,
    templateType,
    draft: {
      type: 'boolean',
      description: 'Saved as a draft: what is sent stays as it is until the draft is published. For authors always.',
    },
    newestVersion,
    updatedAt: seenUpdate,
  },
});

export const publishTemplateBody = schema({
  title: 'PublishTemplateBody',
  type: 'object',
  required: ['version'],
  properties: { version: { ...versionNumber, description: 'The newest draft.' } },
});

export const restoreTemplateBody = schema({
  title: 'RestoreTemplateBody',
  type: 'object',
  required: ['version'],
  properties: { version: versionNumber, newestVersion },
});

export const versionField = {
  type: 'string',
  pattern: '^([1-9][0-9]{0,8}|draft)$',
  description:
    'The number of a version, or draft: the newest draft, or the published version where there is none. Omitted: the published version, or the draft of a template that was never published.',
} as const;

export const templateQuery = schema({ type: 'object', properties: { version: versionField } });

export const templatesQuery = schema({
  type: 'object',
  properties: {
    ...pageFields,
    templateType,
    search: { type: 'string', maxLength: TEMPLATE_NAME_MAX, description: 'Part of the name.' },
    campaignMails: { type: 'boolean', description: 'true: lists the mails of campaigns too.' },
  },
});

export const dynamicDataField = {
  type: 'object',
  description: 'Values of the template variables: 256 kB, 10 levels and 5,000 keys at most.',
} as const;

const TEST_EMAILS_MAX = 10;

export const testFields = {
  emails: { type: 'array', minItems: 1, maxItems: TEST_EMAILS_MAX, items: emailField },
  contactId: {
    ...idReference,
    description: 'Whose data are filled in; omitted: each mail has the data of the contact with its address.',
  },
  language: languageField,
} as const;

export const testTemplateBody = schema({
  title: 'TestTemplateBody',
  type: 'object',
  required: ['emails'],
  properties: {
    ...testFields,
    version: versionField,
    from: { ...mailboxField, description: 'On a verified domain; required without senderId.' },
    senderId: idReference,
    dynamicData: dynamicDataField,
  },
});

export const template = {
  title: 'Template',
  type: 'object',
  required: [
    'id',
    'templateId',
    'projectId',
    'templateName',
    'subject',
    'previewText',
    'emailTemplate',
    'templateType',
    'builderType',
    'description',
    'campaignId',
    'editorJson',
    'parentBodyProperties',
    'isFlagged',
    'source',
    'createdBy',
    'trackingClick',
    'trackingOpen',
    'utm',
    'layoutId',
    'version',
    'publishedVersion',
    'draftVersion',
    'newestVersion',
    'isDraftOutdated',
    'publishedAt',
    'createdAt',
    'updatedAt',
  ],
  properties: {
    id: { ...idField, description: 'Internal; calls take the templateId.' },
    templateId: { type: 'string', pattern: '^A-[0-9a-f]{20}$' },
    projectId: idField,
    templateName: { type: 'string' },
    subject: { type: 'string' },
    previewText: { type: 'string' },
    emailTemplate: { type: 'string', description: 'Code as it was written; HTML made of content blocks.' },
    templateType,
    builderType: { type: 'string', enum: ['code', 'editor'] },
    description: { type: 'string' },
    campaignId: { ...nullableString, description: 'The campaign in which it is written; null: a saved template.' },
    editorJson: {
      type: ['object', 'null'],
      description: 'The content blocks of a template that was written with content.',
    },
    parentBodyProperties: { type: ['object', 'null'] },
    isFlagged: { type: 'boolean' },
    source: { type: 'string', enum: ['api', 'dashboard', 'migration'] },
    createdBy: createdByField,
    trackingClick: { type: 'boolean' },
    trackingOpen: { type: 'boolean' },
    utm: utmField,
    layoutId,
    version: { type: 'integer', description: 'Whose content this answer has.' },
    publishedVersion: {
      type: ['integer', 'null'],
      description: 'The number of the version that is sent. null: never published.',
    },
    draftVersion: { type: ['integer', 'null'], description: 'The newest draft that is not published; null: none.' },
    newestVersion: { type: 'integer' },
    isDraftOutdated: { type: 'boolean', description: 'A later version than the draft was published since.' },
    publishedAt: { ...nullableTimestamp, description: 'null as well: published before versions were kept.' },
    createdAt: timestampField,
    updatedAt: timestampField,
  },
} as const;

const listedVersion = {
  title: 'TemplateVersion',
  type: 'object',
  required: ['version', 'state', 'createdBy', 'createdAt', 'publishedAt', 'publishedBy'],
  properties: {
    version: { type: 'integer' },
    state: {
      type: 'string',
      enum: ['published', 'draft', 'outdated', 'earlier'],
      description:
        'published: what is sent. draft: may be published. outdated: the draft, older than what is published; restore it to publish it.',
    },
    createdBy: createdByField,
    createdAt: timestampField,
    publishedAt: { ...nullableTimestamp, description: 'Of the published version.' },
    publishedBy: { ...nullableString, description: 'Of the published version: the id of the member; null: a key.' },
  },
} as const;

export const templateAnswer = shape(template);

export const versionsAnswer = pageAnswer('TemplateVersionsPage', 'versions', listedVersion);

export const templatesAnswer = pageAnswer('TemplatesPage', 'templates', template);
