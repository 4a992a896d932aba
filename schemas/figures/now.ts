import { progressAnswer } from '../campaigns/figures.ts';
import { campaignStatus, sendMode } from '../campaigns/plan.ts';
import { idField, nullableString, nullableTimestamp, timestampField } from '../common.ts';
import { type JsonSchema, schema, shape } from '../schema.ts';

/** The figures of this moment, in answers and in the events of streams. */

export const timezoneField = {
  type: 'string',
  format: 'timezone',
  maxLength: 64,
  default: 'UTC',
  description: 'IANA name, for example Europe/Berlin: whose day is today.',
} as const;

export const nowQuery = schema({ type: 'object', properties: { timezone: timezoneField } });

const integer = { type: 'integer', minimum: 0 } as const;
const number = { type: 'number', minimum: 0 } as const;
const nullableNumber = { type: ['number', 'null'] } as const;

function part(title: string, properties: Record<string, JsonSchema>): JsonSchema {
  return { title, type: 'object', required: Object.keys(properties), properties };
}

const ratePoint = part('RatePoint', {
  at: { ...timestampField, description: 'The beginning of the step.' },
  ...{ transactional: integer, automation: integer, campaign: integer },
});
const rates = part('Rates', {
  stepSeconds: integer,
  points: { type: 'array', items: ratePoint, description: 'Mails that the relay took in each step, by lane.' },
});

const outcomes = {
  accepted: { ...integer, description: 'Mails taken for sending; with those that a suppression stops.' },
  sent: integer,
  delivered: integer,
  bounced: integer,
  deferred: { ...integer, description: 'Attempts that the relay put off.' },
  complained: integer,
  opened: integer,
  humanOpened: integer,
  clicked: integer,
} as const;
const day = {
  timezone: { type: 'string' },
  from: timestampField,
  to: timestampField,
  since: { ...timestampField, description: 'The time since which everything is counted.' },
  ...outcomes,
} as const;
const hour = part('HourOfToday', { from: timestampField, to: timestampField, ...outcomes });
const today = part('Today', {
  ...day,
  hours: { type: 'array', items: hour, description: 'All hours of the day, also those to come.' },
});
const todayTotals = part('TodayTotals', day);

const lane = part('LaneNow', {
  lane: { enum: ['transactional', 'automation', 'campaign'] },
  waiting: { ...integer, description: 'Mails of the project that no process has claimed.' },
  isExact: { type: 'boolean', description: 'false: there are more.' },
  inFlight: integer,
  oldestSeconds: { ...nullableNumber, description: 'For how long the first of them has waited; null: none waits.' },
  ratePerSecond: number,
  acceptedToRelayP95Ms: {
    ...nullableNumber,
    description:
      'Of the last five minutes; 95 % of the mails took no longer. Of a campaign since its audience was written down.',
  },
});

const connections = part('ConnectionsUsed', { used: integer, allowed: integer });
const nullableConnections = {
  ...connections,
  type: ['object', 'null'],
  description: 'Of all processes; null in an installation of several organizations.',
} as const;
const relay = part('RelayNow', {
  state: {
    enum: ['answering', 'not_answering', 'unknown'],
    description: 'not_answering: none of several relays does. unknown: no process that sends is running.',
  },
  notAnsweringSince: nullableTimestamp,
  answerP95Ms: { ...nullableNumber, description: "Of the project's own mail of the last five minutes." },
  sentLastHour: { ...integer, description: "The project's own mail of the last 60 to 75 minutes." },
  deferredLastHour: integer,
  reason: {
    ...nullableString,
    description: 'The reason why it does not answer; null in an installation of several organizations.',
  },
  host: { ...nullableString, description: 'The same; of several relays all of them.' },
  connections: nullableConnections,
});

const attention = part('Attention', {
  kind: { enum: ['relay', 'migration', 'campaign', 'webhook', 'domain', 'reputation'] },
  id: { ...nullableString, description: 'Of the migration, campaign, webhook or domain.' },
  name: { type: 'string' },
  since: timestampField,
  count: {
    type: ['integer', 'null'],
    description: 'People who wait for it, or deliveries of a webhook, at most 200; null where it is not known.',
  },
  sentence: { type: 'string', description: 'The cause, and its consequence.' },
});

const campaign = part('RunningCampaign', {
  id: idField,
  name: { type: 'string' },
  status: campaignStatus,
  sendMode,
  total: integer,
  percent: number,
  sent: integer,
  pending: integer,
  ratePerSecond: { ...number, description: 'Lately.' },
  etaSeconds: { type: ['integer', 'null'] },
  nextAt: nullableTimestamp,
  pausedReason: nullableString,
  day: { type: ['integer', 'null'], description: 'Of a gradual campaign.' },
});

const parts = {
  lanes: { type: 'array', items: lane },
  relay,
  attention: { type: 'array', items: attention, description: 'Latest first.' },
  campaigns: { type: 'array', items: campaign, description: 'Under way or paused, newest first; 20 at most.' },
} as const;

export const nowAnswer = shape(part('ProjectNow', { at: timestampField, rates, today, ...parts }));

/** The payload of project.summary. */
export const projectSummary = part('ProjectSummary', {
  at: timestampField,
  rates: { ...rates, description: 'The newest steps.' },
  today: { type: 'array', items: todayTotals, description: 'One for each timezone that an open stream names.' },
  ...parts,
});

const campaignPoint = part('CampaignRatePoint', {
  at: timestampField,
  sent: { ...integer, description: 'Mails that the relay took.' },
  opened: { ...integer, description: 'First opens, with those of machines.' },
  clicked: { ...integer, description: 'First clicks.' },
});
const campaignPoints = { type: 'array', items: campaignPoint } as const;
export const campaignRatesAnswer = shape(part('CampaignRates', { stepSeconds: integer, points: campaignPoints }));

const progress = progressAnswer.json as { properties: Record<string, JsonSchema> };
/** The payload of campaign.progress. */
export const liveProgress = part('LiveCampaignProgress', {
  campaignId: idField,
  name: { type: 'string' },
  ...progress.properties,
  ...{ opened: integer, humanOpened: integer, clicked: integer, spamReported: integer, unsubscribed: integer },
  ...{ sentPerSecond: number, openedPerSecond: number, clickedPerSecond: number },
  points: { ...campaignPoints, description: 'The newest steps of GET /campaigns/{campaignId}/rates.' },
});

const processFields = part('ProcessReport', {
  id: { type: 'string' },
  roles: { type: 'array', items: { type: 'string' } },
  version: { type: 'string' },
  startedAt: timestampField,
  seenAt: timestampField,
  memoryBytes: integer,
  jobs: { ...integer, description: 'That it runs now.' },
  held: { ...integer, description: 'Mails that it has claimed.' },
  unwritten: { ...integer, description: 'Outcomes that are not stored yet.' },
  connections,
});
const relayFields = part('RelayHealth', {
  route: {
    enum: ['default', 'transactional'],
    description: 'default: SMTP_URL; transactional: SMTP_TRANSACTIONAL_URL.',
  },
  host: { type: 'string', description: 'With the port.' },
  priority: { ...integer, description: '0 comes first.' },
  weight: integer,
  state: {
    enum: ['answering', 'not_answering'],
    description: 'not_answering: some process cannot hand mail to it.',
  },
  notAnsweringSince: nullableTimestamp,
  reason: nullableString,
  connections: { ...integer, description: 'That are open, of all processes.' },
  taken: { ...integer, description: 'Mails that it took since the processes started.' },
});
const shareFields = { share: number, inUse: number, wanted: number } as const;
const budgetFields = part('BudgetHealth', {
  name: { type: 'string', description: 'With the route and the relay, where the budget is of one.' },
  unit: { enum: ['connections', 'per second'] },
  budget: { ...number, description: 'For all processes together.' },
  shared: { ...number, description: 'The shares of all processes.' },
  inUse: number,
  wanted: { ...number, description: 'More than the budget: processes wait for a larger share.' },
  mode: {
    enum: ['shared', 'divided'],
    description: 'shared: by need, with Redis. divided: equal parts in some process, which Redis does not answer.',
  },
  processes: {
    type: 'array',
    items: part('BudgetShare', {
      id: { type: 'string' },
      roles: { type: 'array', items: { type: 'string' } },
      ...shareFields,
    }),
  },
});
const waitingJobs = part('WaitingJobs', {
  name: { type: 'string' },
  waiting: { ...integer, description: 'Jobs of the project that are due.' },
  isExact: { type: 'boolean', description: 'false: there are more.' },
  oldestSeconds: { ...nullableNumber, description: 'For how long the first of them has been due.' },
});
const usageFields = {
  bytes: { ...integer, description: 'Taken today.' },
  bytesMax: { ...integer, description: 'Taken in a day at most; more is put off with 452.' },
  putOff: { ...integer, description: 'How often mail was put off today, since it was over that.' },
} as const;
const inboundToday = part('InboundToday', {
  from: { ...timestampField, description: 'Midnight UTC.' },
  to: { ...timestampField, description: 'The next one, when all of it is free again.' },
  project: { ...part('ProjectInbound', usageFields), description: 'INBOUND_PROJECT_MB_PER_DAY.' },
  networks: {
    type: ['array', 'null'],
    items: part('NetworkInbound', {
      network: { type: 'string', description: 'An IPv4 address, or the /64 of an IPv6 address.' },
      ...usageFields,
    }),
    description:
      'INBOUND_NETWORK_MB_PER_DAY: those whose mail was put off, 20 at most. null in an installation of several organizations.',
  },
});
const upOrDown = { enum: ['up', 'down'] } as const;
export const healthAnswer = shape(
  part('HealthDetails', {
    at: timestampField,
    version: { type: 'string', description: 'Of the process that answers.' },
    mongodb: { const: 'up' },
    redis: upOrDown,
    temporal: upOrDown,
    temporalUrl: { ...nullableString, description: 'The Web UI of Temporal, if TEMPORAL_UI_URL is set.' },
    processes: {
      type: ['array', 'null'],
      items: processFields,
      description: 'null in an installation of several organizations.',
    },
    relays: { type: ['array', 'null'], items: relayFields, description: 'The same.' },
    budgets: { type: ['array', 'null'], items: budgetFields, description: 'The same.' },
    inbound: { ...inboundToday, description: 'Mail to people that came in today, beside its quotas.' },
    jobs: { type: 'array', items: waitingJobs },
  }),
);
