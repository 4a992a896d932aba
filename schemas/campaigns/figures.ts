import { idField, nullableTimestamp } from '../common.ts';
import { shape } from '../schema.ts';
import { campaignStatus, zones } from './plan.ts';
import { integer, number, people } from './values.ts';
import { testProgress } from './variants.ts';

export const metrics = {
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

const rate = { type: 'number', minimum: 0, maximum: 100 } as const;

const analyticsCounts = {
  title: 'AnalyticsCounts',
  type: 'object',
  required: [
    ...['totalContacts', 'suppressed', 'failed', 'attempted', 'sent', 'delivered', 'opened', 'humanOpened'],
    ...['clicked', 'bounced', 'unsubscribed', 'spamReported', 'unknown', 'pending'],
  ],
  properties: {
    totalContacts: people,
    suppressed: { ...people, description: 'Skipped because a suppression stopped them.' },
    failed: people,
    attempted: { ...people, description: 'totalContacts without suppressed and failed.' },
    sent: people,
    delivered: people,
    opened: { ...people, description: 'Recipients, automated opens included.' },
    humanOpened: { ...people, description: 'Recipients with an open that no machine did.' },
    ...{ clicked: people, bounced: people, unsubscribed: people, spamReported: people },
    unknown: { ...people, description: 'No answer came after the final dot: perhaps delivered.' },
    pending: people,
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
