import { nullableString, seenUpdate, timestampField } from '../common.ts';
import { schema, shape } from '../schema.ts';
import { brandParts, familiesField, fontField } from './blocks.ts';

/** The brand of a project, which content blocks name. */

const PUBLISHED_MAX = 50;

const colours = {
  title: 'BrandColours',
  type: 'object',
  additionalProperties: false,
  properties: {
    primary: { ...brandParts.colour, description: 'Of links and buttons, and of public pages; 4.5:1 on paper.' },
    background: { ...brandParts.colour, description: 'Around the mail.' },
    paper: { ...brandParts.colour, description: 'Behind the blocks.' },
    text: { ...brandParts.colour, description: '4.5:1 on paper.' },
  },
};
const name = { type: ['string', 'null'], minLength: 1, maxLength: 200, format: 'line', pattern: '\\S' };

const fields = {
  name: { ...name, description: 'Of public pages too, as publicName of the project; null: the name of the project.' },
  logoUrl: { type: ['string', 'null'], maxLength: 2_000, description: 'A picture by https, or one of POST /media.' },
  postalAddress: { type: ['string', 'null'], maxLength: 500, pattern: '\\S', format: 'lines' },
  colours: { ...colours, type: ['object', 'null'], description: 'null: the colours of blocks without a brand.' },
  font: fontField,
  families: familiesField,
  links: { ...brandParts.links, description: 'Profiles, for social blocks.' },
  footer: {
    ...brandParts.footer,
    type: ['object', 'null'],
    description: 'Of footer blocks; without spans they have name and address.',
  },
} as unknown as {
  name: { type: ['string', 'null'] };
  logoUrl: { type: ['string', 'null'] };
  postalAddress: { type: ['string', 'null'] };
  colours: {
    type: ['object', 'null'];
    additionalProperties: false;
    properties: Record<'primary' | 'background' | 'paper' | 'text', { type: 'string' }>;
  };
  font: typeof fontField;
  families: { type: 'array'; items: { type: 'string' } };
  links: {
    type: 'array';
    items: {
      type: 'object';
      required: ['label', 'href'];
      additionalProperties: false;
      properties: Record<'label' | 'href', { type: 'string' }>;
    };
  };
  footer: {
    type: ['object', 'null'];
    required: ['unsubscribe'];
    additionalProperties: false;
    properties: {
      spans: { type: 'array'; items: { type: 'object' } };
      unsubscribe: { type: 'string' };
      preferences: { type: 'string' };
    };
  };
};

export const previewBrandBody = schema({ title: 'PreviewBrandBody', type: 'object', properties: fields });
export const updateBrandBody = schema({
  title: 'UpdateBrandBody',
  type: 'object',
  properties: {
    ...fields,
    templateIds: {
      type: 'array',
      maxItems: PUBLISHED_MAX,
      items: { type: 'string', maxLength: 64 },
      description: 'Templates to publish again with the brand: each gets a new version of the same content.',
    },
    updatedAt: seenUpdate,
  },
});

const required = [
  ...['name', 'logoUrl', 'postalAddress', 'colours', 'font', 'families', 'links', 'footer'],
  'updatedAt',
] as const;
const brand = {
  ...fields,
  name: { type: 'string' },
  logoUrl: nullableString,
  postalAddress: nullableString,
  updatedAt: { ...timestampField, description: 'Of the project: its settings have name, logo and address too.' },
} as const;

export const brandAnswer = shape({ title: 'Brand', type: 'object', required, properties: brand });

const touched = {
  title: 'BrandTemplate',
  type: 'object',
  required: ['templateId', 'templateName'],
  properties: { templateId: { type: 'string' }, templateName: { type: 'string' } },
} as const;

/** Of layouts and snippets too. */
export const brandPreviewAnswer = shape({
  title: 'BrandPreview',
  type: 'object',
  required: ['templates', 'total'],
  properties: {
    templates: {
      type: 'array',
      items: touched,
      description: 'Whose mail would be another one; the newest 100 are compared.',
    },
    total: { type: 'integer', description: 'Published templates among them that name it.' },
  },
});

export const unpublished = {
  title: 'UnpublishedTemplate',
  type: 'object',
  required: ['templateId', 'message'],
  properties: { templateId: { type: 'string' }, message: { type: 'string' } },
} as const;

export const updatedBrandAnswer = shape({
  title: 'UpdatedBrand',
  type: 'object',
  required: [...required, 'published', 'failed'],
  properties: {
    ...brand,
    published: { type: 'array', items: { type: 'string' } },
    failed: {
      type: 'array',
      items: unpublished,
    },
  },
});
