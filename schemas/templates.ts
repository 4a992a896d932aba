import {
  createdByField,
  emailField,
  idField,
  idReference,
  mailboxField,
  pageAnswer,
  pageFields,
  timestampField,
} from './common.ts';
import { schema, shape } from './schema.ts';
import { utmField } from './utm.ts';

const TEMPLATE_NAME_MAX = 200;
const SUBJECT_MAX = 998;
export const PREVIEW_TEXT_MAX = 200;
export const TEMPLATE_LENGTH_MAX = 1_048_576;
const DESCRIPTION_MAX = 1_000;

export const subjectField = { type: 'string', maxLength: SUBJECT_MAX, format: 'line' } as const;
const templateType = { type: 'string', enum: ['transactional', 'marketing'] } as const;

/** Of answers that show a mail. */
export const previewLinkFields = {
  previewUrl: {
    type: 'string',
    description: 'The HTML as a page of its own, for a frame: without scripts, without an origin. Needs no key.',
  },
  expiresIn: { type: 'integer', description: 'Seconds.' },
} as const;

const fields = {
  templateName: { type: 'string', minLength: 1, maxLength: TEMPLATE_NAME_MAX, format: 'line', pattern: '\\S' },
  emailTemplate: {
    type: 'string',
    minLength: 1,
    maxLength: TEMPLATE_LENGTH_MAX,
    description: 'HTML with {{variables}}, {{#if}}, {{#each}}.',
  },
  subject: { ...subjectField, description: 'May hold {{variables}}.' },
  previewText: { type: 'string', maxLength: PREVIEW_TEXT_MAX, format: 'line' },
  templateType: { ...templateType, default: 'transactional' },
  builderType: { type: 'string', enum: ['code', 'editor', 'visual'], description: 'visual is an alias of editor.' },
  description: { type: 'string', maxLength: DESCRIPTION_MAX },
  editorJson: { type: ['object', 'null'] },
  parentBodyProperties: { type: ['object', 'null'] },
  trackingClick: { type: 'boolean' },
  trackingOpen: { type: 'boolean' },
  utm: utmField,
} as const;

export const createTemplateBody = schema({
  title: 'CreateTemplateBody',
  type: 'object',
  required: ['templateName', 'emailTemplate'],
  properties: fields,
});

export const updateTemplateBody = schema({
  title: 'UpdateTemplateBody',
  type: 'object',
  properties: { ...fields, templateType },
});

export const templatesQuery = schema({ type: 'object', properties: { ...pageFields, templateType } });

export const dynamicDataField = {
  type: 'object',
  description: 'Values of the template variables: 256 kB, 10 levels and 5,000 keys at most.',
} as const;

const whose = {
  contactId: { ...idReference, description: 'The contact whose data are filled in.' },
  email: { ...emailField, description: 'Instead of contactId: the address of the contact.' },
} as const;

export const previewBody = schema({
  title: 'PreviewTemplateBody',
  type: 'object',
  properties: { dynamicData: dynamicDataField, ...whose },
});

const { emailTemplate, subject, previewText, utm } = fields;
export const previewDraftBody = schema({
  title: 'PreviewDraftBody',
  type: 'object',
  required: ['emailTemplate'],
  properties: {
    emailTemplate: { ...emailTemplate, minLength: 0 },
    ...{ subject, previewText, utm },
    templateType: {
      ...templateType,
      description: 'With marketing properties of the contact are known by their bare names, as in a campaign.',
    },
    dynamicData: dynamicDataField,
    ...whose,
  },
});

export const previewCampaignBody = schema({ title: 'PreviewCampaignBody', type: 'object', properties: whose });

const TEST_EMAILS_MAX = 10;
export const testFields = {
  emails: { type: 'array', minItems: 1, maxItems: TEST_EMAILS_MAX, items: emailField },
  contactId: {
    ...idReference,
    description: 'Whose data are filled in; omitted: each mail has the data of the contact with its address.',
  },
} as const;

export const testTemplateBody = schema({
  title: 'TestTemplateBody',
  type: 'object',
  required: ['emails'],
  properties: {
    ...testFields,
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
    'editorJson',
    'parentBodyProperties',
    'isFlagged',
    'source',
    'createdBy',
    'trackingClick',
    'trackingOpen',
    'utm',
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
    emailTemplate: { type: 'string' },
    templateType,
    builderType: { type: 'string', enum: ['code', 'editor'] },
    description: { type: 'string' },
    editorJson: { type: ['object', 'null'] },
    parentBodyProperties: { type: ['object', 'null'] },
    isFlagged: { type: 'boolean' },
    source: { type: 'string', enum: ['api', 'dashboard', 'migration'] },
    createdBy: createdByField,
    trackingClick: { type: 'boolean' },
    trackingOpen: { type: 'boolean' },
    utm: utmField,
    createdAt: timestampField,
    updatedAt: timestampField,
  },
} as const;

export const templateAnswer = shape(template);
export const templatesAnswer = pageAnswer('TemplatesPage', 'templates', template);
export const previewAnswer = shape({
  title: 'TemplatePreview',
  type: 'object',
  required: ['subject', 'previewText', 'html', 'text', 'variables', 'previewUrl', 'expiresIn'],
  properties: {
    subject: { type: 'string' },
    previewText: { type: 'string' },
    html: { type: 'string', description: 'As a recipient gets it, without tracking.' },
    text: { type: 'string', description: 'Made from the HTML.' },
    variables: {
      type: 'array',
      description: 'The variables that the content names, in their order.',
      items: {
        title: 'TemplateVariable',
        type: 'object',
        required: ['name', 'hasValue'],
        properties: { name: { type: 'string' }, hasValue: { type: 'boolean' } },
      },
    },
    ...previewLinkFields,
  },
});
