import { idField, idReference, nullableString, pageAnswer, seenUpdate, timestampField } from './common.ts';
import { schema, shape } from './schema.ts';
import { previewLinkFields } from './templates/previews.ts';

const FORM_NAME_MAX = 200;
const FORM_LISTS_MAX = 20;
const FORM_FIELDS_MAX = 20;
const OPTIONS_MAX = 100;
const LABEL_MAX = 200;
const ORIGINS_MAX = 20;
const GROUPS_MAX = 20;
const URL_MAX = 2_048;
const SHORT_TEXT_MAX = 200;
const LONG_TEXT_MAX = 2_000;

/** The pages that a preview shows. */
const FORM_PAGES = ['form', 'submitted', 'confirm', 'confirmed'] as const;

export const FORM_FIELD_TYPES = ['text', 'number', 'date', 'checkbox', 'select'] as const;

/** Names of inputs that every form has; names of fields have no hyphen. */
export const EMAIL_INPUT = 'email';
export const HONEYPOT_INPUT = 'web-site';
export const STAMP_INPUT = 'form-stamp';
/** Of the page that confirms: the revision that it shows. */
export const SHOWN_INPUT = 'shown';

const name = { type: 'string', minLength: 1, maxLength: FORM_NAME_MAX, format: 'line', pattern: '\\S' } as const;

const field = {
  title: 'FormFieldInput',
  type: 'object',
  required: ['name', 'label', 'type'],
  additionalProperties: false,
  properties: {
    name: {
      type: 'string',
      pattern: '^[A-Za-z0-9_]{1,64}$',
      description: 'firstName, lastName or mobile, or a property of the contact.',
    },
    label: { type: 'string', minLength: 1, maxLength: LABEL_MAX, format: 'line', pattern: '\\S' },
    type: { title: 'FormFieldType', enum: FORM_FIELD_TYPES },
    options: {
      type: 'array',
      minItems: 1,
      maxItems: OPTIONS_MAX,
      uniqueItems: true,
      items: { type: 'string', minLength: 1, maxLength: LABEL_MAX, format: 'line', pattern: '\\S' },
      description: 'Of select only, which needs them.',
    },
    required: { type: 'boolean', description: 'Omitted: false. A required checkbox must be ticked.' },
    default: {
      type: ['string', 'number', 'boolean', 'null'],
      maxLength: LABEL_MAX,
      description: 'The value that the field begins with. A checkbox begins without a tick unless it is true.',
    },
  },
} as const;

const line = { type: ['string', 'null'], maxLength: SHORT_TEXT_MAX, format: 'line' } as const;
const paragraph = { type: ['string', 'null'], maxLength: LONG_TEXT_MAX } as const;

/** The texts of a form that replace those of the languages. */
export const FORM_TEXTS = [
  'title',
  'intro',
  'button',
  'consent',
  'submitted',
  'confirmed',
  'mailSubject',
  'mailText',
  'mailButton',
] as const;
export type FormText = (typeof FORM_TEXTS)[number];

const texts = {
  title: { ...line, description: 'The heading of the page.' },
  intro: { ...paragraph, description: 'Below the heading.' },
  button: line,
  consent: { ...paragraph, description: 'The sentence that the person agrees to. It is kept with the consent.' },
  submitted: { ...paragraph, description: 'The page after the form was sent.' },
  confirmed: { ...paragraph, description: 'The page after the confirmation.' },
  mailSubject: { ...line, description: 'Of the confirmation mail, when it has no template.' },
  mailText: paragraph,
  mailButton: line,
} as const satisfies Record<FormText, unknown>;

const url = { type: ['string', 'null'], maxLength: URL_MAX } as const;
const redirectTo = {
  submitted: { ...url, description: 'An https address to go to when the form was sent; null: a page of ours.' },
  confirmed: { ...url, description: 'An https address to go to after the confirmation; null: a page of ours.' },
} as const;

const details = {
  fields: {
    type: 'array',
    maxItems: FORM_FIELDS_MAX,
    items: field,
    description: 'Next to the email address, which every form asks for.',
  },
  doubleOptIn: {
    type: 'boolean',
    description:
      'Omitted: true. The address is confirmed by a mail before anything is stored about the person. false: the person is added at once; nothing that is stored changes, and no suppression is lifted.',
  },
  texts: {
    title: 'FormTextsInput',
    type: 'object',
    additionalProperties: false,
    properties: texts,
    description: 'Each replaces the text of the language; null or omission leaves that.',
  },
  redirectTo: {
    title: 'FormRedirectsInput',
    type: 'object',
    additionalProperties: false,
    properties: redirectTo,
  },
  allowedOrigins: {
    type: 'array',
    maxItems: ORIGINS_MAX,
    items: { type: 'string', maxLength: URL_MAX },
    description: 'Sites that may show the form in a frame or send it, as https://example.com; http for localhost only.',
  },
  confirmationTemplateId: {
    type: ['string', 'null'],
    maxLength: 256,
    description: 'A template of the project that names {{confirmUrl}}; null: a mail of ours.',
  },
  unsubscribeGroupIds: {
    type: 'array',
    maxItems: GROUPS_MAX,
    items: idReference,
    description: 'Groups in which the confirmation takes the unsubscribe of the person back, next to the default one.',
  },
  isActive: { type: 'boolean', description: 'Omitted: true. The page of an inactive form is 404.' },
} as const;

const listIds = {
  type: 'array',
  minItems: 1,
  maxItems: FORM_LISTS_MAX,
  items: idReference,
  description: 'Lists to add the person to. No segments, and not GLOBAL_CONTACT_LIST, which holds every contact.',
} as const;

export const createFormBody = schema({
  title: 'CreateFormBody',
  type: 'object',
  required: ['name', 'listIds'],
  properties: { name, listIds, ...details },
});
export const updateFormBody = schema({
  title: 'UpdateFormBody',
  type: 'object',
  properties: { name, listIds, ...details, updatedAt: seenUpdate },
});

const form = {
  title: 'Form',
  type: 'object',
  required: [
    'id',
    'name',
    'listIds',
    'fields',
    'doubleOptIn',
    'texts',
    'redirectTo',
    'allowedOrigins',
    'confirmationTemplateId',
    'unsubscribeGroupIds',
    'isActive',
    'url',
    'embed',
    'createdAt',
    'updatedAt',
  ],
  properties: {
    id: idField,
    name: { type: 'string' },
    listIds: { type: 'array', items: idField },
    fields: {
      type: 'array',
      items: {
        title: 'FormField',
        type: 'object',
        required: ['name', 'label', 'type', 'options', 'required', 'default'],
        properties: {
          name: { type: 'string' },
          label: { type: 'string' },
          type: { title: 'FormFieldType', enum: FORM_FIELD_TYPES },
          options: { type: ['array', 'null'], items: { type: 'string' } },
          required: { type: 'boolean' },
          default: { type: ['string', 'number', 'boolean', 'null'] },
        },
      },
    },
    doubleOptIn: { type: 'boolean' },
    texts: {
      title: 'FormTexts',
      type: 'object',
      required: FORM_TEXTS,
      properties: Object.fromEntries(FORM_TEXTS.map((text) => [text, nullableString])),
      description: 'null: the text of the language.',
    },
    redirectTo: {
      title: 'FormRedirects',
      type: 'object',
      required: ['submitted', 'confirmed'],
      properties: { submitted: nullableString, confirmed: nullableString },
    },
    allowedOrigins: { type: 'array', items: { type: 'string' } },
    confirmationTemplateId: nullableString,
    unsubscribeGroupIds: { type: 'array', items: { type: 'string' } },
    isActive: { type: 'boolean' },
    url: { type: 'string', description: 'The page of the form. With ?lang=de it is in that language.' },
    embed: {
      title: 'FormEmbed',
      type: 'object',
      required: ['html', 'iframe'],
      properties: {
        html: { type: 'string', description: 'A form for a page of an allowed origin.' },
        iframe: { type: 'string', description: 'The page of the form in a frame.' },
      },
    },
    createdAt: timestampField,
    updatedAt: timestampField,
  },
} as const;

/** A form as an editor has it. */
export const previewFormBody = schema({
  title: 'PreviewFormBody',
  type: 'object',
  properties: {
    fields: details.fields,
    doubleOptIn: details.doubleOptIn,
    texts: details.texts,
    page: {
      title: 'FormPageName',
      enum: FORM_PAGES,
      description:
        'form, the default; submitted: the page after it was sent; confirm: that of the link in the mail; confirmed.',
    },
    lang: { type: 'string', maxLength: 35, description: 'The language of the page; omitted: en.' },
  },
});

export const formPreviewAnswer = shape({
  title: 'FormPreview',
  type: 'object',
  required: ['previewUrl', 'expiresIn'],
  properties: previewLinkFields,
});

export const formAnswer = shape(form);
export const formsAnswer = pageAnswer('FormsPage', 'forms', form);

/** Of a page of a site that sends the form by itself. */
export const submitFormBody = schema({
  title: 'SubmitFormBody',
  type: 'object',
  required: ['email'],
  properties: {
    email: { type: 'string', maxLength: 1_024 },
    fields: {
      type: 'object',
      maxProperties: FORM_FIELDS_MAX,
      additionalProperties: { type: ['string', 'number', 'boolean', 'null'] },
      description: 'The values by the names of the fields.',
    },
    lang: { type: 'string', maxLength: 35, description: 'The language of the mail; omitted: that of the browser.' },
  },
});
export const formPageQuery = schema({
  type: 'object',
  properties: { lang: { type: 'string', maxLength: 35, description: 'The language of the page.' } },
});
