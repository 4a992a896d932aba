import { nullableString, timestampField } from '../common.ts';
import { countedTag } from '../mail/tags.ts';
import { type JsonSchema, schema, shape } from '../schema.ts';

const DOMAIN_LENGTH_MAX = 253;

const from = { ...timestampField, maxLength: 64 } as const;
const to = { ...timestampField, maxLength: 64, description: 'ISO 8601; the end, now if it is left out.' } as const;
const reference = { type: 'string', pattern: '^[0-9a-fA-F]{24}$' } as const;

export const seriesQuery = schema({
  type: 'object',
  properties: {
    interval: {
      enum: ['hour', 'day'],
      default: 'day',
      description: 'Hours of at most 31 days, or days of at most two years.',
    },
    timezone: {
      type: 'string',
      format: 'timezone',
      maxLength: 64,
      default: 'UTC',
      description: 'IANA name, for example Europe/Berlin.',
    },
    from: { ...from, description: 'The first hour or day is the one that has it; 24 hours or 30 days before to.' },
    to: { ...to, description: 'The end: the last hour or day may begin before it and end after it. Now.' },
    campaignId: { ...reference, description: 'Only mail of this campaign. At most one of these five.' },
    automationId: { ...reference, description: 'Only mail of this automation.' },
    domain: {
      type: 'string',
      pattern: '^[A-Za-z0-9][A-Za-z0-9.-]*$',
      maxLength: DOMAIN_LENGTH_MAX,
      description: 'Only mail from this sending domain.',
    },
    provider: {
      type: 'string',
      pattern: '^[a-z0-9-]+$',
      maxLength: 40,
      description: 'Only mail to this mailbox provider: an id of GET /reports/providers, for example google.',
    },
    tag: countedTag,
  },
});

export const providersQuery = schema({
  type: 'object',
  properties: {
    from: {
      ...from,
      description:
        'The first quarter of an hour is the one that has it. Seven days before to if it is left out; 31 days before it at most, two years with campaignId.',
    },
    to,
    campaignId: { ...reference, description: 'Only mail of this campaign; without the replies of deferrals.' },
  },
});

const count = { type: 'integer' } as const;
const counts = {
  accepted: {
    ...count,
    description:
      'Messages accepted for sending, by that time; a campaign counts when its audience is written. Suppressed ones included.',
  },
  sent: { ...count, description: 'Messages that the relay took, by that time.' },
  delivered: { ...count, description: 'Messages sent at that time that have not bounced since.' },
  opened: { ...count, description: 'Messages opened, by the time of the first open; machines included.' },
  humanOpened: { ...count, description: 'Messages opened by a person, by the time of the first such open.' },
  clicked: { ...count, description: 'Messages with a click, by the time of the first one.' },
  bounced: { ...count, description: 'Messages refused for good, by the time of the refusal or the report.' },
  deferred: { ...count, description: 'Attempts that the relay deferred; a message may be deferred several times.' },
  complained: { ...count, description: 'Complaints, by the time they came.' },
  unsubscribed: { ...count, description: 'Unsubscribes, by time.' },
} as const;
const countNames = Object.keys(counts);

const since = {
  ...timestampField,
  description: 'The time since which everything is counted: before it counts are missing or too low.',
} as const;

export const seriesAnswer = shape({
  title: 'Series',
  type: 'object',
  required: ['interval', 'timezone', 'from', 'to', 'since', 'by', 'value', 'points'],
  properties: {
    interval: { enum: ['hour', 'day'] },
    timezone: { type: 'string' },
    from: timestampField,
    to: timestampField,
    since,
    by: { type: ['string', 'null'], enum: ['campaignId', 'automationId', 'domain', 'provider', 'tag', null] },
    value: nullableString,
    points: {
      type: 'array',
      items: {
        title: 'SeriesPoint',
        type: 'object',
        required: ['from', 'to', ...countNames],
        properties: { from: timestampField, to: timestampField, ...counts },
      },
    },
  },
});

const percent = { type: 'number', description: 'Percent.' } as const;

export const providersAnswer = shape({
  title: 'ProvidersReport',
  type: 'object',
  required: ['from', 'to', 'since', 'providers'],
  properties: {
    from: timestampField,
    to: timestampField,
    since,
    providers: {
      type: 'array',
      items: {
        title: 'ProviderReport',
        type: 'object',
        required: [
          ...['id', 'name', ...countNames],
          ...['openRate', 'humanOpenRate', 'bounceRate', 'complaintRate', 'deferralReplies'],
        ],
        properties: {
          id: { type: 'string', description: 'other: domains that are in no table.' },
          name: { type: 'string' },
          ...counts,
          openRate: { ...percent, description: 'Percent of those delivered.' },
          humanOpenRate: { ...percent, description: 'Percent of those delivered.' },
          bounceRate: { ...percent, description: 'Percent of those sent.' },
          complaintRate: { ...percent, description: 'Percent of those delivered.' },
          deferralReplies: {
            type: 'array',
            description: 'The five most frequent ones.',
            items: {
              title: 'DeferralReply',
              type: 'object',
              required: ['reply', 'text', 'count'],
              properties: {
                reply: { type: 'string', description: 'Its codes; empty when the connection ended without one.' },
                text: { type: 'string', description: 'An example of the texts, without addresses and long numbers.' },
                count,
              },
            },
          },
        },
      },
    },
  },
});

const status = {
  enum: ['few', 'good', 'warning', 'over'],
  description: 'few: fewer than 100 mails, which are not judged. The worse one of both times counts.',
} as const;
const judged: JsonSchema = {
  title: 'JudgedRates',
  type: 'object',
  required: ['sent', 'delivered', 'bounced', 'complained', 'bounceRate', 'complaintRate', 'status'],
  properties: {
    ...{ sent: count, delivered: count, bounced: count, complained: count },
    bounceRate: { ...percent, description: 'Percent of those sent.' },
    complaintRate: { ...percent, description: 'Percent of those delivered.' },
    status,
  },
};
const windows = { status, last24Hours: judged, last7Days: judged } as const;
const limits: JsonSchema = {
  title: 'ReputationLimits',
  type: 'object',
  description: 'In percent, as Google and Yahoo ask.',
  required: ['complaintWarning', 'complaintLimit', 'bounceLimit'],
  properties: { complaintWarning: percent, complaintLimit: percent, bounceLimit: percent },
};

export const reputationAnswer = shape({
  title: 'ReputationReport',
  type: 'object',
  required: ['at', 'since', 'limits', 'note', 'project', 'domains'],
  properties: {
    at: timestampField,
    since,
    limits,
    note: { type: 'string', description: 'The complaints that can be counted.' },
    project: {
      title: 'Reputation',
      type: 'object',
      required: ['status', 'last24Hours', 'last7Days'],
      properties: windows,
    },
    domains: {
      type: 'array',
      description: 'Sending domains with mail in the last seven days, most mail first.',
      items: {
        title: 'DomainReputation',
        type: 'object',
        required: ['domain', 'status', 'last24Hours', 'last7Days'],
        properties: { domain: { type: 'string' }, ...windows },
      },
    },
  },
});

/** The payload of reputation.warning and reputation.recovered. */
export const reputationFields: Record<string, JsonSchema> = { domain: { type: 'string' }, ...windows, limits };
