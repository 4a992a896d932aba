import { nullableString } from '../common.ts';
import { schema, shape } from '../schema.ts';

/** Of mail that is longer Gmail shows the first 102 kB. */
const SOURCE_LENGTH_MAX = 262_144;

export const convertTemplateBody = schema({
  title: 'ConvertTemplateBody',
  type: 'object',
  required: ['from', 'source'],
  properties: {
    from: { type: 'string', enum: ['html', 'mjml'] },
    source: { type: 'string', minLength: 1, maxLength: SOURCE_LENGTH_MAX },
  },
});

export const convertedAnswer = shape({
  title: 'ConvertedTemplate',
  type: 'object',
  required: ['content', 'emailTemplate', 'title', 'notes'],
  properties: {
    content: { type: ['object', 'null'], description: 'Content blocks; null: the source stays code.' },
    emailTemplate: { ...nullableString, description: 'The source, where no blocks can be made of it.' },
    title: { type: 'string', description: 'Of the document.' },
    notes: {
      type: 'array',
      items: {
        title: 'ConversionNote',
        type: 'object',
        required: ['line', 'text'],
        properties: { line: { type: 'integer' }, text: { type: 'string' } },
      },
    },
  },
});
