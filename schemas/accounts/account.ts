import {
  createdByField,
  idField,
  mailbox,
  mailboxField,
  nullableString,
  nullableTimestamp,
  pageAnswer,
  seenUpdate,
  timestampField,
} from '../common.ts';
import { SCOPES } from '../operations.ts';
import { CONTACT_PROPERTY, PROPERTY_NAME } from '../people/contacts.ts';
import { schema, shape } from '../schema.ts';

const PROJECT_NAME_MAX = 200;
const DOMAIN_NAME_INPUT_MAX = 1_024;
const LOGO_URL_MAX = 2_048;
const POSTAL_ADDRESS_MAX = 500;
const name = { type: 'string', minLength: 1, maxLength: PROJECT_NAME_MAX, format: 'line', pattern: '\\S' } as const;

const consentAddress = { type: 'string', enum: ['shortened', 'full', 'none'] } as const;
const consentAddressText =
  'How much of the network address of a person a consent record keeps: shortened (/24 of IPv4, /48 of IPv6), full or none.';
const publicFromText =
  'The sender of confirmations and of links to data. null: no-reply@ the first verified domain of the project.';

/** Of tests of what follows from a mail; docs/sandbox.md has the addresses. */
const sandboxFields = {
  sandboxAddresses: {
    type: 'boolean',
    description:
      'Mail to the addresses at sandbox.everpost.test is answered by Everpost itself, as their name says, and reaches no relay. false: such mail is refused.',
  },
  sandboxSuppressions: {
    type: 'boolean',
    description: 'Bounces and complaints of sandbox addresses suppress them, as they do others.',
  },
} as const;

/** Of what people outside see; null is the default again. */
const publicFields = {
  publicName: { ...name, type: ['string', 'null'], description: 'Of pages and mails to people; null: name.' },
  logoUrl: {
    type: ['string', 'null'],
    maxLength: LOGO_URL_MAX,
    description: 'A picture by https, or one of POST /media. null: the name is shown.',
  },
  color: {
    type: ['string', 'null'],
    pattern: '^#[0-9A-Fa-f]{6}$',
    description: 'Of buttons and links, as #rrggbb. Links are made darker or lighter until they can be read.',
  },
  postalAddress: {
    type: ['string', 'null'],
    maxLength: POSTAL_ADDRESS_MAX,
    pattern: '\\S',
    format: 'lines',
    description: 'In the footer of pages, with its line ends.',
  },
  languageProperty: {
    type: ['string', 'null'],
    pattern: PROPERTY_NAME.source,
    description: 'The contact property with the language of a person (de, fr-CA, ...); null: language.',
  },
  consentAddress: {
    ...consentAddress,
    type: ['string', 'null'],
    enum: [...consentAddress.enum, null],
    description: consentAddressText,
  },
} as const;

export const DKIM_ALGORITHMS = ['rsa-sha256', 'ed25519-sha256'] as const;
const dkimAlgorithms = {
  type: 'array',
  items: { enum: DKIM_ALGORITHMS },
  minItems: 1,
  maxItems: DKIM_ALGORITHMS.length,
  uniqueItems: true,
  description:
    'With what mail of the domains of the project is signed; both by default. Ed25519 signs once its record is found; until then RSA signs, also when it is not named.',
} as const;

/** When it is morning for the project and for a person. */
const zoneFields = {
  timezone: {
    type: 'string',
    format: 'timezone',
    maxLength: 64,
    description: 'IANA name, for example Europe/Berlin: the zone of the project, UTC by default.',
  },
  timezoneProperty: {
    type: ['string', 'null'],
    pattern: CONTACT_PROPERTY.source,
    description:
      'The contact property with the zone of a person, such as timezone or contactProperties.timezone; null, the default: none. A person without a zone is in that of the project.',
  },
} as const;

const CAP_MAILS_MAX = 100;
export const CAP_DAYS_MAX = 90;
const CAP_GROUPS_MAX = 100;
const frequencyCapText =
  'How many marketing mails one address gets at most within so many days: of campaigns, automations and calls together. Transactional mail neither counts nor is held back. null, the default: any number.';
const frequencyCap = {
  title: 'FrequencyCapInput',
  type: ['object', 'null'],
  required: ['mails', 'withinDays'],
  additionalProperties: false,
  properties: {
    mails: { type: 'integer', minimum: 1, maximum: CAP_MAILS_MAX },
    withinDays: { type: 'integer', minimum: 1, maximum: CAP_DAYS_MAX, description: 'Days of 24 hours up to now.' },
    exceptGroupIds: {
      type: 'array',
      maxItems: CAP_GROUPS_MAX,
      uniqueItems: true,
      items: { type: 'string', minLength: 1, maxLength: 256 },
      description:
        'Suppression groups whose mail neither counts nor is held back. The default group stands for mail that names none.',
    },
  },
  description: frequencyCapText,
} as const;

export const createProjectBody = schema({
  title: 'CreateProjectBody',
  type: 'object',
  required: ['name'],
  properties: {
    name,
    trackingOpen: { type: 'boolean' },
    trackingClick: { type: 'boolean' },
    ...sandboxFields,
    dkimAlgorithms,
    ...zoneFields,
    ...publicFields,
  },
});

export const updateProjectBody = schema({
  title: 'UpdateProjectBody',
  type: 'object',
  properties: {
    name,
    trackingOpen: { type: 'boolean' },
    trackingClick: { type: 'boolean' },
    ...sandboxFields,
    dkimAlgorithms,
    ...zoneFields,
    ...publicFields,
    publicFrom: {
      ...mailboxField,
      type: ['object', 'null'],
      description: `${publicFromText} Must be on a verified domain of the project.`,
    },
    frequencyCap,
    updatedAt: seenUpdate,
  },
});

export const createApiKeyBody = schema({
  title: 'CreateApiKeyBody',
  type: 'object',
  required: ['name'],
  properties: {
    name,
    scope: {
      type: 'string',
      enum: SCOPES,
      description:
        'full, the default: everything of the project. send: send mails and replies, and read the mails that this key sent. read: read, without changing anything.',
    },
    domainName: {
      type: 'string',
      minLength: 1,
      maxLength: DOMAIN_NAME_INPUT_MAX,
      format: 'line',
      description:
        'Only with scope send: the one domain that From of its mails and replies may be on. Not its subdomains.',
    },
  },
});

const project = {
  title: 'Project',
  type: 'object',
  required: [
    'id',
    'name',
    'domain',
    'domains',
    'createdAt',
    'updatedAt',
    'trackingOpen',
    'trackingClick',
    'sandboxAddresses',
    'sandboxSuppressions',
    'dkimAlgorithms',
    'timezone',
    'timezoneProperty',
    'frequencyCap',
    'publicName',
    'logoUrl',
    'color',
    'postalAddress',
    'languageProperty',
    'consentAddress',
    'publicFrom',
  ],
  properties: {
    id: idField,
    name: { type: 'string' },
    domain: { ...nullableString, description: 'The first verified domain.' },
    domains: {
      type: 'array',
      items: {
        title: 'ProjectDomain',
        type: 'object',
        required: ['id', 'domainName', 'verificationStatus', 'regionKey'],
        properties: {
          id: idField,
          domainName: { type: 'string' },
          verificationStatus: { enum: ['PENDING_CONFIGURATION', 'PENDING', 'VERIFIED'] },
          regionKey: { type: 'string' },
        },
      },
    },
    createdAt: timestampField,
    updatedAt: timestampField,
    trackingOpen: { type: 'boolean' },
    trackingClick: { type: 'boolean' },
    ...sandboxFields,
    dkimAlgorithms,
    timezone: { type: 'string', description: zoneFields.timezone.description },
    timezoneProperty: {
      ...nullableString,
      description: 'The name of the property; null: people are in the zone of the project.',
    },
    frequencyCap: { ...frequencyCap, title: 'FrequencyCap', required: ['mails', 'withinDays', 'exceptGroupIds'] },
    publicName: { ...nullableString, description: publicFields.publicName.description },
    logoUrl: nullableString,
    color: nullableString,
    postalAddress: { ...nullableString, description: publicFields.postalAddress.description },
    languageProperty: { type: 'string', description: 'The contact property with the language of a person.' },
    consentAddress: { ...consentAddress, description: consentAddressText },
    publicFrom: { ...mailbox, type: ['object', 'null'], description: publicFromText },
    inboundEmailDomain: {
      type: 'string',
      description: 'The first domain with inbound on; left out when there is none.',
    },
  },
} as const;

export const projectAnswer = shape(project);
export const projectsAnswer = pageAnswer('ProjectsPage', 'projects', project);

const apiKeyFields = {
  id: idField,
  name: { type: 'string' },
  scope: { type: 'string', enum: SCOPES },
  domainName: { ...nullableString, description: 'null: mails may come from every verified domain of the project.' },
  createdBy: createdByField,
  createdAt: timestampField,
  lastUsedAt: { ...nullableTimestamp, description: 'To the minute; null: never.' },
} as const;
const apiKey = {
  title: 'ApiKey',
  type: 'object',
  required: Object.keys(apiKeyFields),
  properties: apiKeyFields,
} as const;
export const newApiKeyAnswer = shape({
  ...apiKey,
  title: 'NewApiKey',
  properties: {
    ...apiKeyFields,
    key: { type: 'string', description: 'Shown only once; a repeated request does not get it.' },
  },
});
export const apiKeysAnswer = pageAnswer('ApiKeysPage', 'apiKeys', apiKey);
