import { idField, nullableString, nullableTimestamp, pageAnswer, pageFields, timestampField } from '../common.ts';
import { schema, shape } from '../schema.ts';

const DOMAIN_NAME_INPUT_MAX = 1_024;
const REGION_KEY_MAX = 64;

const domainName = { type: 'string', minLength: 1, maxLength: DOMAIN_NAME_INPUT_MAX, format: 'line' } as const;
const regionKey = { type: 'string', pattern: `^[A-Za-z0-9_-]{1,${REGION_KEY_MAX}}$` } as const;
const verificationStatus = { type: 'string', enum: ['PENDING_CONFIGURATION', 'PENDING', 'VERIFIED'] } as const;
const dkimSigning = {
  type: 'string',
  enum: ['own', 'relay'],
  description: 'relay: the relay signs, this service does not.',
} as const;

export const createDomainBody = schema({
  title: 'CreateDomainBody',
  type: 'object',
  properties: {
    domainName: { ...domainName, description: 'For example news.example.com. Required, under this name or as domain.' },
    domain: { ...domainName, description: 'Alias of domainName.' },
    regionKey: { ...regionKey, description: 'Kept as given; omitted: default.' },
  },
});

export const updateDomainBody = schema({
  title: 'UpdateDomainBody',
  type: 'object',
  properties: { dkimSigning, regionKey },
});

export const domainsQuery = schema({ type: 'object', properties: { ...pageFields, status: verificationStatus } });

const dnsRecord = {
  title: 'DnsRecord',
  type: 'object',
  required: ['name', 'value', 'type', 'purpose', 'found', 'values'],
  properties: {
    name: { type: 'string' },
    value: { type: 'string' },
    type: { enum: ['TXT', 'MX'] },
    purpose: { type: 'string' },
    priority: { type: 'integer', description: 'Of MX records.' },
    found: {
      type: ['string', 'null'],
      enum: ['found', 'absent', 'different', 'unanswered', null],
      description:
        'At the last check. different: there are records at the name, and none is this one. null: not checked.',
    },
    values: {
      type: 'array',
      items: { type: 'string' },
      description: 'The records that DNS had at the name then; five at most.',
    },
  },
} as const;

const domain = {
  title: 'Domain',
  type: 'object',
  required: [
    'id',
    'domainName',
    'verificationStatus',
    'ownershipVerified',
    'dkimEnabled',
    'dkimEd25519Enabled',
    'mailFromEnabled',
    'dmarcEnabled',
    'dkimSigning',
    'dnsRecords',
    'message',
    'createdAt',
    'lastCheckedAt',
    'regionKey',
    'verificationInProgress',
    'inboundEnabledAt',
    'inboundDomainVerifiedAt',
  ],
  properties: {
    id: idField,
    domainName: { type: 'string' },
    verificationStatus,
    ownershipVerified: { type: 'boolean', description: 'The TXT ownership record was found.' },
    dkimEnabled: { type: 'boolean', description: 'The DKIM record was found and holds our key.' },
    dkimEd25519Enabled: {
      type: 'boolean',
      description: 'The record of the second key was found: mail has an Ed25519 signature too.',
    },
    mailFromEnabled: { type: 'boolean', description: 'MX and SPF of the return path were found.' },
    dmarcEnabled: { type: 'boolean', description: 'A DMARC record was found, at the domain or above it.' },
    dkimSigning,
    dnsRecords: {
      title: 'DnsRecords',
      type: 'object',
      description: 'The DNS records to publish.',
      required: ['ownership', 'dkim', 'mailFrom', 'dmarc'],
      properties: {
        ownership: dnsRecord,
        dkim: dnsRecord,
        dkimEd25519: {
          ...dnsRecord,
          description:
            'Recommended, not required. Missing in domains of an earlier version before `npm run admin -- setup`.',
        },
        mailFrom: { type: 'array', items: dnsRecord },
        dmarc: dnsRecord,
        inboundMx: { ...dnsRecord, description: 'Only while inbound mail is enabled.' },
      },
    },
    message: { ...nullableString, description: 'The result of the last check, in a sentence.' },
    createdAt: timestampField,
    lastCheckedAt: nullableTimestamp,
    verifiedAt: { ...timestampField, description: 'Only of verified domains.' },
    regionKey: { type: 'string' },
    verificationInProgress: { type: 'boolean', description: 'A check was asked for and has no result yet.' },
    inboundEnabledAt: nullableTimestamp,
    inboundDomainVerifiedAt: nullableTimestamp,
  },
} as const;

export const domainAnswer = shape(domain);
export const domainsAnswer = pageAnswer('DomainsPage', 'domains', domain);
