import { schema, shape } from '../schema.ts';

export const starterLanguages = ['en', 'de', 'fr'] as const;
export type StarterLanguage = (typeof starterLanguages)[number];

export const starterIds = [
  ...(['newsletter', 'announcement', 'welcome', 'sale', 'event', 'digest'] as const),
  ...(['survey', 'win-back', 'consent', 'letter', 'receipt', 'password'] as const),
] as const;
export type StarterId = (typeof starterIds)[number];

/** Of POST /templates. */
export const starterFields = {
  starter: { type: 'string', enum: starterIds, description: 'Instead of content: a mail of GET /templates/starters.' },
  starterLanguages: {
    type: 'array',
    minItems: 1,
    uniqueItems: true,
    items: { type: 'string', enum: starterLanguages },
    description: 'The first is that of the template, the others are translations; en when left out.',
  },
} as const;

export const startersQuery = schema({
  type: 'object',
  properties: { language: { type: 'string', enum: starterLanguages, description: 'Of the mails; en when left out.' } },
});

const starter = {
  title: 'Starter',
  type: 'object',
  required: ['id', 'name', 'description', 'templateType', 'subject', 'previewText', 'content', 'html'],
  properties: {
    id: { type: 'string' },
    name: { type: 'string' },
    description: { type: 'string', description: 'With the data that it needs, if it needs any.' },
    templateType: { type: 'string', enum: ['transactional', 'marketing'] },
    subject: { type: 'string' },
    previewText: { type: 'string' },
    content: { type: 'object', description: 'As POST /templates takes it.' },
    html: { type: 'string', description: 'The content, compiled: to show it.' },
  },
} as const;

export const startersAnswer = shape({
  title: 'Starters',
  type: 'object',
  required: ['starters'],
  properties: { starters: { type: 'array', items: starter } },
});
