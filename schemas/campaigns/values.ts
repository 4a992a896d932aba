import { EMAIL_LENGTH_MAX } from '../common.ts';
import { layoutId } from '../templates/templates.ts';

export const line = (maxLength: number) => ({ type: 'string', maxLength, format: 'line' }) as const;
export const number = { type: 'number' } as const;
export const people = { type: 'integer', minimum: 0 } as const;
export const integer = { type: 'integer' } as const;

export const fromInput = {
  title: 'CampaignFromInput',
  type: 'object',
  properties: {
    email: { type: 'string', maxLength: EMAIL_LENGTH_MAX, format: 'email-or-empty', description: 'Empty: none.' },
    name: line(256),
  },
  description: 'Wins over the saved sender, field by field.',
} as const;

export const layoutOfMail = {
  ...layoutId,
  description:
    'The layout around content or htmlTemplate. Omitted: that of the template that templateId names, else none.',
} as const;
