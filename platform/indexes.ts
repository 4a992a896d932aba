import type { CreateIndexesOptions, IndexSpecification } from 'mongodb';
import type { Collections } from '../core/base/collections.ts';

interface Index {
  on: keyof Collections;
  name: string;
  key: IndexSpecification;
  /** The sentence that this index guarantees, or the query that it serves. */
  because: string;
  options?: CreateIndexesOptions;
}

/** Documents without the field take no space. */
const onlyWith = (field: string) => ({ partialFilterExpression: { [field]: { $exists: true } } });

export const indexes: Index[] = [
  {
    on: 'projects',
    name: 'organization',
    key: { organizationId: 1, _id: 1 },
    because: 'Projects of an organization, in order.',
  },
  {
    on: 'apiKeys',
    name: 'short_id',
    key: { shortId: 1 },
    options: { unique: true },
    because: 'A key is found by its short part, and no two share one.',
  },
  {
    on: 'apiKeys',
    name: 'owner',
    key: { organizationId: 1, projectId: 1, _id: 1 },
    because: 'Keys of a project, in order.',
  },
  {
    on: 'idempotency',
    name: 'expiry',
    key: { expiresAt: 1 },
    options: { expireAfterSeconds: 0 },
    because: 'Stored idempotent answers expire after 24 hours.',
  },
  {
    on: 'contacts',
    name: 'email',
    key: { projectId: 1, email: 1 },
    options: { unique: true },
    because: 'One contact for each address of a project.',
  },
  {
    on: 'contacts',
    name: 'list',
    key: { projectId: 1, listIds: 1, email: 1 },
    because: 'The contacts of a list, by address: search and freeze.',
  },
  {
    on: 'contacts',
    name: 'segment',
    key: { projectId: 1, segmentIds: 1, email: 1 },
    because: 'The contacts of a segment, by address.',
  },
  {
    on: 'contacts',
    name: 'user',
    key: { projectId: 1, userId: 1 },
    options: { partialFilterExpression: { userId: { $type: 'string' } } },
    because: 'Deletion by userId.',
  },
  {
    on: 'contacts',
    name: 'newest',
    key: { projectId: 1, _id: -1 },
    because: 'The contacts of a project, newest first.',
  },
  {
    on: 'contactLists',
    name: 'project',
    key: { projectId: 1, type: 1, _id: 1 },
    because: 'The global list, lists and segments of a project, in order.',
  },
  {
    on: 'contactLists',
    name: 'recompute_due',
    key: { projectId: 1, recomputeDueAt: 1 },
    options: onlyWith('recomputeDueAt'),
    because: 'Segments whose recompute must be started or checked on.',
  },
  {
    on: 'listCounts',
    name: 'list',
    key: { projectId: 1, listId: 1 },
    because: 'The parts of the count of a list.',
  },
  {
    on: 'listRemovals',
    name: 'due',
    key: { projectId: 1, dueAt: 1 },
    options: onlyWith('dueAt'),
    because: 'Deleted lists that are still named in contacts.',
  },
  {
    on: 'imports',
    name: 'due',
    key: { projectId: 1, startDueAt: 1 },
    options: onlyWith('startDueAt'),
    because: 'Imports whose run must be started.',
  },
  {
    on: 'importChunks',
    name: 'import',
    key: { projectId: 1, importId: 1, number: 1 },
    because: 'The chunks of a file, in order.',
  },
  {
    on: 'importChunks',
    name: 'expiry',
    key: { createdAt: 1 },
    options: { expireAfterSeconds: 30 * 86_400 },
    because: 'Files of uploads that were cut off expire.',
  },
  {
    on: 'importErrors',
    name: 'import',
    key: { projectId: 1, importId: 1, row: 1 },
    because: 'The errors of a file, in its order.',
  },
  {
    on: 'importErrors',
    name: 'expiry',
    key: { createdAt: 1 },
    options: { expireAfterSeconds: 30 * 86_400 },
    because: 'Errors of imports can be downloaded for 30 days.',
  },
  {
    on: 'customFields',
    name: 'field_name',
    key: { projectId: 1, fieldName: 1 },
    options: { unique: true },
    because: 'One declaration for each field name.',
  },
  {
    on: 'suppressionGroups',
    name: 'code',
    key: { projectId: 1, groupId: 1 },
    options: { unique: true },
    because: 'A code names one group of a project.',
  },
  {
    on: 'suppressions',
    name: 'address',
    key: { projectId: 1, email: 1, groupId: 1 },
    options: { unique: true },
    because: 'One entry for each address and group; what stops mail to an address.',
  },
  {
    on: 'suppressions',
    name: 'newest',
    key: { projectId: 1, createdAt: -1, _id: -1 },
    because: 'Entries of a project, newest first, and those between two dates.',
  },
  {
    on: 'suppressions',
    name: 'group',
    key: { projectId: 1, groupId: 1, createdAt: -1, _id: -1 },
    because: 'Entries of a group, newest first.',
  },
  {
    on: 'suppressions',
    name: 'reason',
    key: { projectId: 1, reason: 1, createdAt: -1, _id: -1 },
    because: 'Entries with a reason, newest first.',
  },
  {
    on: 'suppressions',
    name: 'group_reason',
    key: { projectId: 1, groupId: 1, reason: 1, createdAt: -1, _id: -1 },
    because: 'Entries of a group with a reason, newest first.',
  },
  {
    on: 'suppressions',
    name: 'search',
    key: { projectId: 1, email: 1, groupId: 1, reason: 1 },
    because: 'Entries by a part of the address or by the name of a reason, without reading the entries.',
  },
  {
    on: 'templates',
    name: 'template_id',
    key: { projectId: 1, templateId: 1 },
    options: { unique: true },
    because: 'A template is found by the id that the interface shows.',
  },
  {
    on: 'templates',
    name: 'newest',
    key: { projectId: 1, createdAt: -1, _id: -1 },
    because: 'The templates of a project, newest first.',
  },
  {
    on: 'senders',
    name: 'email',
    key: { projectId: 1, email: 1 },
    options: { unique: true },
    because: 'One sender for each address of a project.',
  },
  {
    on: 'contents',
    name: 'removal',
    key: { projectId: 1, removeDueAt: 1 },
    options: onlyWith('removeDueAt'),
    because: 'Contents whose last outcome may be a week old.',
  },
  {
    on: 'messages',
    name: 'own_content',
    key: { projectId: 1, contentDueAt: 1 },
    options: onlyWith('contentDueAt'),
    because: 'The same for contents that are stored in their messages.',
  },
  {
    on: 'messages',
    name: 'campaign',
    key: { campaignId: 1, projectId: 1, state: 1, seq: 1 },
    options: onlyWith('campaignId'),
    because: 'Ranges of a campaign, its claimed messages, counts, recipients by status.',
  },
  {
    on: 'messages',
    name: 'email',
    key: { projectId: 1, email: 1, _id: -1 },
    because: 'Why an address got a mail or not; erasure.',
  },
  {
    on: 'messages',
    name: 'contact',
    key: { projectId: 1, contactId: 1, _id: 1 },
    options: onlyWith('contactId'),
    because: 'Mail of a contact that is deleted, whichever address it went to.',
  },
  {
    on: 'messages',
    name: 'copies',
    key: { projectId: 1, 'recipients.email': 1, _id: -1 },
    options: onlyWith('recipients'),
    because: 'The same for those in cc and bcc.',
  },
  {
    on: 'messages',
    name: 'copies_of',
    key: { projectId: 1, 'copy.of': 1, 'copy.index': 1 },
    options: onlyWith('copy'),
    because: 'The messages of one marketing mail with cc or bcc.',
  },
  {
    on: 'messages',
    name: 'due',
    key: { lane: 1, projectId: 1, dueAt: 1 },
    options: {
      partialFilterExpression: { dueAt: { $exists: true }, lane: { $in: ['transactional', 'automation'] } },
    },
    because: 'Which projects have mail to send, and which mail is next.',
  },
  {
    on: 'messages',
    name: 'newest',
    key: { projectId: 1, _id: -1 },
    because: 'The mails of a project, newest first.',
  },
  {
    on: 'messages',
    name: 'batch',
    key: { projectId: 1, batchId: 1, _id: 1 },
    options: onlyWith('batchId'),
    because: 'The mails of one bulk call.',
  },
  {
    on: 'campaignBlocks',
    name: 'place',
    key: { projectId: 1, campaignId: 1, run: 1, n: 1 },
    options: { unique: true },
    because: 'A block of a freeze is written once; blocks are read in their order.',
  },
  {
    on: 'campaignBlocks',
    name: 'person',
    key: { projectId: 1, campaignId: 1, run: 1, first: 1, n: 1, fromSeq: 1, count: 1 },
    because: 'The block that has an address; the places and sizes of blocks without their recipients.',
  },
  {
    on: 'campaignClaims',
    name: 'place',
    key: { projectId: 1, campaignId: 1, n: 1, from: 1 },
    options: { unique: true },
    because: 'Recipients are claimed by one process: a claim begins where the one before it ends.',
  },
  {
    on: 'campaignClaims',
    name: 'open',
    key: { projectId: 1, campaignId: 1, leaseUntil: 1 },
    options: onlyWith('leaseUntil'),
    because: 'Claims that are not closed, and those whose lease ended.',
  },
  {
    on: 'contactErasures',
    name: 'due',
    key: { projectId: 1, dueAt: 1 },
    options: onlyWith('dueAt'),
    because: 'Deleted contacts whose messages are to be erased.',
  },
  {
    on: 'migrations',
    name: 'one_at_a_time',
    key: { projectId: 1 },
    options: { unique: true, partialFilterExpression: { status: { $in: ['queued', 'running', 'needs_attention'] } } },
    because: 'One migration of a project at a time.',
  },
  {
    on: 'migrations',
    name: 'newest',
    key: { projectId: 1, _id: -1 },
    because: 'The migrations of a project, newest first.',
  },
  {
    on: 'migrations',
    name: 'due',
    key: { projectId: 1, dueAt: 1 },
    options: onlyWith('dueAt'),
    because: 'Migrations whose run must be started or signalled.',
  },
  {
    on: 'migrationSecrets',
    name: 'expiry',
    key: { expiresAt: 1 },
    options: { expireAfterSeconds: 0 },
    because: 'The sealed key of a failed job expires after 72 hours.',
  },
  {
    on: 'migrationUnsubscribed',
    name: 'migration',
    key: { projectId: 1, migrationId: 1 },
    because: 'The addresses that one job noted as unsubscribed.',
  },
  {
    on: 'migrationUnsubscribed',
    name: 'expiry',
    key: { expiresAt: 1 },
    options: { expireAfterSeconds: 0 },
    because: 'Addresses noted by a job that was never finished expire.',
  },
  {
    on: 'migrationPlans',
    name: 'expiry',
    key: { at: 1 },
    options: { expireAfterSeconds: 30 * 86_400 },
    because: 'The counts of a plan expire after 30 days.',
  },
  {
    on: 'providerPaces',
    name: 'expiry',
    key: { at: 1 },
    options: { expireAfterSeconds: 86_400 },
    because: 'The pace of an account without requests expires.',
  },
  {
    on: 'domains',
    name: 'domain_name',
    key: { projectId: 1, domainName: 1 },
    options: { unique: true },
    because: 'A project has a domain name once.',
  },
  {
    on: 'domains',
    name: 'verified_once',
    key: { domainName: 1 },
    options: { unique: true, partialFilterExpression: { verificationStatus: 'VERIFIED' } },
    because: 'One project at a time holds a domain name verified.',
  },
  {
    on: 'domains',
    name: 'start_due',
    key: { projectId: 1, startDueAt: 1 },
    options: onlyWith('startDueAt'),
    because: 'Domain checks that must be started.',
  },
  {
    on: 'domains',
    name: 'recheck_due',
    key: { projectId: 1, recheckDueAt: 1 },
    options: onlyWith('recheckDueAt'),
    because: 'Verified domains whose records must be checked again.',
  },
  {
    on: 'automations',
    name: 'project',
    key: { projectId: 1, status: 1, _id: -1 },
    because: 'Automations of a project, by status and newest first.',
  },
  {
    on: 'automations',
    name: 'due',
    key: { projectId: 1, dueAt: 1 },
    options: onlyWith('dueAt'),
    because: 'Automations whose enrollments must follow a new status.',
  },
  {
    on: 'automationCounts',
    name: 'automation',
    key: { projectId: 1, automationId: 1 },
    because: 'The counts of an automation and its steps.',
  },
  {
    on: 'enrollments',
    name: 'inside_once',
    key: { projectId: 1, automationId: 1, contactId: 1 },
    options: { unique: true, partialFilterExpression: { live: true } },
    because: 'A contact is enrolled in an automation at most once at a time.',
  },
  {
    on: 'enrollments',
    name: 'once_ever',
    key: { projectId: 1, automationId: 1, contactId: 1 },
    options: { unique: true, partialFilterExpression: { once: true } },
    because: 'A contact is created once, and that enrolls it at most once in each automation.',
  },
  {
    on: 'enrollments',
    name: 'automation',
    key: { projectId: 1, automationId: 1, status: 1, _id: -1 },
    because: 'The enrollments of an automation, by status and newest first.',
  },
  {
    on: 'enrollments',
    name: 'contact',
    key: { projectId: 1, contactId: 1 },
    because: 'The active enrollments of a contact: deletion and unsubscribes.',
  },
  {
    on: 'enrollments',
    name: 'due',
    key: { projectId: 1, dueAt: 1 },
    options: onlyWith('dueAt'),
    because: 'Enrollments whose run must be started or woken.',
  },
  {
    on: 'enrollments',
    name: 'backlog',
    key: { projectId: 1, automationId: 1, dueAt: 1 },
    options: onlyWith('dueAt'),
    because: 'How many enrollments of an automation wait for their run.',
  },
  {
    on: 'triggers',
    name: 'due',
    key: { projectId: 1, dueAt: 1 },
    options: onlyWith('dueAt'),
    because: 'Contact changes that automations have yet to process.',
  },
  {
    on: 'triggers',
    name: 'backlog',
    key: { projectId: 1, automationIds: 1, dueAt: 1 },
    options: onlyWith('dueAt'),
    because: 'How many triggers an automation has before it.',
  },
  {
    on: 'triggers',
    name: 'expiry',
    key: { doneAt: 1 },
    options: { expireAfterSeconds: 30 * 86_400 },
    because: 'A processed trigger expires after 30 days.',
  },
  {
    on: 'eventDefinitions',
    name: 'event_name',
    key: { projectId: 1, eventName: 1 },
    options: { unique: true },
    because: 'One definition for each event name.',
  },
  {
    on: 'events',
    name: 'contact',
    key: { projectId: 1, contactId: 1 },
    because: 'The events of a contact: erasure.',
  },
  {
    on: 'events',
    name: 'due',
    key: { projectId: 1, dueAt: 1 },
    options: onlyWith('dueAt'),
    because: 'Events that automations have yet to process.',
  },
  {
    on: 'events',
    name: 'backlog',
    key: { projectId: 1, automationIds: 1, dueAt: 1 },
    options: onlyWith('dueAt'),
    because: 'How many events an automation has before it.',
  },
  {
    on: 'engagements',
    name: 'campaign',
    key: { projectId: 1, campaignId: 1 },
    options: onlyWith('campaignId'),
    because: 'Opens, clicks and complaints of a campaign, to be counted.',
  },
  {
    on: 'projectEvents',
    name: 'written',
    key: { projectId: 1, writtenAt: 1, _id: 1 },
    because: 'The events of a project, in order: /stream and replays.',
  },
  {
    on: 'projectEvents',
    name: 'email',
    key: { projectId: 1, 'data.email': 1 },
    options: onlyWith('data.email'),
    because: 'Events that name an address: erasure.',
  },
  {
    on: 'projectEvents',
    name: 'erasure',
    key: { eraseAt: 1 },
    options: { expireAfterSeconds: 0, ...onlyWith('eraseAt') },
    because: 'Events of a deleted contact expire within a day.',
  },
  {
    on: 'projectEvents',
    name: 'expiry',
    key: { writtenAt: 1 },
    options: { expireAfterSeconds: 30 * 86_400 },
    because: 'Events can be replayed for 30 days.',
  },
  {
    on: 'eventStreams',
    name: 'expiry',
    key: { openUntil: 1 },
    options: { expireAfterSeconds: 0 },
    because: 'Projects without a listener for an hour.',
  },
  {
    on: 'webhooks',
    name: 'newest',
    key: { projectId: 1, _id: -1 },
    because: 'The webhooks of a project, newest first.',
  },
  {
    on: 'webhookDeliveries',
    name: 'due',
    key: { projectId: 1, dueAt: 1 },
    options: onlyWith('dueAt'),
    because: 'Deliveries that must be tried, or tried again.',
  },
  {
    on: 'webhookDeliveries',
    name: 'newest',
    key: { projectId: 1, webhookId: 1, createdAt: -1, _id: -1 },
    because: 'The delivery log of an endpoint, newest first.',
  },
  {
    on: 'webhookDeliveries',
    name: 'expiry',
    key: { createdAt: 1 },
    options: { expireAfterSeconds: 30 * 86_400 },
    because: 'The delivery log is kept for 30 days.',
  },
  {
    on: 'inboundMessages',
    name: 'once',
    key: { projectId: 1, dedupe: 1 },
    options: { unique: true },
    because: 'A mail that is delivered again, because our answer was lost, is stored once.',
  },
  {
    on: 'inboundMessages',
    name: 'newest',
    key: { projectId: 1, receivedAt: -1, _id: -1 },
    because: 'The inbound messages of a project, newest first.',
  },
  {
    on: 'inboundMessages',
    name: 'thread',
    key: { projectId: 1, threadId: 1, receivedAt: -1, _id: -1 },
    because: 'The messages of a conversation.',
  },
  {
    on: 'inboundMessages',
    name: 'message_id',
    key: { projectId: 1, messageId: 1 },
    because: 'The mail that a reply answers.',
  },
  {
    on: 'inboundMessages',
    name: 'sender',
    key: { projectId: 1, 'from.email': 1, receivedAt: -1, _id: -1 },
    because: 'Inbound messages of an address: searches, and erasure with the contact.',
  },
  {
    on: 'inboundMessages',
    name: 'removal',
    key: { projectId: 1, removeDueAt: 1 },
    options: onlyWith('removeDueAt'),
    because: 'Inbound messages to remove, or to erase with their contact.',
  },
  {
    on: 'domains',
    name: 'inbound',
    key: { domainName: 1, inboundEnabledAt: 1 },
    options: { partialFilterExpression: { inboundEnabledAt: { $type: 'date' } } },
    because: 'Which project receives mail for a domain.',
  },
  {
    on: 'campaigns',
    name: 'metrics_due',
    key: { projectId: 1, metricsDueAt: 1 },
    options: onlyWith('metricsDueAt'),
    because: 'Campaigns whose numbers are to be refreshed from now on.',
  },
  {
    on: 'campaigns',
    name: 'newest',
    key: { projectId: 1, _id: -1 },
    because: 'The campaigns of a project, newest first.',
  },
  {
    on: 'campaigns',
    name: 'status',
    key: { projectId: 1, status: 1, _id: -1 },
    because: 'The campaigns of a project in one status.',
  },
  {
    on: 'campaigns',
    name: 'start_due',
    key: { projectId: 1, startDueAt: 1 },
    options: onlyWith('startDueAt'),
    because: 'Campaigns whose run must be started or signalled.',
  },
];

export async function makeIndexes(db: Collections): Promise<void> {
  const byCollection = Map.groupBy(indexes, ({ on }) => on);
  await Promise.all(
    [...byCollection].map(([on, list]) =>
      db[on].createIndexes(
        list.map(({ name, key, options }) => ({ name, key: key as Record<string, 1 | -1>, ...options })),
      ),
    ),
  );
}

const NO_SUCH_COLLECTION = 26;

/** Processes refuse to start without these, since correctness depends on them. */
export async function missingUniqueIndexes(db: Collections): Promise<string[]> {
  const missing: string[] = [];
  const unique = indexes.filter(({ options }) => options?.unique);
  for (const { on, name } of unique) {
    const present = await db[on].indexes().catch((error: { code?: unknown }) => {
      if (error.code === NO_SUCH_COLLECTION) return [];
      throw error;
    });
    if (!present.some((index) => index.name === name && index.unique)) missing.push(`${on}.${name}`);
  }
  return missing;
}
