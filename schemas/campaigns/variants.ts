import { idField, idReference, nullableTimestamp, timestampField, variantIdField } from '../common.ts';
import { schema, shape } from '../schema.ts';
import { contentField } from '../templates/blocks.ts';
import { TEMPLATE_LENGTH_MAX } from '../templates/templates.ts';
import { fromInput, layoutOfMail, line } from './values.ts';

/** Several mails of one campaign: what is given, stored and measured. */

const VARIANTS_MAX = 5;
const SHARE_MAX = 99;
const MINUTES_MAX = 43_200;
const PEOPLE_MAX = 10_000_000;

const share = { type: 'integer', minimum: 1, maximum: SHARE_MAX } as const;

const variantInput = {
  title: 'CampaignVariantInput',
  type: 'object',
  properties: {
    subject: { ...line(998), minLength: 1 },
    previewText: line(200),
    from: fromInput,
    templateId: idReference,
    htmlTemplate: { type: 'string', minLength: 1, maxLength: TEMPLATE_LENGTH_MAX },
    content: contentField,
    layoutId: layoutOfMail,
    share: { ...share, description: 'Per cent; of all or none: equal parts.' },
  },
} as const;

export const variantFields = {
  variants: {
    type: ['array', 'null'],
    minItems: 2,
    maxItems: VARIANTS_MAX,
    items: variantInput,
    description: 'Each names what differs from the campaign.',
  },
  test: {
    title: 'CampaignTestPlan',
    type: ['object', 'null'],
    required: ['share', 'metric', 'decideAfterMinutes', 'minPerVariant'],
    properties: {
      share: { ...share, description: 'Per cent of the audience; the others wait for the winner.' },
      metric: {
        type: 'string',
        pattern: '^(humanOpens|humanClicks|event:\\S.{0,99})$',
        description: 'humanOpens, humanClicks or event:<name>.',
      },
      decideAfterMinutes: { type: 'integer', minimum: 1, maximum: MINUTES_MAX, description: 'After its last mail.' },
      minPerVariant: {
        type: 'integer',
        minimum: 1,
        maximum: PEOPLE_MAX,
      },
      giveUpAfterMinutes: {
        type: 'integer',
        minimum: 1,
        maximum: MINUTES_MAX,
        description: 'Then onTie decides. Default: 1440.',
      },
      onTie: {
        title: 'CampaignOnTie',
        type: 'string',
        enum: ['first', 'hold'],
      },
    },
    description: 'A part gets the variants, the rest the best of them. null: all get them.',
  },
  holdOutShare: {
    type: 'integer',
    minimum: 0,
    maximum: 90,
    description: 'Per cent of the audience who get nothing.',
  },
} as const;

const text = { type: ['string', 'null'] } as const;
const variantParts = {
  id: variantIdField,
  subject: text,
  previewText: text,
  from: {
    title: 'CampaignVariantFrom',
    type: ['object', 'null'],
    properties: { email: { type: 'string' }, name: { type: 'string' } },
  },
  templateId: text,
  share: { type: ['integer', 'null'], description: 'null: an equal part.' },
} as const;

/** As a campaign shows them. null where a variant is as the campaign. */
export const shownVariantFields = {
  variants: {
    type: 'array',
    items: {
      title: 'CampaignVariant',
      type: 'object',
      required: Object.keys(variantParts),
      properties: variantParts,
    },
  },
  test: variantFields.test,
  holdOutShare: { type: 'integer' },
} as const;

const people = { type: 'integer', minimum: 0 } as const;

/** The variant that the rest gets, and how it was found. */
export const winner = {
  title: 'CampaignWinner',
  type: ['object', 'null'],
  required: ['variantId', 'by', 'at'],
  properties: {
    variantId: variantParts.id,
    by: { type: 'string', enum: ['figures', 'tie', 'person'] },
    at: timestampField,
  },
} as const;

/** The state of a test, for progress and the figures of variants. */
const testState = {
  title: 'CampaignTestState',
  type: ['object', 'null'],
  required: ['state', 'decideAt', 'giveUpAt', 'winner'],
  properties: {
    state: {
      type: 'string',
      enum: ['planned', 'sending', 'measuring', 'held', 'decided'],
      description: 'held: waits for a person.',
    },
    decideAt: nullableTimestamp,
    giveUpAt: nullableTimestamp,
    winner,
  },
} as const;

/** As progress has it, with the people who get a variant first. */
export const testProgress = {
  ...testState,
  title: 'CampaignTestProgress',
  required: [...testState.required, 'at', 'total', 'sent'],
  properties: {
    ...testState.properties,
    at: { ...nullableTimestamp, description: 'When its mails may go out; null before sending.' },
    total: people,
    sent: people,
  },
} as const;

const rate = { type: 'number', minimum: 0, maximum: 100 } as const;
const figures = {
  ...{ total: people, sent: people },
  ...{ humanOpens: people, humanClicks: people, unsubscribes: people, bounces: people },
  events: { ...people, description: 'People with the event of the metric.' },
  rate: { ...rate, description: 'Per cent of sent.' },
  interval: {
    title: 'CampaignInterval',
    type: 'object',
    required: ['from', 'to'],
    properties: { from: rate, to: rate },
    description: 'With 95 per cent probability.',
  },
  probabilityBest: { type: 'number', minimum: 0, maximum: 1 },
} as const;

const points = { type: 'number', minimum: -100, maximum: 100 } as const;
const lead = {
  title: 'CampaignLead',
  type: ['object', 'null'],
  required: ['variantId', 'over', 'from', 'to'],
  properties: { variantId: variantIdField, over: variantIdField, from: points, to: points },
  description: 'The best and the next: points between their rates, with 95 per cent probability. null: none leads.',
} as const;

export const variantsAnswer = shape({
  title: 'CampaignVariants',
  type: 'object',
  required: ['campaignId', 'metric', 'test', 'holdOut', 'lead', 'explanation', 'countedAt', 'variants'],
  properties: {
    campaignId: idField,
    metric: text,
    test: testState,
    holdOut: people,
    lead,
    explanation: { type: 'string' },
    countedAt: nullableTimestamp,
    variants: {
      type: 'array',
      items: {
        title: 'CampaignVariantFigures',
        type: 'object',
        required: [...Object.keys(variantParts), ...Object.keys(figures)],
        properties: { ...variantParts, ...figures },
      },
    },
  },
});

export const winnerBody = schema({
  title: 'CampaignWinnerBody',
  type: 'object',
  required: ['variantId'],
  properties: { variantId: variantParts.id },
});
