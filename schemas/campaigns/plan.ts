import { timestampField } from '../common.ts';
import { people } from './values.ts';

const EMAILS_PER_DAY_MAX = 100_000_000;

export const sendMode = { title: 'SendMode', type: 'string', enum: ['immediate', 'scheduled', 'gradual'] } as const;

export const thresholdPreset = {
  title: 'ThresholdPreset',
  type: 'string',
  enum: ['balanced', 'aggressive', 'conservative'],
} as const;

export const campaignStatus = {
  title: 'CampaignStatus',
  type: 'string',
  enum: ['draft', 'scheduled', 'sending', 'sending_gradual', 'paused', 'sent', 'failed', 'aborted'],
} as const;

export const gradual = {
  title: 'GradualPlan',
  type: ['object', 'null'],
  required: ['emailsPerDay', 'growth', 'timezone'],
  properties: {
    emailsPerDay: { type: 'integer', minimum: 1, maximum: EMAILS_PER_DAY_MAX },
    growth: { type: 'string', enum: ['fixed', '1.25x', '1.5x', '1.75x', '2x'] },
    timezone: {
      type: 'string',
      format: 'timezone',
      maxLength: 64,
      description: 'IANA name, for example Europe/Berlin.',
    },
    startAt: { type: ['string', 'null'], format: 'date-time' },
  },
} as const;

/** The time at which each person gets a campaign. */
export const localTime = {
  title: 'CampaignLocalTime',
  type: ['object', 'null'],
  required: ['date', 'time', 'fallbackTimezone', 'late'],
  properties: {
    date: { type: 'string', pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$', description: 'For example 2026-12-24.' },
    time: { type: 'string', pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$', description: 'For example 09:00.' },
    fallbackTimezone: {
      ...gradual.properties.timezone,
      description: 'Of people without a zone, or with one that does not exist.',
    },
    late: {
      title: 'CampaignLate',
      type: 'string',
      enum: ['now', 'next_day', 'skip'],
      description:
        'People whose time was over before it began get it at once, at that time of the next day, or not at all (suppressed, LOCAL_TIME_OVER).',
    },
  },
  description:
    'Each person gets it when a clock in their zone, by the timezoneProperty of the project, shows this time. With sendMode scheduled; not with scheduledAt, sendNow or gradual.',
} as const;

export const zone = {
  title: 'CampaignZone',
  type: 'object',
  required: ['timezone', 'isFallback', 'at', 'total', 'sent'],
  properties: {
    timezone: { type: 'string' },
    isFallback: { type: 'boolean', description: 'true: people without a zone, or with one that does not exist.' },
    at: timestampField,
    total: { ...people, description: 'Without those who were suppressed.' },
    sent: people,
  },
} as const;

export const zones = { type: 'array', items: zone } as const;
