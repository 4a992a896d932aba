import type { Collections } from '../../core/base/collections.ts';

/** Collections whose queries are tested elsewhere. */
export const notReached: Partial<Record<keyof Collections, string>> = {
  backlogSeats: 'By _id, only behind a long backlog of an installation of several processes.',
  confirmations: 'An agent asks a person who is at its client: test/mcp.',
};

/** Collections of the installation, or of organizations: their queries name no project. They use indexes all the same. */
export const ofInstallation: Partial<Record<keyof Collections, string>> = {
  projects: 'Its _id is the project; those of an organization are listed by that organization.',
  organizations: 'They own projects.',
  apiKeys: 'A request brings a key, by which its project is found; admin keys have none.',
  members: 'They belong to organizations.',
  memberSessions: 'They belong to people, who may be members of several organizations.',
  signInLinks: 'The same.',
  dataRequests: 'A link to data brings a token alone.',
  idempotency: 'Its _id is a hash of tenant and key.',
  requestCounts: 'Its _id is a keyed hash; clients without a key are counted too.',
  providerPaces: 'Its _id is a hash of an account of another provider, which projects may share.',
  mediaFiles: 'Their names are random, and whoever has a mail asks for its pictures by them.',
  processes: 'They serve all projects.',
  upkeep: 'It belongs to the installation.',
};

/** Of tenants' collections, by collection and keys of the filter: queries that name no project. */
export const withoutProject: Record<string, string> = {
  'campaignBlocks {}': 'Retention: the campaigns that have blocks, once a night, from keys alone.',
  'campaignClaims {}': 'Retention: the same for claims.',
  'messages {_id: $gt $lt}': 'Retention: a range of ids over all projects, once a night.',
  'events {_id: $gt $lt}': 'Retention, as for messages.',
  'contactFacts {_id: $gt $lt, at: $lt}': 'Retention, as for messages.',
  'contactHistory {_id: $gt $lt}': 'Retention, as for messages.',
  'frequencyPlaces {_id: $gt}': 'Retention: all of them, once a night.',
  'consents {erasedAt: $lt}': 'Retention: consents of erased people, by an index of their own.',
  'forms {_id, isActive}': 'A public page brings the id of a form alone.',
  'attachments.files {_id, metadata.projectId}': 'Its project has another name there.',
  'attachments.chunks {files_id, n: $gte $lt}': 'The pieces of such a file.',
  'domains {domainName, inboundEnabledAt: $type}': 'A mail that comes in names a domain; its project is looked for.',
};

/** The same, on paths that a run does not always take. */
export const withoutProjectAtTimes: Record<string, string> = {
  'attachments.chunks {files_id}': 'A message of the project leaves with the files that it names.',
  'attachments.files {_id}': 'The same.',
  'domains {domainName, verificationStatus}':
    'A sign-in mail is signed with the key of whichever project has the domain.',
  'domains {domainName, projectId: $ne, verificationStatus}': 'A domain is verified by one project alone.',
};

/** Queries that scan a collection. */
export const scans: Record<string, string> = {
  'domains {dkim.privateKey.keyId: $exists $ne}': 'npm run admin -- reseal: every sealed secret, once.',
  'domains {dkim.privateKey.keyId}': 'The same: what is left.',
  'domains {dkimEd25519.privateKey.keyId: $exists $ne}': 'The same, of the second keys.',
  'domains {dkimEd25519.privateKey.keyId}': 'The same: what is left.',
  'webhooks {secret.keyId: $exists $ne}': 'The same for webhooks.',
  'webhooks {secret.keyId}': 'The same for webhooks.',
  'previousWebhookSecrets {sealed.keyId: $exists $ne}': 'The same for their former secrets.',
  'previousWebhookSecrets {sealed.keyId}': 'The same for their former secrets.',
  'webhookHeaders {sealed.keyId: $exists $ne}': 'The same for headers of steps.',
  'webhookHeaders {sealed.keyId}': 'The same for headers of steps.',
  'migrationSecrets {sealed.keyId: $exists $ne}': 'The same for keys of other providers.',
  'migrationSecrets {sealed.keyId}': 'The same for keys of other providers.',
};

/** Indexes that do not begin with the project, by collection and first key. Queries of a project that use them name it as the next key. */
export const otherIndexes: Record<string, string> = {
  'messages campaignId':
    'Ranges of one campaign; a campaign has one project, and few of its keys differ before the recipient.',
  'starts kind': 'The next start of a kind: the looks for projects bound the kind first.',
  'frequencyPlaces _id': 'Those of a deleted project: their ids begin with the second of its own.',
  'messages lane': 'The next mail of a lane: the looks for projects bound the lane first.',
  'domains domainName': 'One project at most has a domain verified.',
  'apiKeys organizationId': 'Keys of an organization, then of a project.',
};

/** Queries of collections that grow, which sort documents, or read some that they do not return. */
export const reading: Record<string, string> = {
  'messages {$and[{$nor[{copy.index: $gt, copy: $exists}]} {projectId, state: $in}]}':
    'A filter of GET /emails without an index: newest first, five seconds at most.',
  'messages {$and[{$nor[{copy.index: $gt, copy: $exists}]} {deliveredAt: $exists, projectId, state}]}': 'The same.',
  'messages {$and[{$nor[{copy.index: $gt, copy: $exists}]} {automationId, projectId}]}': 'The same.',
  'messages {$and[{$nor[{copy.index: $gt, copy: $exists}]} {campaignId, projectId}]}':
    'The same; the people of a campaign have pages of their own, with indexes.',
  'messages {deliveredAt: $exists, projectId, state}': 'The total of the same.',
  'messages {projectId, state: $in}': 'The total of the same.',
  'messages {automationId, projectId}': 'The total of the same.',
  'inboundMessages {projectId, to.email}': 'A filter of GET /inbound/messages without an index: five seconds at most.',
  'inboundMessages {projectId, status}': 'The same.',
  'inboundMessages {$or[{from.email: $options $regex} {subject: $options $regex} {text: $options $regex}], projectId}':
    'A search for a text; too long a search is 400.',
  'projectEvents {$or[{to.webhookId} {type: $in}], createdAt: $gte $lt, projectId, writtenAt: $gte}':
    'A replay of a webhook: the events of its range, of which those of its types and of its steps are taken.',
  'contactErasures {deletedAt: $lte, dueAt: $exists, isOutOfBlocks: $exists, projectId}':
    'Pending erasures of a project; those that are out of the blocks are passed over.',
};
