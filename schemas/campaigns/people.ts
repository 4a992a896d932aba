import { idField, nullableString, nullableTimestamp, pageFields, paginationFields } from '../common.ts';
import { schema, shape } from '../schema.ts';

const URL_LENGTH_MAX = 8_192;
/** Two bytes of a click token. */
const POSITION_MAX = 65_535;

const FIGURES = [
  ...(['sent', 'opened', 'humanOpened', 'clicked', 'bounced', 'complained', 'unsubscribed'] as const),
  ...(['notOpened', 'notClicked', 'failed', 'suppressed', 'unknown'] as const),
] as const;
export type Figure = (typeof FIGURES)[number];

const did = {
  title: 'CampaignFigure',
  type: 'string',
  enum: FIGURES,
  description:
    'opened: automated opens included, as in analytics. sent: bounced mail included. notOpened and notClicked: delivered mail that was not opened, or not clicked. failed, suppressed, unknown: by the state of the mail.',
} as const;
const url = {
  type: 'string',
  minLength: 1,
  maxLength: URL_LENGTH_MAX,
  description: 'With did=clicked: only the people who clicked this address.',
} as const;
const position = {
  type: 'integer',
  minimum: 1,
  maximum: POSITION_MAX,
  description:
    'With did=clicked, instead of url: only the people who clicked the link at this position, as GET /campaigns/{campaignId}/links has it.',
} as const;

export const peopleQuery = schema({
  type: 'object',
  required: ['did'],
  properties: { ...pageFields, did, position, url },
});
export const peopleExportQuery = schema({
  type: 'object',
  required: ['did'],
  properties: { did, position, url, format: { enum: ['csv', 'ndjson'], default: 'csv' } },
});

const person = {
  title: 'CampaignPerson',
  type: 'object',
  required: [
    ...['emailId', 'contactId', 'email', 'status', 'sentAt', 'openedAt', 'humanOpenedAt', 'clickedAt'],
    ...['unsubscribedAt', 'complainedAt'],
  ],
  properties: {
    emailId: idField,
    contactId: nullableString,
    email: { ...nullableString, description: 'null when the contact was deleted.' },
    status: { type: 'string', description: 'Of the mail: sent, bounced, and so on.' },
    sentAt: nullableTimestamp,
    openedAt: { ...nullableTimestamp, description: 'The first open, of a person or a machine.' },
    humanOpenedAt: { ...nullableTimestamp, description: 'The first open that no machine did.' },
    clickedAt: { ...nullableTimestamp, description: 'The first click.' },
    unsubscribedAt: nullableTimestamp,
    complainedAt: nullableTimestamp,
  },
} as const;

export const peopleAnswer = shape({
  title: 'CampaignPeoplePage',
  type: 'object',
  required: ['people', 'pagination', 'keptUntil'],
  properties: {
    people: { type: 'array', items: person },
    pagination: paginationFields,
    keptUntil: {
      ...nullableTimestamp,
      description:
        'The mails of the campaign may be removed after this time, and its figures then have no contacts any more; null before the campaign has begun.',
    },
  },
});
