import { schema, shape } from '../schema.ts';
import { newestVersion, PREVIEW_TEXT_MAX, subjectField, TEMPLATE_LENGTH_MAX, templateQuery } from './templates.ts';

/** A file of all languages. */
export const TRANSLATIONS_FILE_MAX = 8 * 1024 * 1024;
const BLOCKS_MAX = 500;
const FIELDS_MAX = 2_000;
const TEXT_MAX = 60_000;
const NAME_MAX = 200;

const name = { type: 'string', maxLength: NAME_MAX } as const;
const fields = {
  subject: subjectField,
  previewText: { type: 'string', maxLength: PREVIEW_TEXT_MAX, format: 'line' },
  emailTemplate: {
    type: 'string',
    maxLength: TEMPLATE_LENGTH_MAX,
    description: 'Whole HTML of its own, instead of texts.',
  },
} as const;

const texts = {
  type: 'object',
  maxProperties: BLOCKS_MAX,
  additionalProperties: {
    type: 'object',
    maxProperties: FIELDS_MAX,
    additionalProperties: { type: 'string', maxLength: TEXT_MAX },
  },
  description:
    'By the id of the block and the path of the field: {"hero": {"alt": "Trois pains"}}. Words with looks have tags: <b>, <i>, <br>, <a href="...">, {{firstName default="vous"}}.',
} as const;

/** Checked above; JSON Schema gives free objects no type. */
export type GivenTexts = Record<string, Record<string, string>>;

export const putTranslationBody = schema({
  title: 'TranslationBody',
  type: 'object',
  properties: {
    ...fields,
    texts,
    reviewed: {
      type: 'array',
      maxItems: FIELDS_MAX,
      items: name,
      description: 'Names of texts that are as they were, and right for the base as it is now.',
    },
    newestVersion,
  },
});

const gaps = {
  language: { type: 'string' },
  missing: { type: 'array', items: name, description: 'Texts that mail has as they are in the base: title/spans.' },
  outdated: { type: 'array', items: name, description: 'Texts whose base was changed since.' },
} as const;

const numbers = {
  version: { type: 'integer' },
  publishedVersion: { type: ['integer', 'null'] },
  draftVersion: { type: ['integer', 'null'] },
  newestVersion: { type: 'integer' },
} as const;
const numberNames = ['version', 'publishedVersion', 'draftVersion', 'newestVersion'] as const;

export const translationAnswer = shape({
  title: 'Translation',
  type: 'object',
  required: [
    'language',
    'subject',
    'previewText',
    'emailTemplate',
    'texts',
    'missing',
    'outdated',
    'bases',
    ...numberNames,
  ],
  properties: {
    ...gaps,
    subject: { type: ['string', 'null'], description: 'null, of these three: that of the base.' },
    previewText: { type: ['string', 'null'] },
    emailTemplate: { type: ['string', 'null'] },
    texts: { type: 'object', description: 'By block and field, as they were given.' },
    bases: {
      type: 'array',
      description: 'Everything that can be translated, in the order of the mail.',
      items: {
        title: 'BaseText',
        type: 'object',
        required: ['name', 'base', 'isOptional'],
        properties: {
          name,
          base: { type: 'string' },
          isOptional: { type: 'boolean', description: 'Never missing: an address, or variables alone.' },
        },
      },
    },
    ...numbers,
  },
});

export const translationsAnswer = shape({
  title: 'Translations',
  type: 'object',
  required: ['language', 'translations', ...numberNames],
  properties: {
    language: { type: ['string', 'null'], description: 'Of the base: look.language of its content; null: not known.' },
    translations: {
      type: 'array',
      items: { title: 'TranslationGaps', type: 'object', required: Object.keys(gaps), properties: gaps },
    },
    ...numbers,
  },
});

export const deleteTranslationQuery = schema({ type: 'object', properties: { newestVersion } });
export const translationQuery = templateQuery;
