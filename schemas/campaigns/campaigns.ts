import {
  createdByField,
  emailField,
  idField,
  idReference,
  nullableString,
  nullableTimestamp,
  pageAnswer,
  pageFields,
  seenUpdate,
  timestampField,
  variantIdField,
} from '../common.ts';
import { smtpReply, suppressedBy, timelineEntry } from '../mail/emails.ts';
import { headersField, inlinePicturesField } from '../mail/mails.ts';
import { givenTags, tagsField } from '../mail/tags.ts';
import { schema, shape } from '../schema.ts';
import { contentField } from '../templates/blocks.ts';
import { TEMPLATE_LENGTH_MAX, template, testFields } from '../templates/templates.ts';
import { utmField } from './utm.ts';
import { shownVariantFields, testProgress, variantFields } from './variants.ts';

const CAMPAIGN_NAME_MAX = 200;
const CAMPAIGN_LISTS_MAX = 100;
const EMAILS_PER_DAY_MAX = 100_000_000;
const SEND_RATE_MAX = 100_000;
const LATENESS_MAX = 525_600;

const line = (maxLength: number) => ({ type: 'string', maxLength, format: 'line' }) as const;
const lists = { type: 'array', maxItems: CAMPAIGN_LISTS_MAX, items: idReference } as const;
export const sendMode = { title: 'SendMode', type: 'string', enum: ['immediate', 'scheduled', 'gradual'] } as const;
const thresholdPreset = {
  title: 'ThresholdPreset',
  type: 'string',
  enum: ['balanced', 'aggressive', 'conservative'],
} as const;
export const campaignStatus = {
  title: 'CampaignStatus',
  type: 'string',
  enum: ['draft', 'scheduled', 'sending', 'sending_gradual', 'paused', 'sent', 'failed', 'aborted'],
} as const;

const gradual = {
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
const localTime = {
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

const fields = {
  name: { ...line(CAMPAIGN_NAME_MAX), minLength: 1, pattern: '\\S' },
  subject: { ...line(998), minLength: 1 },
  previewText: line(200),
  from: {
    title: 'CampaignFromInput',
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
  content: contentField,
  toLists: { ...lists, description: 'Lists, segments and GLOBAL_CONTACT_LIST.' },
  excludeLists: { ...lists, description: 'Lists and segments.' },
  sendToGlobalList: { type: 'boolean' },
  unsubscribeGroupId: { type: ['string', 'null'], maxLength: 256 },
  sendMode,
  publish: { type: 'boolean' },
  sendNow: { type: 'boolean' },
  scheduledAt: { type: ['string', 'null'], format: 'date-time' },
  maxLatenessMinutes: { type: 'integer', minimum: 0, maximum: LATENESS_MAX },
  thresholdPreset,
  gradual,
  localTime,
  ...variantFields,
  sendRatePerSecond: { type: ['integer', 'null'], minimum: 1, maximum: SEND_RATE_MAX, description: 'null: no limit.' },
  trackingClick: { type: 'boolean' },
  trackingOpen: { type: 'boolean' },
  utm: utmField,
  headers: { ...headersField, description: 'Custom headers; values may hold {{variables}}. {}: none.' },
  inlinePictures: inlinePicturesField,
  tags: { ...givenTags, description: `Of all its mails. ${givenTags.description}` },
} as const;

export const createCampaignBody = schema({
  title: 'CreateCampaignBody',
  type: 'object',
  required: ['name', 'subject'],
  properties: fields,
});
export const updateCampaignBody = schema({
  title: 'UpdateCampaignBody',
  type: 'object',
  properties: { ...fields, updatedAt: seenUpdate },
});
export const audienceBody = schema({
  title: 'CampaignAudienceBody',
  type: 'object',
  properties: {
    toLists: fields.toLists,
    excludeLists: fields.excludeLists,
    sendToGlobalList: fields.sendToGlobalList,
    unsubscribeGroupId: fields.unsubscribeGroupId,
    localTime: { ...localTime, description: 'With it the answer has the people of each zone.' },
    audience: {
      title: 'CampaignAudienceOfCampaign',
      type: 'object',
      required: ['campaignId', 'did'],
      properties: { campaignId: idField, did: { type: 'string', enum: ['notOpened'] } },
      description: 'Recipients of another campaign, as a campaign has them in `audience`. Not together with lists.',
    },
  },
});
export const duplicateCampaignBody = schema({
  title: 'DuplicateCampaignBody',
  type: 'object',
  properties: {
    to: {
      type: 'string',
      enum: ['notOpened'],
      description:
        'notOpened: the copy goes to the contacts who got this campaign and neither opened it themselves nor clicked in it. They are chosen when the copy starts, without contacts who have left its lists, were deleted or unsubscribed. Omitted: the copy goes to the same audience.',
    },
  },
});
export const testCampaignBody = schema({
  title: 'TestCampaignBody',
  type: 'object',
  required: ['emails'],
  properties: { ...testFields, variantId: variantIdField },
});
export const retryCampaignBody = schema({
  title: 'RetryCampaignBody',
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
  properties: { ...pageFields, status: campaignStatus, search: { type: 'string', maxLength: 200 } },
});

const number = { type: 'number' } as const;
const metrics = {
  title: 'CampaignMetrics',
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
    title: 'AudienceEntry',
    type: 'object',
    required: ['id', 'name', 'type', 'contactCount'],
    properties: {
      id: { type: 'string', description: 'Of a list or a segment, or GLOBAL_CONTACT_LIST.' },
      name: { type: 'string' },
      type: { enum: ['list', 'segment'] },
      contactCount: { type: 'integer' },
    },
  },
} as const;

const embeddedTemplate = {
  ...template,
  title: 'CampaignTemplate',
  type: ['object', 'null'],
  properties: {
    ...template.properties,
    source: {
      enum: ['api', 'dashboard'],
      description: 'Of a template that a migration brought: that of the migration.',
    },
  },
} as const;

const people = { type: 'integer', minimum: 0 } as const;
const zone = {
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
const zones = { type: 'array', items: zone } as const;

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
    'audience',
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
    'utm',
    'headers',
    'inlinePictures',
    'tags',
    'sendToGlobalList',
    'source',
    'template',
    'gradual',
    'localTime',
    'variants',
    'test',
    'holdOutShare',
    'maxLatenessMinutes',
    'sendRatePerSecond',
    'createdAt',
    'updatedAt',
  ],
  properties: {
    id: idField,
    projectId: idField,
    organizationId: idField,
    createdBy: createdByField,
    name: { type: 'string' },
    subject: { type: 'string' },
    previewText: { type: 'string' },
    from: {
      title: 'CampaignFrom',
      type: 'object',
      required: ['email', 'name'],
      properties: { email: { type: 'string' }, name: { type: 'string' } },
    },
    senderId: nullableString,
    replyTo: { type: 'string' },
    toLists: audience,
    excludeLists: audience,
    audience: {
      title: 'CampaignAudience',
      type: ['object', 'null'],
      required: ['campaignId', 'did'],
      properties: { campaignId: idField, did: { enum: ['notOpened'] } },
      description:
        'Set when the campaign goes to recipients of another one, as POST /campaigns/{campaignId}/duplicate makes it. Setting toLists, or the global list, replaces it.',
    },
    unsubscribeGroupId: nullableString,
    sendNow: { type: 'boolean' },
    sendMode,
    scheduledAt: { ...nullableTimestamp, description: 'With localTime: the time of the first mail.' },
    templateId: { type: 'string' },
    status: campaignStatus,
    metrics,
    sentAt: nullableTimestamp,
    abortedAt: nullableTimestamp,
    failureReason: nullableString,
    pausedAt: nullableTimestamp,
    resumedAt: nullableTimestamp,
    pausedReason: nullableString,
    thresholdPreset,
    trackingClick: { type: 'boolean' },
    trackingOpen: { type: 'boolean' },
    utm: utmField,
    headers: { type: 'object', additionalProperties: { type: 'string' } },
    inlinePictures: { type: 'boolean' },
    tags: tagsField,
    sendToGlobalList: { type: 'boolean' },
    source: { enum: ['api', 'dashboard'] },
    template: embeddedTemplate,
    gradual: {
      title: 'GradualState',
      type: ['object', 'null'],
      required: ['emailsPerDay', 'growth', 'timezone', 'startAt', 'day', 'sentToday', 'nextBatchAt'],
      properties: {
        ...gradual.properties,
        day: { type: 'integer' },
        sentToday: { type: 'integer' },
        nextBatchAt: nullableTimestamp,
      },
    },
    localTime,
    zones: {
      ...zones,
      description: 'On answers with one campaign at local time, once its audience is written down; as last counted.',
    },
    ...shownVariantFields,
    maxLatenessMinutes: { type: 'integer' },
    sendRatePerSecond: { type: ['integer', 'null'] },
    progress: {
      title: 'SettledProgress',
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
    temporalUrl: {
      ...nullableString,
      description:
        'On the answer of GET: the run in the Web UI of Temporal. null when TEMPORAL_UI_URL is not set, and in an installation of several organizations.',
    },
    createdAt: timestampField,
    updatedAt: timestampField,
  },
} as const;

export const audienceAnswer = shape({
  title: 'CountedAudience',
  type: 'object',
  required: ['total', 'suppressed', 'willReceive', 'isExact'],
  properties: {
    total: { ...people, description: 'Contacts of toLists, each once, without those of excludeLists.' },
    suppressed: { ...people, description: 'Those among them whom a suppression keeps from getting it.' },
    willReceive: people,
    isExact: {
      type: 'boolean',
      description:
        'false: not all were counted within the time, or a segment is being computed; then the numbers are estimates.',
    },
    zones: {
      type: 'array',
      items: {
        title: 'AudienceZone',
        type: 'object',
        required: ['timezone', 'isFallback', 'at', 'total'],
        properties: {
          ...{ timezone: zone.properties.timezone, isFallback: zone.properties.isFallback },
          at: { ...nullableTimestamp, description: 'null: their time is over, and they get nothing.' },
          total: people,
        },
      },
      description:
        'With localTime alone: the contacts of each zone, estimated from a part of them where they are many.',
    },
  },
});

export const campaignAnswer = shape(campaign);
export const campaignsAnswer = pageAnswer('CampaignsPage', 'campaigns', campaign);

const rate = { type: 'number', minimum: 0, maximum: 100 } as const;
const count = { type: 'integer', minimum: 0 } as const;
const analyticsCounts = {
  title: 'AnalyticsCounts',
  type: 'object',
  required: [
    ...['totalContacts', 'suppressed', 'failed', 'attempted', 'sent', 'delivered', 'opened', 'humanOpened'],
    ...['clicked', 'bounced', 'unsubscribed', 'spamReported', 'unknown', 'pending'],
  ],
  properties: {
    totalContacts: count,
    suppressed: { ...count, description: 'Skipped because a suppression stopped them.' },
    failed: count,
    attempted: { ...count, description: 'totalContacts without suppressed and failed.' },
    sent: count,
    delivered: count,
    opened: { ...count, description: 'Recipients, automated opens included.' },
    humanOpened: { ...count, description: 'Recipients with an open that no machine did.' },
    ...{ clicked: count, bounced: count, unsubscribed: count, spamReported: count },
    unknown: { ...count, description: 'No answer came after the final dot: perhaps delivered.' },
    pending: count,
  },
};
const analyticsRates = {
  title: 'AnalyticsRates',
  type: 'object',
  description: 'Per cent, with two decimals; 0 when the base is 0.',
  required: [
    ...['openRate', 'clickRate', 'bounceRate', 'unsubscribedRate', 'complaintRate', 'successRate'],
    ...['deliveryRate', 'trueOpenRate'],
  ],
  properties: {
    ...{ openRate: rate, clickRate: rate, bounceRate: rate, unsubscribedRate: rate, complaintRate: rate },
    ...{ successRate: rate, deliveryRate: rate, trueOpenRate: rate },
  },
};
export const analyticsAnswer = shape({
  title: 'CampaignAnalytics',
  type: 'object',
  required: ['campaignId', 'name', 'status', 'sentAt', 'counts', 'rates', 'tracking', 'refreshedAt'],
  properties: {
    campaignId: idField,
    name: { type: 'string' },
    status: campaignStatus,
    sentAt: nullableTimestamp,
    counts: analyticsCounts,
    rates: analyticsRates,
    tracking: {
      title: 'TrackingState',
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
    'zones',
    'test',
    'holdOut',
  ],
  properties: {
    status: campaignStatus,
    ...{ total: integer, suppressed: integer, failed: integer, sent: integer, bounced: integer, unknown: integer },
    ...{ pending: integer, deferred: integer, inFlight: integer, ratePerSecond: number, percent: number },
    etaSeconds: { type: ['integer', 'null'] },
    nextAt: nullableTimestamp,
    relayNotAnsweringSince: {
      ...nullableTimestamp,
      description: 'No mail can be handed over since then; no recipient is counted as failed for it.',
    },
    waitingFor: {
      type: 'array',
      items: {
        title: 'AwaitedSegment',
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
    zones: { ...zones, description: 'Of a campaign at local time, in the order of their moments.' },
    test: testProgress,
    holdOut: { ...people, description: 'Not in total.' },
  },
});

const storedFields = {
  ...{ totalContacts: integer, suppressed: integer, failed: integer, sent: integer, unknown: integer },
  ...{ pending: integer, bounced: integer, opened: integer, humanOpened: integer, clicked: integer },
  ...{ unsubscribed: integer, spamReported: integer },
} as const;
/** The numbers that a campaign keeps. */
export const storedCounts = {
  title: 'CampaignCounts',
  type: 'object',
  required: Object.keys(storedFields),
  properties: storedFields,
};
export const reconcileAnswer = shape({
  title: 'CampaignReconciliation',
  type: 'object',
  required: ['status', 'ledger', 'stored', 'differences', 'isBalanced'],
  properties: {
    status: campaignStatus,
    ledger: { ...storedCounts, description: 'Counted now.' },
    stored: { ...storedCounts, description: 'As analytics and metrics show them.' },
    differences: {
      type: 'array',
      items: {
        title: 'CountDifference',
        type: 'object',
        required: ['count', 'ledger', 'stored'],
        properties: { count: { type: 'string' }, ledger: integer, stored: integer },
      },
    },
    isBalanced: {
      type: 'boolean',
      description: 'total = suppressed + failed + sent + unknown + pending, counted message by message.',
    },
  },
});

const recipientStatus = {
  title: 'RecipientStatus',
  type: 'string',
  enum: ['queued', 'deferred', 'sent', 'bounced', 'failed', 'suppressed', 'unknown'],
} as const;
const recipient = {
  title: 'CampaignRecipient',
  type: 'object',
  required: ['emailId', 'contactId', 'email', 'status', 'reason', 'reply', 'sentAt'],
  properties: {
    emailId: idField,
    contactId: { type: ['string', 'null'] },
    email: { type: ['string', 'null'], description: 'null when the contact was deleted.' },
    status: recipientStatus,
    reason: nullableString,
    reply: smtpReply,
    suppressedBy,
    sentAt: nullableTimestamp,
  },
} as const;
export const recipientsQuery = schema({
  type: 'object',
  properties: {
    ...pageFields,
    status: recipientStatus,
    reason: {
      type: 'string',
      pattern: '^[A-Za-z0-9_-]+$',
      maxLength: 2_000,
      description: 'Only these: the id of a reason of GET /campaigns/{campaignId}/reasons.',
    },
  },
});
export const recipientsAnswer = pageAnswer('CampaignRecipientsPage', 'recipients', recipient);
export const reasonsAnswer = shape({
  title: 'CampaignReasons',
  type: 'object',
  required: ['reasons', 'others'],
  properties: {
    reasons: {
      type: 'array',
      description: 'Most people first; 50 at most.',
      items: {
        title: 'CampaignReason',
        type: 'object',
        required: [
          ...['id', 'status', 'code', 'enhanced', 'suppression', 'groupId', 'groupName', 'reason', 'example', 'count'],
        ],
        properties: {
          id: { type: 'string', description: 'For GET /campaigns/{campaignId}/recipients.' },
          status: recipientStatus,
          code: { type: ['integer', 'null'], description: 'Of the reply.' },
          enhanced: nullableString,
          suppression: { ...nullableString, description: 'The reason of the suppression entry.' },
          groupId: { ...nullableString, description: 'The suppression group of the entry.' },
          groupName: nullableString,
          reason: { ...nullableString, description: 'In a sentence.' },
          example: { ...nullableString, description: 'The words of the relay to one of them, without the address.' },
          count: integer,
        },
      },
    },
    others: {
      title: 'OtherReasons',
      type: 'object',
      required: ['count'],
      properties: { count: { ...integer, description: 'People with further reasons.' } },
    },
  },
});
const engagement = {
  title: 'Engagement',
  type: ['object', 'null'],
  required: ['openedAt', 'humanOpenedAt', 'clickedAt', 'unsubscribedAt', 'complainedAt'],
  description: 'null: neither opened nor clicked, as far as is known.',
  properties: {
    openedAt: nullableTimestamp,
    humanOpenedAt: { ...nullableTimestamp, description: 'The first open that no machine did.' },
    clickedAt: nullableTimestamp,
    unsubscribedAt: nullableTimestamp,
    complainedAt: nullableTimestamp,
  },
} as const;
export const recipientAnswer = shape({
  title: 'RecipientStory',
  type: 'object',
  required: ['campaignId', 'contactId', 'reason', 'recipient', 'engagement', 'timeline'],
  properties: {
    campaignId: idField,
    contactId: { type: 'string' },
    reason: { type: 'string', description: 'The reason why this person got it, or not.' },
    recipient: { ...recipient, type: ['object', 'null'] },
    engagement,
    timeline: { type: 'array', items: timelineEntry },
  },
});
export const testAnswer = shape({
  title: 'QueuedTest',
  type: 'object',
  required: ['emailIds', 'totalRecipients'],
  properties: { emailIds: { type: 'array', items: idField }, totalRecipients: integer },
});
