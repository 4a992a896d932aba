import { idField, idReference, nullableTimestamp } from '../common.ts';
import { schema, shape } from '../schema.ts';
import { localTime, zone } from './plan.ts';
import { people } from './values.ts';

const CAMPAIGN_LISTS_MAX = 100;

const lists = { type: 'array', maxItems: CAMPAIGN_LISTS_MAX, items: idReference } as const;

export const audienceFields = {
  toLists: { ...lists, description: 'Lists, segments and GLOBAL_CONTACT_LIST.' },
  excludeLists: { ...lists, description: 'Lists and segments.' },
  sendToGlobalList: { type: 'boolean' },
  unsubscribeGroupId: { type: ['string', 'null'], maxLength: 256 },
} as const;

export const audienceBody = schema({
  title: 'CampaignAudienceBody',
  type: 'object',
  properties: {
    ...audienceFields,
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
