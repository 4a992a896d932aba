import {
  createdByField,
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
import { headersField, inlinePicturesField } from '../mail/mails.ts';
import { givenTags, tagsField } from '../mail/tags.ts';
import { schema, shape } from '../schema.ts';
import { contentField } from '../templates/blocks.ts';
import { TEMPLATE_LENGTH_MAX, template, testFields } from '../templates/templates.ts';
import { audienceFields } from './audience.ts';
import { metrics } from './figures.ts';
import { campaignStatus, gradual, localTime, sendMode, thresholdPreset, zones } from './plan.ts';
import { utmField } from './utm.ts';
import { fromInput, integer, layoutOfMail, line } from './values.ts';
import { shownVariantFields, variantFields } from './variants.ts';

const CAMPAIGN_NAME_MAX = 200;
const SEND_RATE_MAX = 100_000;
const LATENESS_MAX = 525_600;

const fields = {
  name: { ...line(CAMPAIGN_NAME_MAX), minLength: 1, pattern: '\\S' },
  subject: { ...line(998), minLength: 1 },
  previewText: line(200),
  from: fromInput,
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
  layoutId: layoutOfMail,
  ...audienceFields,
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
  properties: {
    ...fields,
    templateId: {
      ...idReference,
      type: ['string', 'null'],
      description: 'null: the draft has no mail until a call names or brings one.',
    },
    updatedAt: seenUpdate,
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

export const campaignsQuery = schema({
  type: 'object',
  properties: { ...pageFields, status: campaignStatus, search: { type: 'string', maxLength: 200 } },
});

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

export const campaignAnswer = shape(campaign);

export const campaignsAnswer = pageAnswer('CampaignsPage', 'campaigns', campaign);

export const testAnswer = shape({
  title: 'QueuedTest',
  type: 'object',
  required: ['emailIds', 'totalRecipients'],
  properties: { emailIds: { type: 'array', items: idField }, totalRecipients: integer },
});
