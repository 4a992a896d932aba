import { setTimeout as sleep } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import type { Collections } from '../../core/base/collections.ts';
import type { Config } from '../../schemas/config.ts';
import './mongo-writes.ts';

const collectionNames: Record<keyof Collections, string> = {
  migrations: 'migrations',
  migrationSecrets: 'migrationSecrets',
  migrationLinks: 'migrationLinks',
  migrationUnsubscribed: 'migrationUnsubscribed',
  media: 'media',
  mediaFiles: 'mediaFiles',
  mediaUsage: 'mediaUsage',
  migrationPlans: 'migrationPlans',
  providerPaces: 'providerPaces',
  organizations: 'organizations',
  projects: 'projects',
  apiKeys: 'apiKeys',
  members: 'members',
  memberSessions: 'memberSessions',
  signInLinks: 'signInLinks',
  requestCounts: 'requestCounts',
  confirmations: 'confirmations',
  idempotency: 'idempotency',
  consents: 'consents',
  contacts: 'contacts',
  contactLists: 'contactLists',
  listCounts: 'listCounts',
  listRemovals: 'listRemovals',
  awaitedDates: 'awaitedDates',
  enrollmentJobs: 'enrollmentJobs',
  imports: 'imports',
  importChunks: 'importChunks',
  importErrors: 'importErrors',
  customFields: 'customFields',
  contactFacts: 'contactFacts',
  contactHistory: 'contactHistory',
  notedFacts: 'notedFacts',
  previews: 'previews',
  previewSlots: 'previewSlots',
  forms: 'forms',
  formSubmissions: 'formSubmissions',
  pendingSubscriptions: 'pendingSubscriptions',
  suppressionGroups: 'suppressionGroups',
  suppressions: 'suppressions',
  republications: 'republications',
  templates: 'templates',
  templateVersions: 'templateVersions',
  templateLanguages: 'templateLanguages',
  campaigns: 'campaigns',
  campaignContents: 'campaignContents',
  campaignBlocks: 'campaignBlocks',
  campaignClaims: 'campaignClaims',
  engagements: 'engagements',
  projectEvents: 'projectEvents',
  eventStreams: 'eventStreams',
  webhooks: 'webhooks',
  previousWebhookSecrets: 'previousWebhookSecrets',
  webhookDeliveries: 'webhookDeliveries',
  webhookHeaders: 'webhookHeaders',
  inboundMessages: 'inboundMessages',
  inboundUsage: 'inboundUsage',
  senders: 'senders',
  contents: 'contents',
  attachmentFiles: 'attachments.files',
  attachmentChunks: 'attachments.chunks',
  messages: 'messages',
  frequencyPlaces: 'frequencyPlaces',
  sandboxReports: 'sandboxReports',
  contactErasures: 'contactErasures',
  upkeep: 'upkeep',
  starts: 'starts',
  backlogSeats: 'backlogSeats',
  domains: 'domains',
  automations: 'automations',
  automationDefinitions: 'automationDefinitions',
  automationCounts: 'automationCounts',
  enrollments: 'enrollments',
  triggers: 'triggers',
  eventDefinitions: 'eventDefinitions',
  events: 'events',
  reportCounts: 'reportCounts',
  linkCounts: 'linkCounts',
  linkSets: 'linkSets',
  reportStates: 'reportStates',
  processes: 'processes',
  dataRequests: 'dataRequests',
};

interface Mongo {
  mongo: MongoClient;
  db: Collections;
}

/**
 * Does not wait for the server: a process starts, answers 503, and recovers when MongoDB is reachable. A server that stalls is noticed by
 * its heartbeats within six seconds, and operations that wait for it fail then.
 */
export function openMongo(config: Pick<Config, 'mongodbUrl' | 'mongodbDatabase'>): Mongo {
  const mongo = new MongoClient(config.mongodbUrl, {
    writeConcern: { w: 'majority', journal: true },
    retryWrites: true,
    retryReads: true,
    maxPoolSize: 50,
    // The driver has two, which open some twenty in the two seconds of the queue on a busy machine.
    maxConnecting: 25,
    waitQueueTimeoutMS: 2_000,
    serverSelectionTimeoutMS: 2_500,
    connectTimeoutMS: 5_000,
    heartbeatFrequencyMS: 1_000,
    socketTimeoutMS: 60_000,
    ignoreUndefined: true,
  });
  void connectWithRetries(mongo);
  const database = mongo.db(config.mongodbDatabase);
  const db = Object.fromEntries(
    Object.entries(collectionNames).map(([field, name]) => [field, database.collection(name)]),
  ) as unknown as Collections;
  return { mongo, db };
}

const CONNECT_AGAIN_MS = 500;

/**
 * A failed first connection leaves the driver's client closed for good (each call then says MongoTopologyClosedError), so connecting is
 * repeated.
 */
async function connectWithRetries(mongo: MongoClient): Promise<void> {
  const close = mongo.close.bind(mongo);
  let isOver = false;
  mongo.close = (...given) => {
    isOver = true;
    return close(...given);
  };
  while (!isOver) {
    try {
      await mongo.connect();
      return;
    } catch {
      await sleep(CONNECT_AGAIN_MS, undefined, { ref: false });
    }
  }
}
