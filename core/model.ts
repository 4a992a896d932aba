import type { ClientSession, Collection } from 'mongodb';
import type { ApiKey, IdempotencyRow, Organization, Project } from './model/accounts.ts';
import type {
  Contact,
  ContactErasure,
  ContactImport,
  CustomField,
  ImportChunk,
  ImportError,
  ListCount,
  ListRemoval,
  StoredList,
} from './model/audience.ts';
import type {
  Automation,
  AutomationCount,
  Enrollment,
  EventDefinition,
  EventRecord,
  PastDefinition,
  Trigger,
} from './model/automations.ts';
import type { Campaign, CampaignContent } from './model/campaigns.ts';
import type { Domain } from './model/domains.ts';
import type { Upkeep } from './model/due.ts';
import type {
  Engagement,
  EventStreamRow,
  InboundMessage,
  ProjectEvent,
  Webhook,
  WebhookDelivery,
} from './model/feedback.ts';
import type { Content, Message, Sender, Template } from './model/messages.ts';
import type {
  Migration,
  MigrationLink,
  MigrationSecret,
  MigrationUnsubscribed,
  ProviderPace,
} from './model/migrations.ts';
import type { Suppression, SuppressionGroup } from './model/suppressions.ts';

/** The stored shapes, one interface a noun, in core/model. The wire shapes are made from them in api/present.ts. */
export type * from './model/accounts.ts';
export type * from './model/audience.ts';
export type * from './model/automations.ts';
export type * from './model/campaigns.ts';
export type * from './model/domains.ts';
export type * from './model/due.ts';
export type * from './model/feedback.ts';
export type * from './model/messages.ts';
export type * from './model/migrations.ts';
export type * from './model/suppressions.ts';

export interface Collections {
  migrations: Collection<Migration>;
  migrationSecrets: Collection<MigrationSecret>;
  migrationLinks: Collection<MigrationLink>;
  migrationUnsubscribed: Collection<MigrationUnsubscribed>;
  providerPaces: Collection<ProviderPace>;
  organizations: Collection<Organization>;
  projects: Collection<Project>;
  apiKeys: Collection<ApiKey>;
  idempotency: Collection<IdempotencyRow>;
  contacts: Collection<Contact>;
  contactLists: Collection<StoredList>;
  listCounts: Collection<ListCount>;
  listRemovals: Collection<ListRemoval>;
  imports: Collection<ContactImport>;
  importChunks: Collection<ImportChunk>;
  importErrors: Collection<ImportError>;
  customFields: Collection<CustomField>;
  suppressionGroups: Collection<SuppressionGroup>;
  suppressions: Collection<Suppression>;
  templates: Collection<Template>;
  campaigns: Collection<Campaign>;
  campaignContents: Collection<CampaignContent>;
  engagements: Collection<Engagement>;
  projectEvents: Collection<ProjectEvent>;
  eventStreams: Collection<EventStreamRow>;
  webhooks: Collection<Webhook>;
  webhookDeliveries: Collection<WebhookDelivery>;
  inboundMessages: Collection<InboundMessage>;
  senders: Collection<Sender>;
  contents: Collection<Content>;
  messages: Collection<Message>;
  contactErasures: Collection<ContactErasure>;
  upkeep: Collection<Upkeep>;
  domains: Collection<Domain>;
  automations: Collection<Automation>;
  automationDefinitions: Collection<PastDefinition>;
  automationCounts: Collection<AutomationCount>;
  enrollments: Collection<Enrollment>;
  triggers: Collection<Trigger>;
  eventDefinitions: Collection<EventDefinition>;
  events: Collection<EventRecord>;
}

export type Session = ClientSession;
