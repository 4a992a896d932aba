import {
  emailField,
  idField,
  idReference,
  nullableString,
  nullableTimestamp,
  pageFields,
  paginationFields,
  timestampField,
} from './common.ts';
import { schema, shape } from './schema.ts';
import { TEMPLATE_LENGTH_MAX } from './templates.ts';

const CAMPAIGN_NAME_MAX = 200;
const CAMPAIGN_LISTS_MAX = 100;
const EMAILS_PER_DAY_MAX = 100_000_000;
const SEND_RATE_MAX = 100_000;
const TEST_EMAILS_MAX = 10;
const LATENESS_MAX = 525_600;

const line = (maxLength: number) => ({ type: 'string', maxLength, format: 'line' }) as const;
const lists = { type: 'array', maxItems: CAMPAIGN_LISTS_MAX, items: idReference } as const;
const sendModes = ['immediate', 'scheduled', 'gradual'] as const;
const statuses = ['draft', 'scheduled', 'sending', 'sending_gradual', 'paused', 'sent', 'failed', 'aborted'] as const;

const gradual = {
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

const fields = {
  name: { ...line(CAMPAIGN_NAME_MAX), minLength: 1, pattern: '\\S' },
  subject: { ...line(998), minLength: 1 },
  previewText: line(200),
  from: {
    type: 'object',
    properties: { email: emailField, name: line(256) },
    description: 'Wins over the saved sender, field by field.',
  },
  senderId: idReference,
  fromSenderId: { ...idReference, description: 'Alias of senderId.' },
  replyTo: { type: 'string', maxLength: 320, format: 'email-or-empty' },
  templateId: idReference,
  htmlTemplate: {
    type: 'string',
    minLength: 1,
    maxLength: TEMPLATE_LENGTH_MAX,
    description: 'Raw HTML; with templateId, that template is updated with it.',
  },
  toLists: { ...lists, description: 'Lists, segments and GLOBAL_CONTACT_LIST.' },
  excludeLists: { ...lists, description: 'Lists and segments.' },
  sendToGlobalList: { type: 'boolean' },
  unsubscribeGroupId: { type: ['string', 'null'], maxLength: 256 },
  sendMode: { type: 'string', enum: sendModes },
  publish: { type: 'boolean' },
  sendNow: { type: 'boolean' },
  scheduledAt: { type: ['string', 'null'], format: 'date-time' },
  maxLatenessMinutes: { type: 'integer', minimum: 0, maximum: LATENESS_MAX },
  thresholdPreset: { type: 'string', enum: ['balanced', 'aggressive', 'conservative'] },
  gradual,
  sendRatePerSecond: { type: ['integer', 'null'], minimum: 1, maximum: SEND_RATE_MAX, description: 'null: no limit.' },
  trackingClick: { type: 'boolean' },
  trackingOpen: { type: 'boolean' },
} as const;

export const createCampaignBody = schema({ type: 'object', required: ['name', 'subject'], properties: fields });
export const updateCampaignBody = schema({ type: 'object', properties: fields });
export const testCampaignBody = schema({
  type: 'object',
  required: ['emails'],
  properties: { emails: { type: 'array', minItems: 1, maxItems: TEST_EMAILS_MAX, items: emailField } },
});
export const retryCampaignBody = schema({
  type: 'object',
  required: ['states'],
  properties: {
    states: {
      type: 'array',
      minItems: 1,
      maxItems: 2,
      uniqueItems: true,
      items: { type: 'string', enum: ['failed', 'unknown'] },
    },
  },
});
export const campaignsQuery = schema({
  type: 'object',
  properties: { ...pageFields, status: { type: 'string', enum: statuses }, search: { type: 'string', maxLength: 200 } },
});

const number = { type: 'number' } as const;
const metrics = {
  type: 'object',
  required: [
    'sent',
    'delivered',
    'opened',
    'suppressed',
    'clicked',
    'bounced',
    'unsubscribed',
    'spamReported',
    'processedCount',
    'totalContacts',
    'failedCount',
    'unknown',
    'pending',
    'avgSendingRate',
    'totalSendTime',
  ],
  properties: {
    sent: number,
    delivered: number,
    opened: number,
    suppressed: number,
    clicked: number,
    bounced: number,
    unsubscribed: number,
    spamReported: number,
    processedCount: number,
    totalContacts: number,
    failedCount: number,
    unknown: number,
    pending: number,
    avgSendingRate: { ...number, description: 'Per second.' },
    totalSendTime: { ...number, description: 'Seconds.' },
  },
} as const;

const audience = {
  type: 'array',
  items: {
    type: 'object',
    required: ['id', 'name', 'type', 'contactCount'],
    properties: {
      id: { type: 'string' },
      name: { type: 'string' },
      type: { enum: ['list', 'segment'] },
      contactCount: { type: 'integer' },
    },
  },
} as const;

const template = {
  type: ['object', 'null'],
  required: [
    'id',
    'templateId',
    'projectId',
    'templateName',
    'subject',
    'previewText',
    'emailTemplate',
    'templateType',
    'builderType',
    'editorJson',
    'parentBodyProperties',
    'createdAt',
    'updatedAt',
    'isFlagged',
    'source',
    'trackingClick',
    'trackingOpen',
  ],
  properties: {
    templateType: { enum: ['marketing', 'transactional'] },
    builderType: { enum: ['code', 'editor'] },
    source: { enum: ['api', 'dashboard'] },
  },
} as const;

const campaign = {
  title: 'Campaign',
  type: 'object',
  required: [
    'id',
    'projectId',
    'organizationId',
    'createdBy',
    'name',
    'subject',
    'previewText',
    'from',
    'senderId',
    'replyTo',
    'toLists',
    'excludeLists',
    'unsubscribeGroupId',
    'sendNow',
    'sendMode',
    'scheduledAt',
    'templateId',
    'status',
    'metrics',
    'sentAt',
    'abortedAt',
    'failureReason',
    'pausedAt',
    'resumedAt',
    'pausedReason',
    'thresholdPreset',
    'trackingClick',
    'trackingOpen',
    'sendToGlobalList',
    'source',
    'template',
    'gradual',
    'maxLatenessMinutes',
    'sendRatePerSecond',
    'createdAt',
    'updatedAt',
  ],
  properties: {
    id: idField,
    projectId: idField,
    organizationId: idField,
    createdBy: nullableString,
    name: { type: 'string' },
    subject: { type: 'string' },
    previewText: { type: 'string' },
    from: {
      type: 'object',
      required: ['email', 'name'],
      properties: { email: { type: 'string' }, name: { type: 'string' } },
    },
    senderId: nullableString,
    replyTo: { type: 'string' },
    toLists: audience,
    excludeLists: audience,
    unsubscribeGroupId: nullableString,
    sendNow: { type: 'boolean' },
    sendMode: { enum: sendModes },
    scheduledAt: nullableTimestamp,
    templateId: { type: 'string' },
    status: { enum: statuses },
    metrics,
    sentAt: nullableTimestamp,
    abortedAt: nullableTimestamp,
    failureReason: nullableString,
    pausedAt: nullableTimestamp,
    resumedAt: nullableTimestamp,
    pausedReason: nullableString,
    thresholdPreset: { enum: ['balanced', 'aggressive', 'conservative'] },
    trackingClick: { type: 'boolean' },
    trackingOpen: { type: 'boolean' },
    sendToGlobalList: { type: 'boolean' },
    source: { enum: ['api', 'dashboard'] },
    template,
    gradual: {
      type: ['object', 'null'],
      required: ['emailsPerDay', 'growth', 'timezone', 'startAt', 'day', 'sentToday', 'nextBatchAt'],
      properties: {
        ...gradual.properties,
        day: { type: 'integer' },
        sentToday: { type: 'integer' },
        nextBatchAt: nullableTimestamp,
      },
    },
    maxLatenessMinutes: { type: 'integer' },
    sendRatePerSecond: { type: ['integer', 'null'] },
    progress: {
      type: 'object',
      required: ['sent', 'inFlight', 'remaining', 'nextAt'],
      properties: {
        sent: { type: 'integer' },
        inFlight: { type: 'integer' },
        remaining: { type: 'integer' },
        nextAt: nullableTimestamp,
      },
      description: 'On the answers of pause, resume, abort and retry.',
    },
    createdAt: timestampField,
    updatedAt: timestampField,
  },
} as const;

export const campaignAnswer = shape(campaign);
export const campaignsAnswer = shape({
  type: 'object',
  required: ['campaigns', 'pagination'],
  properties: { campaigns: { type: 'array', items: campaign }, pagination: paginationFields },
});

const rate = { type: 'number', minimum: 0, maximum: 100 } as const;
const count = { type: 'integer', minimum: 0 } as const;
export const analyticsAnswer = shape({
  title: 'CampaignAnalytics',
  type: 'object',
  required: ['campaignId', 'name', 'status', 'sentAt', 'counts', 'rates', 'tracking', 'refreshedAt'],
  properties: {
    campaignId: idField,
    name: { type: 'string' },
    status: { enum: statuses },
    sentAt: nullableTimestamp,
    counts: {
      type: 'object',
      required: [
        'totalContacts',
        'suppressed',
        'failed',
        'attempted',
        'sent',
        'delivered',
        'opened',
        'humanOpened',
        'clicked',
        'bounced',
        'unsubscribed',
        'spamReported',
        'unknown',
        'pending',
      ],
      additionalProperties: count,
    },
    rates: {
      type: 'object',
      required: [
        'openRate',
        'clickRate',
        'bounceRate',
        'unsubscribedRate',
        'complaintRate',
        'successRate',
        'deliveryRate',
        'trueOpenRate',
      ],
      additionalProperties: rate,
    },
    tracking: {
      type: 'object',
      required: ['open', 'click'],
      properties: { open: { type: 'boolean' }, click: { type: 'boolean' } },
    },
    refreshedAt: nullableTimestamp,
  },
});

const integer = { type: 'integer' } as const;
export const progressAnswer = shape({
  title: 'CampaignProgress',
  type: 'object',
  required: [
    'status',
    'total',
    'suppressed',
    'failed',
    'sent',
    'bounced',
    'unknown',
    'pending',
    'deferred',
    'ratePerSecond',
    'percent',
    'etaSeconds',
    'nextAt',
    'relayNotAnsweringSince',
    'waitingFor',
  ],
  properties: {
    status: { enum: statuses },
    ...{ total: integer, suppressed: integer, failed: integer, sent: integer, bounced: integer, unknown: integer },
    ...{ pending: integer, deferred: integer, inFlight: integer, ratePerSecond: number, percent: number },
    etaSeconds: { type: ['integer', 'null'] },
    nextAt: nullableTimestamp,
    relayNotAnsweringSince: {
      ...nullableTimestamp,
      description: 'Nothing can be handed over since then; nobody is counted as failed for it.',
    },
    waitingFor: {
      type: 'array',
      items: {
        type: 'object',
        required: ['id', 'name', 'type', 'processed', 'total'],
        properties: {
          id: idField,
          name: { type: 'string' },
          type: { const: 'segment' },
          processed: integer,
          total: integer,
        },
      },
      description:
        'Segments of toLists and excludeLists that are being computed; the campaign starts when they are done.',
    },
  },
});

export const reconcileAnswer = shape({
  type: 'object',
  required: ['status', 'ledger', 'stored', 'differences', 'isBalanced'],
  properties: {
    status: { enum: statuses },
    ledger: { type: 'object', additionalProperties: integer },
    stored: { type: 'object', additionalProperties: integer },
    differences: { type: 'array', items: { type: 'object' } },
    isBalanced: {
      type: 'boolean',
      description: 'total = suppressed + failed + sent + unknown + pending, counted message by message.',
    },
  },
});

const recipientStatus = { enum: ['queued', 'deferred', 'sent', 'bounced', 'failed', 'suppressed', 'unknown'] } as const;
const recipient = {
  type: 'object',
  required: ['emailId', 'contactId', 'email', 'status', 'reason', 'reply', 'sentAt'],
  properties: {
    emailId: idField,
    contactId: { type: ['string', 'null'] },
    email: { type: ['string', 'null'], description: 'null when the contact was deleted.' },
    status: recipientStatus,
    reason: nullableString,
    reply: { type: ['object', 'null'] },
    suppressedBy: { type: ['object', 'null'] },
    sentAt: nullableTimestamp,
  },
} as const;
export const recipientsQuery = schema({
  type: 'object',
  properties: { ...pageFields, status: { type: 'string', enum: recipientStatus.enum } },
});
export const recipientsAnswer = shape({
  type: 'object',
  required: ['recipients', 'pagination'],
  properties: { recipients: { type: 'array', items: recipient }, pagination: paginationFields },
});
export const recipientAnswer = shape({
  type: 'object',
  required: ['campaignId', 'contactId', 'reason', 'recipient'],
  properties: {
    campaignId: idField,
    contactId: { type: 'string' },
    reason: { type: 'string', description: 'Why this person got it, or not.' },
    recipient: { ...recipient, type: ['object', 'null'] },
    engagement: { type: ['object', 'null'] },
    timeline: { type: 'array', items: { type: 'object' } },
  },
});
export const testAnswer = shape({
  type: 'object',
  required: ['emailIds', 'totalRecipients'],
  properties: { emailIds: { type: 'array', items: idField }, totalRecipients: integer },
});
