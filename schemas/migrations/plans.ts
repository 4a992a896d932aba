import { schema, shape } from '../schema.ts';
import { count, keyFields } from './values.ts';

export const planBody = schema({ title: 'PlanMigrationBody', type: 'object', properties: keyFields });

const item = {
  title: 'PlannedItem',
  type: 'object',
  required: ['id', 'name'],
  properties: { id: { type: 'string' }, name: { type: 'string' } },
};
const items = { type: 'array', items: item };
const field = {
  ...item,
  title: 'PlannedField',
  properties: { ...item.properties, fieldType: { type: 'string' } },
};
const list = { ...item, title: 'PlannedList', properties: { ...item.properties, contactCount: count } };
const skipped = {
  type: 'array',
  items: { type: 'string' },
  description: 'Sections that the key may not read; they come back empty.',
};

export const planAAnswer = shape({
  title: 'PlanOfProviderA',
  type: 'object',
  required: [
    'templates',
    'unsubscribeGroups',
    'customFields',
    'contactLists',
    'totalContacts',
    'suppressions',
    'countsComplete',
    'skipped',
  ],
  properties: {
    templates: items,
    unsubscribeGroups: items,
    customFields: { type: 'array', items: field },
    contactLists: { type: 'array', items: list },
    totalContacts: count,
    suppressions: {
      title: 'PlannedSuppressions',
      type: 'object',
      required: ['unsubscribes', 'bounces', 'invalidEmails', 'spamReports'],
      properties: { unsubscribes: count, bounces: count, invalidEmails: count, spamReports: count },
      description: 'Addresses that the account does not mail. They are suppressed here before contacts are imported.',
    },
    countsComplete: {
      type: 'boolean',
      description: 'false: the addresses of suppressions were not counted to the end; there are at least as many.',
    },
    skipped: {
      ...skipped,
      description:
        'Sections that the key may not read; they come back empty. For suppressions with the missing scope and what follows from it.',
    },
  },
});

export const planBAnswer = shape({
  title: 'PlanOfProviderB',
  type: 'object',
  required: [
    'templates',
    'customFields',
    'audiences',
    'topics',
    'totalContacts',
    'unsubscribedContacts',
    'countsComplete',
    'skipped',
  ],
  properties: {
    templates: items,
    customFields: { type: 'array', items: field },
    audiences: items,
    topics: items,
    totalContacts: count,
    unsubscribedContacts: count,
    countsComplete: {
      type: 'boolean',
      description: 'false: not every contact was counted within 25 seconds; the two counts are those so far.',
    },
    skipped,
  },
});
