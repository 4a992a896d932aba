import type { Collections } from '../../core/base/collections.ts';
import { indexes } from '../mongo/indexes.ts';

export type ShardKey = Readonly<Record<string, 1 | 'hashed'>>;

/** A project and an id meet on one shard, so a repeated insert is still refused there; a large project spreads over the shards. */
const BY_ID = { projectId: 1, _id: 'hashed' } as const satisfies ShardKey;

/** The collections that grow with mail, people and what people do. */
export const shardKeys = {
  messages: BY_ID,
  contents: BY_ID,
  engagements: BY_ID,
  frequencyPlaces: BY_ID,
  campaignBlocks: { projectId: 1, campaignId: 1, run: 1, n: 1 },
  campaignClaims: { projectId: 1, campaignId: 1, n: 1, from: 1 },
  contacts: { projectId: 1, email: 1 },
  contactFacts: BY_ID,
  contactHistory: BY_ID,
  notedFacts: BY_ID,
  consents: BY_ID,
  suppressions: { projectId: 1, email: 1, groupId: 1 },
  enrollments: { projectId: 1, automationId: 1, contactId: 1 },
  awaitedDates: BY_ID,
  triggers: BY_ID,
  events: BY_ID,
  projectEvents: BY_ID,
  webhookDeliveries: BY_ID,
  inboundMessages: { projectId: 1, dedupe: 1 },
  reportCounts: BY_ID,
  linkCounts: BY_ID,
  importChunks: BY_ID,
  importErrors: BY_ID,
  migrationLinks: BY_ID,
  migrationUnsubscribed: BY_ID,
  contactErasures: BY_ID,
} as const satisfies Partial<Record<keyof Collections, ShardKey>>;

const FEW = 'There are few for each project.';
const SHORT = 'It is removed soon.';
const UNIQUE = 'Its unique index does not begin with a key of the project.';

/** The collections that stay on the primary shard, each with its reason. */
export const unsharded: Record<Exclude<keyof Collections, keyof typeof shardKeys>, string> = {
  organizations: FEW,
  projects: FEW,
  apiKeys: UNIQUE,
  members: UNIQUE,
  memberSessions: UNIQUE,
  signInLinks: UNIQUE,
  dataRequests: UNIQUE,
  domains: UNIQUE,
  confirmations: SHORT,
  idempotency: SHORT,
  requestCounts: SHORT,
  inboundUsage: SHORT,
  starts: SHORT,
  enrollmentJobs: SHORT,
  republications: SHORT,
  previews: SHORT,
  previewSlots: SHORT,
  formSubmissions: SHORT,
  pendingSubscriptions: `${SHORT} The address of its unique index is removed before the document.`,
  migrationSecrets: SHORT,
  sandboxReports: SHORT,
  attachmentFiles: 'Files are few beside mails, and a content has many small ones in itself.',
  attachmentChunks: UNIQUE,
  migrationPlans: SHORT,
  previousWebhookSecrets: SHORT,
  eventStreams: FEW,
  contactLists: FEW,
  listCounts: FEW,
  listRemovals: FEW,
  customFields: FEW,
  forms: FEW,
  suppressionGroups: FEW,
  templates: FEW,
  templateVersions: FEW,
  templateLanguages: FEW,
  campaigns: FEW,
  campaignContents: FEW,
  linkSets: FEW,
  webhooks: FEW,
  webhookHeaders: FEW,
  senders: FEW,
  automations: FEW,
  automationDefinitions: FEW,
  automationCounts: FEW,
  eventDefinitions: FEW,
  imports: FEW,
  media: FEW,
  mediaFiles: 'A cluster keeps pictures in a bucket, see MEDIA_STORE.',
  mediaUsage: FEW,
  migrations: FEW,
  reportStates: FEW,
  providerPaces: FEW,
  upkeep: 'It belongs to the installation.',
  backlogSeats: 'They belong to the installation.',
  processes: 'It belongs to the installation.',
};

/** An index as it is declared, or as a server lists it. */
export interface KnownIndex {
  name: string;
  key: Record<string, unknown>;
  unique?: boolean | undefined;
  partialFilterExpression?: unknown;
}

/** Of a sharded collection only those indexes may be unique that begin with the whole shard key, and `_id`. */
export function uniqueFaults(key: ShardKey, known: readonly KnownIndex[]): string[] {
  const refused = known.filter((index) => index.unique && !beginsWith(index, key));
  return refused.map(({ name, key: of }) => {
    const shown = Object.keys(of).join(', ');
    return `the unique index ${name} (${shown}) does not begin with the shard key (${Object.keys(key).join(', ')})`;
  });
}

/** Whether an index can serve as that of the shard key. A partial one cannot. */
export function isSupported(key: ShardKey, known: readonly KnownIndex[]): boolean {
  return known.some(
    (index) =>
      !index.partialFilterExpression &&
      beginsWith(index, key) &&
      Object.entries(key).every(([field, kind]) => index.key[field] === kind),
  );
}

export function declaredIndexes(on: keyof Collections): KnownIndex[] {
  return indexes
    .filter((index) => index.on === on)
    .map(({ name, key, options: { unique, partialFilterExpression } }) => ({
      ...{ name, key, unique, partialFilterExpression },
    }));
}

function beginsWith({ key }: KnownIndex, shardKey: ShardKey): boolean {
  const fields = Object.keys(key);
  return Object.keys(shardKey).every((field, at) => fields[at] === field);
}
