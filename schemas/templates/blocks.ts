import type { JsonSchema } from '../schema.ts';
import type { BlockType } from './block-types.ts';

/** A mail written as content blocks: each block is one object with an id, a type and the fields of its type. */

export const BLOCKS_MAX = 500;
/** Blocks inside blocks: a block at the top has depth 1. */
export const BLOCK_DEPTH_MAX = 5;
/** Characters of all texts, and 8 for each other value. */
export const CONTENT_LENGTH_MAX = 131_072;
/** Of the template language in what is compiled: each costs some microseconds to read. */
export const CONTENT_TAGS_MAX = 1_000;
/** The narrowest screen that shows columns side by side. */
export const STACKED_BELOW = 480;
const SPANS_MAX = 500;
const TEXT_MAX = 20_000;
const ADDRESS_MAX = 2_000;
const HTML_MAX = 50_000;

const id = {
  type: 'string',
  pattern: '^[A-Za-z0-9_-]{1,64}$',
  description: 'Unique in the content, and kept for life.',
};
/** Colours of the brand, by their names. */
export const BRAND_COLOURS = ['primary', 'background', 'paper', 'text'] as const;
const colour = { type: 'string', pattern: '^(#[0-9A-Fa-f]{6}|brand\\.(primary|background|paper|text))$' };
const ofBrand = { type: 'boolean', enum: [true] };
const align = { type: 'string', enum: ['left', 'center', 'right'] };
/** A line break is a span of its own. */
const words = { type: 'string', maxLength: TEXT_MAX, format: 'line' };
const short = { ...words, maxLength: 200 };
const href = {
  type: 'string',
  minLength: 1,
  maxLength: ADDRESS_MAX,
  description: 'http, https, mailto, tel or sms. A variable is the whole, or a value of the query: ?plan={{plan}}.',
};
const src = {
  ...href,
  description: 'http, https or cid. A variable is the whole, or a value of the query.',
};
const alt = {
  ...short,
  maxLength: 500,
  description: "In words, with variables where they help; '' for decoration alone.",
};
const width = { type: 'integer', minimum: 16, maximum: 720, description: 'Pixels.' };
const variable = {
  type: 'string',
  maxLength: 200,
  description: 'The name as in {{name}}: firstName, order.total.',
};

const span = {
  title: 'ContentSpan',
  type: 'object',
  additionalProperties: false,
  description: 'One of text, variable and break; the rest is how it looks.',
  properties: {
    text: words,
    variable,
    fallback: { ...short, description: 'Instead of a variable without a value.' },
    break: { type: 'boolean', enum: [true] },
    bold: { type: 'boolean' },
    italic: { type: 'boolean' },
    href,
    colour,
  },
};
const spans = { type: 'array', maxItems: SPANS_MAX, items: span };

const node = {
  title: 'ContentNode',
  type: 'object',
  required: ['type'],
  additionalProperties: false,
  properties: {
    type: { type: 'string', enum: ['paragraph', 'list'] },
    spans: { ...spans, description: 'Of a paragraph.' },
    align,
    ordered: { type: 'boolean', description: 'Of a list: with numbers.' },
    items: {
      type: 'array',
      minItems: 1,
      maxItems: 200,
      items: spans,
      description: 'Of a list: the spans of each item.',
    },
  },
};

const link = {
  title: 'ContentLink',
  type: 'object',
  required: ['label', 'href'],
  additionalProperties: false,
  properties: { label: { ...short, minLength: 1 }, href },
};
const links = { type: 'array', minItems: 1, maxItems: 12, items: link };

const inner = { type: 'array', maxItems: BLOCKS_MAX, items: { type: 'object', additionalProperties: true } };
const column = {
  title: 'ContentColumn',
  type: 'object',
  required: ['share', 'blocks'],
  additionalProperties: false,
  properties: { share: { type: 'integer', minimum: 1, maximum: 12 }, blocks: inner },
};

const test = {
  title: 'ContentTest',
  type: 'object',
  required: ['variable', 'is'],
  additionalProperties: false,
  properties: {
    variable,
    is: { type: 'string', enum: ['set', 'unset', 'equals', 'notEquals', 'greaterThan', 'lessThan'] },
    value: { ...short, type: ['string', 'number'], description: 'Not of set and unset.' },
  },
};

/** In no document: who writes content leaves it out. */
const putIn = { blocks: inner };

/** `ofBrand`: the fields that the brand has, where the block says so; it says so in documents alone. */
interface TypeFields {
  required: string[];
  properties: JsonSchema;
  ofBrand?: string[];
}

/** The fields of each type, without id and type. */
const fieldsOf: Record<BlockType, TypeFields> = {
  text: { required: ['nodes'], properties: { nodes: { type: 'array', maxItems: 200, items: node } } },
  heading: {
    required: ['level', 'spans'],
    properties: { level: { type: 'integer', enum: [1, 2, 3] }, spans, align },
  },
  image: { required: ['src', 'alt'], properties: { src, alt, title: short, href, width, align } },
  button: {
    required: ['spans', 'href'],
    properties: { spans: { ...spans, minItems: 1 }, href, background: colour, colour, align },
  },
  columns: {
    required: ['columns'],
    properties: { columns: { type: 'array', minItems: 2, maxItems: 4, items: column } },
  },
  divider: { required: [], properties: { colour, thickness: { type: 'integer', minimum: 1, maximum: 8 } } },
  space: { required: ['height'], properties: { height: { type: 'integer', minimum: 4, maximum: 160 } } },
  social: { required: ['links'], properties: { links, align }, ofBrand: ['links'] },
  menu: { required: ['links'], properties: { links, align } },
  quote: { required: ['spans'], properties: { spans, by: short } },
  table: {
    required: ['rows'],
    properties: {
      head: { type: 'array', minItems: 1, maxItems: 8, items: short },
      align: { type: 'array', maxItems: 8, items: align, description: 'Of each column.' },
      rows: { type: 'array', maxItems: 200, items: { type: 'array', minItems: 1, maxItems: 8, items: spans } },
    },
  },
  video: {
    required: ['href', 'src', 'alt'],
    properties: { href, src, alt: { ...alt, minLength: 1 }, label: short, width },
  },
  signature: {
    required: ['name'],
    properties: { name: { ...short, minLength: 1 }, lines: { type: 'array', maxItems: 6, items: spans }, src, alt },
  },
  header: {
    required: ['name'],
    properties: { name: { ...short, minLength: 1 }, src, href, width, align },
    ofBrand: ['name'],
  },
  footer: {
    required: ['unsubscribe'],
    properties: {
      spans,
      unsubscribe: { ...short, minLength: 1, description: 'The words of the link to unsubscribe.' },
      preferences: { ...short, minLength: 1, description: 'The words of the link to the preferences.' },
    },
    ofBrand: ['unsubscribe'],
  },
  html: {
    required: ['html'],
    properties: { html: { type: 'string', maxLength: HTML_MAX, description: 'HTML of your own, with {{variables}}.' } },
  },
  when: {
    required: ['tests', 'blocks'],
    properties: {
      match: { type: 'string', enum: ['all', 'any'] },
      tests: { type: 'array', minItems: 1, maxItems: 10, items: test },
      blocks: inner,
      otherwise: inner,
    },
  },
  each: { required: ['list', 'blocks'], properties: { list: variable, blocks: inner, otherwise: inner } },
  snippet: {
    required: ['name'],
    properties: {
      name: { type: 'string', pattern: '^[a-z][a-z0-9-]{0,39}$', description: 'Of a snippet of content blocks.' },
      ...putIn,
    },
  },
  content: { required: [], properties: putIn },
};

export const blockTypes = Object.keys(fieldsOf) as BlockType[];

export const blockSchemas = schemasOf(({ required, properties }) => ({ required, properties }));

/** With the brand in the place of fields. */
const describedBlocks = schemasOf(({ required, properties, ofBrand: named }) => ({
  required: required.filter((name) => !named?.includes(name)),
  properties: {
    ...(properties.blocks && !required.includes('blocks') ? without(properties, 'blocks') : properties),
    ...(named && { brand: { ...ofBrand, description: `Instead of ${named[0]}: that of the brand.` } }),
  },
}));

function without(properties: JsonSchema, name: string): JsonSchema {
  return Object.fromEntries(Object.entries(properties).filter(([one]) => one !== name));
}

function schemasOf(of: (fields: TypeFields) => TypeFields): Readonly<Record<BlockType, JsonSchema>> {
  const schemas = Object.entries(fieldsOf).map(([type, fields]) => {
    const { required, properties } = of(fields);
    const schema = {
      title: `${type[0]!.toUpperCase()}${type.slice(1)}Block`,
      type: 'object',
      required: ['id', 'type', ...required],
      additionalProperties: false,
      properties: { id, type: { type: 'string', enum: [type] }, ...properties },
    };
    return [type, schema];
  });
  return Object.fromEntries(schemas);
}

export const fontField = { type: 'string', enum: ['sans', 'serif', 'mono'] } as const;
export const familiesField = {
  type: 'array',
  maxItems: 4,
  items: { type: 'string', pattern: '^[A-Za-z0-9][A-Za-z0-9 -]{0,39}$' },
  description: 'Names of fonts, before those of font.',
} as const;

const look = {
  title: 'ContentLook',
  type: 'object',
  additionalProperties: false,
  properties: {
    width: { type: 'integer', minimum: 480, maximum: 720, description: 'Pixels; 600 when left out.' },
    background: colour,
    paper: { ...colour, description: 'Behind the blocks.' },
    colour: { ...colour, description: 'Of text.' },
    accent: { ...colour, description: 'Of links and buttons.' },
    font: fontField,
    families: familiesField,
    language: {
      type: 'string',
      pattern: '^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$',
      description: 'Of the texts: en, pt-BR.',
    },
  },
};

/** Without the fields of the blocks, which are checked by type. */
export const contentFrame: JsonSchema = {
  type: 'object',
  required: ['v', 'blocks'],
  additionalProperties: false,
  properties: { v: { type: 'integer', enum: [1] }, look, blocks: inner },
};

/** The whole, for documents: blocks inside blocks are of the same types again. */
const described = {
  ...contentFrame,
  title: 'TemplateContent',
  description:
    'The mail as content blocks, instead of emailTemplate, which is compiled of it (docs/blocks.md). Faults name the block: content/blocks/2/href (block "offer").',
  properties: {
    v: { type: 'integer', enum: [1] },
    look: {
      ...look,
      properties: { brand: { ...ofBrand, description: 'What is left out is that of the brand.' }, ...look.properties },
    },
    blocks: { type: 'array', maxItems: BLOCKS_MAX, items: { anyOf: Object.values(describedBlocks) } },
  },
  'x-checked-alone': true,
};

export const brandParts = {
  colour: { type: 'string', pattern: '^#[0-9A-Fa-f]{6}$' },
  links: { ...links, minItems: 0 },
  footer: {
    title: 'BrandFooter',
    type: 'object',
    required: fieldsOf.footer.required,
    additionalProperties: false,
    properties: fieldsOf.footer.properties,
  },
};

/** Checked by type where it is compiled, so that a fault names its block. */
export const contentField = described as unknown as { readonly type: 'object' };
