import { emailField, idReference, variantIdField } from '../common.ts';
import { schema, shape } from '../schema.ts';
import { contentField } from './blocks.ts';
import { dynamicDataField, languageField, layoutId, templateFields, templateType, versionField } from './templates.ts';

/** Of answers that show a mail. */
export const previewLinkFields = {
  previewUrl: {
    type: 'string',
    description: 'The HTML as a page of its own, for a frame: without scripts, without an origin. Needs no key.',
  },
  expiresIn: { type: 'integer', description: 'Seconds.' },
} as const;

export const renderTemplateBody = schema({
  title: 'RenderTemplateBody',
  type: 'object',
  required: ['content'],
  properties: {
    content: contentField,
    layoutId,
    language: { ...languageField, description: 'Of the texts, in the place of look.language.' },
    part: { type: 'string', enum: ['layout', 'snippet'], description: 'The content is one; left out: a mail.' },
  },
});

export const renderAnswer = shape({
  title: 'RenderedContent',
  type: 'object',
  required: ['html', 'text'],
  properties: {
    html: { type: 'string', description: 'The HTML with its {{variables}}.' },
    text: { type: 'string', description: 'The text part with its {{variables}}.' },
  },
});

const whose = {
  contactId: { ...idReference, description: 'The contact whose data are filled in.' },
  email: { ...emailField, description: 'Instead of contactId: the address of the contact.' },
} as const;

export const previewBody = schema({
  title: 'PreviewTemplateBody',
  type: 'object',
  properties: { version: versionField, language: languageField, dynamicData: dynamicDataField, ...whose },
});

const { emailTemplate, subject, previewText, utm } = templateFields;

export const previewDraftBody = schema({
  title: 'PreviewDraftBody',
  type: 'object',
  required: ['emailTemplate'],
  properties: {
    emailTemplate: { ...emailTemplate, minLength: 0 },
    ...{ subject, previewText, utm, layoutId },
    templateType: {
      ...templateType,
      description: 'With marketing properties of the contact are known by their bare names, as in a campaign.',
    },
    dynamicData: dynamicDataField,
    ...whose,
  },
});

export const previewCampaignBody = schema({
  title: 'PreviewCampaignBody',
  type: 'object',
  properties: {
    ...whose,
    language: languageField,
    variantId: variantIdField,
    clicks: {
      type: 'boolean',
      description:
        'true: behind each link of the HTML stands the number of people who clicked it, as GET /campaigns/{campaignId}/links counts them.',
    },
  },
});

export const templatePreview = {
  title: 'TemplatePreview',
  type: 'object',
  required: ['subject', 'previewText', 'html', 'text', 'variables', 'previewUrl', 'expiresIn'],
  properties: {
    subject: { type: 'string' },
    previewText: { type: 'string' },
    html: { type: 'string', description: 'As a recipient gets it, without tracking.' },
    text: { type: 'string', description: 'Made from the HTML.' },
    headers: {
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'Those of a campaign, filled in; without empty ones.',
    },
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
} as const;

export const previewAnswer = shape(templatePreview);
