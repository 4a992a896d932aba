// Written by `npm run openapi` from the endpoint table. A test holds it fresh.
import type { Download } from './calls/downloads.ts';
import type { Pages } from './calls/pages.ts';
import type { StreamOptions } from './calls/streams.ts';
import type { CallOptions, PostOptions } from './calls/transport.ts';
import type { Uploadable } from './calls/uploads.ts';
import type { AcceptedImport, AddContactsBody, AddedContacts, ApiKey, ApiKeysPage, Automation, AutomationLinks, AutomationsEnrollmentsQuery, AutomationsListQuery, AutomationsPage, BulkMailBody, BulkUpdateContactsBody, BulkUpdatedContacts, Campaign, CampaignAnalytics, CampaignLinks, CampaignPeoplePage, CampaignPerson, CampaignProgress, CampaignRecipient, CampaignRecipientsPage, CampaignReconciliation, CampaignsExportPeopleQuery, CampaignsListQuery, CampaignsPage, CampaignsPeopleQuery, CampaignsRecipientsQuery, Contact, ContactActivity, ContactBody, ContactImport, ContactList, ContactListPreview, ContactListsListQuery, ContactListsPage, ContactsActivityQuery, ContactsExportQuery, ContactsImportQuery, ContactsListQuery, ContactsPage, CreateApiKeyBody, CreateAutomationBody, CreateCampaignBody, CreateContactListBody, CreateCustomFieldBody, CreateDomainBody, CreateEventBody, CreateProjectBody, CreateSenderBody, CreateSuppressionGroupBody, CreateTemplateBody, CreateWebhookBody, CustomField, CustomFieldsPage, DeleteContactsByEmailBody, DeletedContacts, Domain, DomainsListQuery, DomainsPage, DuplicateCampaignBody, Email, EmailSummary, EmailsListQuery, EmailsPage, Enrollment, EnrollmentsPage, EventDefinition, EventDefinitionsPage, EventRecord, FindContactsByEmailBody, FoundContacts, ImportsErrorsQuery, InboundAttachmentLink, InboundListQuery, InboundMessage, InboundMessagesPage, ListContact, ListContactsPage, MigrateGroupBody, MigrateTemplatesBody, MigratedGroup, MigratedTemplates, Migration, MigrationsListQuery, MigrationsPage, NewApiKey, NewWebhook, PageQuery, PlanMigrationBody, PlanOfProviderA, PlanOfProviderB, PreviewContactListBody, PreviewTemplateBody, Project, ProjectsPage, ProvidersReport, QueuedBulk, QueuedMail, QueuedReply, QueuedTest, RecipientStory, RemoveContactsBody, RemovedContacts, ReplayWebhookBody, ReplayedEvents, ReplyBody, ReportsProvidersQuery, ReportsSeriesQuery, ReputationReport, RetryCampaignBody, RetryMigrationBody, SearchListContactsBody, SearchSuppressionsBody, SendEventBody, SendMailBody, Sender, SendersPage, Series, SimulateAutomationBody, Simulation, SkipPhaseBody, StartMigrationABody, StartMigrationBBody, StartedMigration, StreamOpenQuery, SuppressBody, SuppressedEmails, Suppression, SuppressionGroup, SuppressionGroupsExportEntriesQuery, SuppressionGroupsPage, SuppressionsPage, Template, TemplateLinks, TemplatePreview, TemplatesListQuery, TemplatesPage, TestCampaignBody, UnsubscribeGroup, UnsubscribeGroupsPage, UnsuppressBody, UnsuppressedEmails, UpdateAutomationBody, UpdateCampaignBody, UpdateContactBody, UpdateContactListBody, UpdateCustomFieldBody, UpdateDomainBody, UpdateEventBody, UpdateProjectBody, UpdateSenderBody, UpdateSuppressionGroupBody, UpdateTemplateBody, UpdateWebhookBody, Webhook, WebhookDeliveriesPage, WebhookDelivery, WebhookEvent, WebhooksDeliveriesQuery, WebhooksPage } from './types.ts';

export interface ApiKeysCalls {
  /** Create a project key; it is shown this once */
  create(projectId: string, body: CreateApiKeyBody, options?: PostOptions): Promise<NewApiKey>;
  /** Revoke a key; it stops within five seconds */
  delete(apiKeyId: string, options?: CallOptions): Promise<void>;
  /** List the keys of a project */
  list(projectId: string, options?: CallOptions): Pages<ApiKeysPage, ApiKey>;
}

export interface AutomationsCalls {
  /** Let people in */
  activate(automationId: string, options?: PostOptions): Promise<Automation>;
  /** End an automation for good; people inside leave it */
  archive(automationId: string, options?: PostOptions): Promise<Automation>;
  /** Create an automation, and activate it when `active` is true */
  create(body: CreateAutomationBody, options?: PostOptions): Promise<Automation>;
  /** Delete an automation that is not active; people inside leave it */
  delete(automationId: string, options?: CallOptions): Promise<void>;
  /** List the people of an automation, each with step, end of the wait and history */
  enrollments(automationId: string, query?: AutomationsEnrollmentsQuery, options?: CallOptions): Pages<EnrollmentsPage, Enrollment>;
  /** Get an automation with its statistics and what waits to enter */
  get(automationId: string, options?: CallOptions): Promise<Automation>;
  /** The clicks on each link of the mails of an automation, by step */
  links(automationId: string, options?: CallOptions): Promise<AutomationLinks>;
  /** List automations, newest first */
  list(query?: AutomationsListQuery, options?: CallOptions): Pages<AutomationsPage, Automation>;
  /** Stop entries; people inside wait at their next step */
  pause(automationId: string, options?: PostOptions): Promise<Automation>;
  /** Resume a paused automation */
  resume(automationId: string, options?: PostOptions): Promise<Automation>;
  /** Say what would happen to a contact, on a virtual clock and without sending */
  simulate(automationId: string, body?: SimulateAutomationBody, options?: PostOptions): Promise<Simulation>;
  /** Change a draft or paused automation */
  update(automationId: string, body: UpdateAutomationBody, options?: CallOptions): Promise<Automation>;
}

export interface CampaignsCalls {
  /** End it for good; what was not sent stays pending */
  abort(campaignId: string, options?: PostOptions): Promise<Campaign>;
  /** The counts and rates of a campaign, as last refreshed */
  analytics(campaignId: string, options?: CallOptions): Promise<CampaignAnalytics>;
  /** Create a campaign */
  create(body: CreateCampaignBody, options?: PostOptions): Promise<Campaign>;
  /** Delete a campaign that is not under way */
  delete(campaignId: string, options?: CallOptions): Promise<void>;
  /** Copy a campaign as a draft, for its audience or for those of it who did not open */
  duplicate(campaignId: string, body?: DuplicateCampaignBody, options?: PostOptions): Promise<Campaign>;
  /** Download all people behind a figure of a campaign */
  exportPeople(campaignId: string, query: CampaignsExportPeopleQuery, options?: CallOptions): Promise<Download>;
  /** Get a campaign */
  get(campaignId: string, options?: CallOptions): Promise<Campaign>;
  /** The clicks on each link of a campaign */
  links(campaignId: string, options?: CallOptions): Promise<CampaignLinks>;
  /** List campaigns, newest first */
  list(query?: CampaignsListQuery, options?: CallOptions): Pages<CampaignsPage, Campaign>;
  /** Pause; the answer comes when nothing is in flight */
  pause(campaignId: string, options?: PostOptions): Promise<Campaign>;
  /** The people behind a figure of a campaign */
  people(campaignId: string, query: CampaignsPeopleQuery, options?: CallOptions): Pages<CampaignPeoplePage, CampaignPerson>;
  /** Counts by state, read from the ledger now */
  progress(campaignId: string, options?: CallOptions): Promise<CampaignProgress>;
  /** Why this person got it, or not */
  recipient(campaignId: string, contactId: string, options?: CallOptions): Promise<RecipientStory>;
  /** Everybody of the audience, with what became of the mail */
  recipients(campaignId: string, query?: CampaignsRecipientsQuery, options?: CallOptions): Pages<CampaignRecipientsPage, CampaignRecipient>;
  /** Recount the ledger and show what the stored numbers say differently */
  reconcile(campaignId: string, options?: CallOptions): Promise<CampaignReconciliation>;
  /** Resume where it was paused */
  resume(campaignId: string, options?: PostOptions): Promise<Campaign>;
  /** Send again only what failed or is unknown */
  retry(campaignId: string, body: RetryCampaignBody, options?: PostOptions): Promise<Campaign>;
  /** Send the campaign as it is now to a few addresses */
  test(campaignId: string, body: TestCampaignBody, options?: PostOptions): Promise<QueuedTest>;
  /** Change, publish or reschedule a campaign */
  update(campaignId: string, body: UpdateCampaignBody, options?: CallOptions): Promise<Campaign>;
  /** Progress as server-sent events, until the campaign is over */
  watch(campaignId: string, options?: StreamOptions): AsyncGenerator<CampaignProgress, void>;
}

export interface ContactListsCalls {
  /** Add up to 500 contacts to a list, by email or by id */
  addContacts(body: AddContactsBody, options?: PostOptions): Promise<AddedContacts>;
  /** Create a list, or a segment with filterCriteria */
  create(body: CreateContactListBody, options?: PostOptions): Promise<ContactList>;
  /** Delete a list or a segment; its contacts stay */
  delete(contactListId: string, options?: CallOptions): Promise<void>;
  /** Get a list or a segment; GLOBAL_CONTACT_LIST names the list of all contacts */
  get(contactListId: string, options?: CallOptions): Promise<ContactList>;
  /** List the global list, lists and segments */
  list(query?: ContactListsListQuery, options?: CallOptions): Pages<ContactListsPage, ContactList>;
  /** Count the contacts that a filter would take, and show the newest ten of them */
  preview(body: PreviewContactListBody, options?: PostOptions): Promise<ContactListPreview>;
  /** Remove contacts from a list; they stay contacts */
  removeContacts(contactListId: string, body?: RemoveContactsBody, options?: PostOptions): Promise<RemovedContacts>;
  /** Search the contacts of a list, a segment or the global list by part of the email */
  searchContacts(body: SearchListContactsBody, options?: PostOptions): Pages<ListContactsPage, ListContact>;
  /** Rename a list, or change the filter of a segment */
  update(contactListId: string, body: UpdateContactListBody, options?: CallOptions): Promise<ContactList>;
}

export interface ContactsCalls {
  /** The acts of a contact and the changes of it, newest first */
  activity(contactId: string, query?: ContactsActivityQuery, options?: CallOptions): Promise<ContactActivity>;
  /** Create or update up to 100 contacts; one that fails, fails alone */
  bulkUpdate(body: BulkUpdateContactsBody, options?: PostOptions): Promise<BulkUpdatedContacts>;
  /** Create a contact; an email that is known is refused */
  create(body: ContactBody, options?: PostOptions): Promise<Contact>;
  /** Delete a contact */
  delete(contactId: string, options?: CallOptions): Promise<void>;
  /** Delete contacts by email */
  deleteByEmail(body: DeleteContactsByEmailBody | string[], options?: PostOptions): Promise<DeletedContacts>;
  /** Delete every contact that carries this userId */
  deleteByUserId(userId: string, options?: CallOptions): Promise<DeletedContacts>;
  /** Download every contact */
  export(query?: ContactsExportQuery, options?: CallOptions): Promise<Download>;
  /** Find contacts by their emails */
  findByEmail(body: FindContactsByEmailBody | string[], options?: PostOptions): Promise<FoundContacts>;
  /** Get a contact */
  get(contactId: string, options?: CallOptions): Promise<Contact>;
  /** Import contacts from a CSV or NDJSON file of up to 100 MB */
  import(file: Uploadable, query?: ContactsImportQuery, options?: CallOptions): Promise<AcceptedImport>;
  /** List contacts, newest first, or search by part of an email */
  list(query?: ContactsListQuery, options?: CallOptions): Pages<ContactsPage, Contact>;
  /** The suppression groups that hold the address of a contact */
  unsubscribeGroups(contactId: string, options?: CallOptions): Pages<UnsubscribeGroupsPage, UnsubscribeGroup>;
  /** Update a contact by id, its email too */
  update(contactId: string, body: UpdateContactBody, options?: CallOptions): Promise<Contact>;
  /** Create a contact, or update the one with this email */
  upsert(body: ContactBody, options?: PostOptions): Promise<Contact>;
}

export interface CustomFieldsCalls {
  /** Declare a field: values that contacts get from now on are held to its type */
  create(body: CreateCustomFieldBody, options?: PostOptions): Promise<CustomField>;
  /** Take the declaration back; values stay with the contacts */
  delete(customFieldId: string, options?: CallOptions): Promise<void>;
  /** Get a declared field */
  get(customFieldId: string, options?: CallOptions): Promise<CustomField>;
  /** List the declared fields, by name */
  list(query?: PageQuery, options?: CallOptions): Pages<CustomFieldsPage, CustomField>;
  /** Change description or default value; name and type stay */
  update(customFieldId: string, body: UpdateCustomFieldBody, options?: CallOptions): Promise<CustomField>;
}

export interface DomainsCalls {
  /** Add a sending domain; the answer says which DNS records to publish */
  create(body: CreateDomainBody, options?: PostOptions): Promise<Domain>;
  /** Delete a sending domain, with its DKIM key */
  delete(domainId: string, options?: CallOptions): Promise<void>;
  /** Stop receiving mail for a domain */
  disableInbound(domainId: string, options?: PostOptions): Promise<Domain>;
  /** Receive mail for a verified domain; the answer holds the MX record to publish */
  enableInbound(domainId: string, options?: PostOptions): Promise<Domain>;
  /** Get a sending domain */
  get(domainId: string, options?: CallOptions): Promise<Domain>;
  /** List sending domains, oldest first */
  list(query?: DomainsListQuery, options?: CallOptions): Pages<DomainsPage, Domain>;
  /** Say who signs the mail of a domain */
  update(domainId: string, body: UpdateDomainBody, options?: CallOptions): Promise<Domain>;
  /** Look up the DNS records now; the result comes with a later GET */
  verify(domainId: string, options?: PostOptions): Promise<Domain>;
}

export interface EmailsCalls {
  /** Get an email: why it arrived, or did not, with the reply of the relay */
  get(emailId: string, options?: CallOptions): Promise<Email>;
  /** List emails, newest first */
  list(query?: EmailsListQuery, options?: CallOptions): Pages<EmailsPage, EmailSummary>;
}

export interface EventsCalls {
  /** Define an event and its properties */
  create(body: CreateEventBody, options?: PostOptions): Promise<EventDefinition>;
  /** Delete an event definition; recorded events stay */
  delete(eventId: string, options?: CallOptions): Promise<void>;
  /** Get an event definition */
  get(eventId: string, options?: CallOptions): Promise<EventDefinition>;
  /** List event definitions, by name */
  list(query?: PageQuery, options?: CallOptions): Pages<EventDefinitionsPage, EventDefinition>;
  /** Record a custom event of a contact */
  send(body: SendEventBody, options?: PostOptions): Promise<EventRecord>;
  /** Change description or properties of an event definition */
  update(eventId: string, body: UpdateEventBody, options?: CallOptions): Promise<EventDefinition>;
}

export interface ImportsCalls {
  /** Download the rows that failed, with their reasons */
  errors(importId: string, query?: ImportsErrorsQuery, options?: CallOptions): Promise<Download>;
  /** How far an import is */
  get(importId: string, options?: CallOptions): Promise<ContactImport>;
}

export interface InboundCalls {
  /** A link to an attachment, by its index or id, that works for 15 minutes */
  attachment(inboundId: string, ref: string, options?: CallOptions): Promise<InboundAttachmentLink>;
  /** One inbound message */
  get(inboundId: string, options?: CallOptions): Promise<InboundMessage>;
  /** Inbound messages, newest first */
  list(query?: InboundListQuery, options?: CallOptions): Pages<InboundMessagesPage, InboundMessage>;
  /** Reply to an inbound message, within its conversation */
  reply(inboundId: string, body?: ReplyBody, options?: PostOptions): Promise<QueuedReply>;
}

export interface MailsCalls {
  /** Queue an email to up to 100 recipients, each with data of its own */
  bulk(body: BulkMailBody, options?: PostOptions): Promise<QueuedBulk>;
  /** Queue an email to one recipient */
  send(body: SendMailBody, options?: PostOptions): Promise<QueuedMail>;
}

export interface MigrationsCalls {
  /** End a migration; what was migrated stays */
  cancel(migrationId: string, options?: PostOptions): Promise<Migration>;
  /** Get a migration with its phases, and its report when it is over */
  get(migrationId: string, options?: CallOptions): Promise<Migration>;
  /** Migrate one unsubscribe group of provider A at once, with its addresses when asked */
  groupProviderA(body: MigrateGroupBody, options?: PostOptions): Promise<MigratedGroup>;
  /** List migrations, newest first */
  list(query?: MigrationsListQuery, options?: CallOptions): Pages<MigrationsPage, Migration>;
  /** See what can be migrated from provider A, and whether its key is good */
  planProviderA(body: PlanMigrationBody, options?: PostOptions): Promise<PlanOfProviderA>;
  /** See what can be migrated from provider B, and whether its key is good */
  planProviderB(body: PlanMigrationBody, options?: PostOptions): Promise<PlanOfProviderB>;
  /** Continue a migration that holds, failed or was cancelled, where it stopped or from a phase */
  retry(migrationId: string, body?: RetryMigrationBody, options?: PostOptions): Promise<Migration>;
  /** Leave out the phase that holds, and continue with the next */
  skip(migrationId: string, body?: SkipPhaseBody, options?: PostOptions): Promise<Migration>;
  /** Start a migration from provider A in the background */
  startProviderA(body: StartMigrationABody, options?: PostOptions): Promise<StartedMigration>;
  /** Start a migration from provider B in the background */
  startProviderB(body: StartMigrationBBody, options?: PostOptions): Promise<StartedMigration>;
  /** Migrate selected templates of provider A at once */
  templatesProviderA(body: MigrateTemplatesBody, options?: PostOptions): Promise<MigratedTemplates>;
  /** Migrate selected templates of provider B at once */
  templatesProviderB(body: MigrateTemplatesBody, options?: PostOptions): Promise<MigratedTemplates>;
  /** Watch a migration */
  watch(migrationId: string, options?: StreamOptions): AsyncGenerator<Migration, void>;
}

export interface ProjectsCalls {
  /** Create a project */
  create(body: CreateProjectBody, options?: PostOptions): Promise<Project>;
  /** Delete a project; its keys stop at once */
  delete(projectId: string, options?: CallOptions): Promise<void>;
  /** Get a project */
  get(projectId: string, options?: CallOptions): Promise<Project>;
  /** List the projects of the organization */
  list(query?: PageQuery, options?: CallOptions): Pages<ProjectsPage, Project>;
  /** Change name or tracking defaults of a project */
  update(projectId: string, body: UpdateProjectBody, options?: CallOptions): Promise<Project>;
}

export interface ReportsCalls {
  /** Outcomes by mailbox provider */
  providers(query?: ReportsProvidersQuery, options?: CallOptions): Promise<ProvidersReport>;
  /** Bounces and complaints against the limits of receivers */
  reputation(options?: CallOptions): Promise<ReputationReport>;
  /** Counts by hour or day */
  series(query?: ReportsSeriesQuery, options?: CallOptions): Promise<Series>;
}

export interface SendersCalls {
  /** Create a sender on a verified domain */
  create(body: CreateSenderBody, options?: PostOptions): Promise<Sender>;
  /** Delete a sender; mail that is queued goes out all the same */
  delete(senderId: string, options?: CallOptions): Promise<void>;
  /** Get a sender */
  get(senderId: string, options?: CallOptions): Promise<Sender>;
  /** List senders, oldest first */
  list(query?: PageQuery, options?: CallOptions): Pages<SendersPage, Sender>;
  /** Update a sender */
  update(senderId: string, body: UpdateSenderBody, options?: CallOptions): Promise<Sender>;
}

export interface StreamCalls {
  /** Every event of the project as server-sent events, from now on or after Last-Event-ID */
  open(query?: StreamOpenQuery, options?: StreamOptions): AsyncGenerator<WebhookEvent, void>;
}

export interface SuppressionGroupsCalls {
  /** Create a group that people can leave without leaving the others */
  create(body: CreateSuppressionGroupBody, options?: PostOptions): Promise<SuppressionGroup>;
  /** Delete a group with its entries */
  delete(groupId: string, options?: CallOptions): Promise<void>;
  /** Download every suppression entry */
  exportEntries(query?: SuppressionGroupsExportEntriesQuery, options?: CallOptions): Promise<Download>;
  /** Get a group */
  get(groupId: string, options?: CallOptions): Promise<SuppressionGroup>;
  /** List the groups */
  list(query?: PageQuery, options?: CallOptions): Pages<SuppressionGroupsPage, SuppressionGroup>;
  /** Search suppression entries, newest first */
  searchEntries(body: SearchSuppressionsBody, options?: PostOptions): Pages<SuppressionsPage, Suppression>;
  /** Suppress addresses in a group, in the default group or in the global one */
  suppress(body: SuppressBody, options?: PostOptions): Promise<SuppressedEmails>;
  /** Release addresses from a group, from the default group or from the global one */
  unsuppress(body: UnsuppressBody, options?: PostOptions): Promise<UnsuppressedEmails>;
  /** Change name or description of a group */
  update(groupId: string, body: UpdateSuppressionGroupBody, options?: CallOptions): Promise<SuppressionGroup>;
}

export interface TemplatesCalls {
  /** Create a template; a source that does not parse is refused with the line */
  create(body: CreateTemplateBody, options?: PostOptions): Promise<Template>;
  /** Delete a template that no draft, schedule or active automation uses */
  delete(templateId: string, options?: CallOptions): Promise<void>;
  /** Get a template */
  get(templateId: string, options?: CallOptions): Promise<Template>;
  /** The clicks on each link of a template, in all mail made of it */
  links(templateId: string, options?: CallOptions): Promise<TemplateLinks>;
  /** List templates, newest first */
  list(query?: TemplatesListQuery, options?: CallOptions): Pages<TemplatesPage, Template>;
  /** Render a template with data, without sending it */
  preview(templateId: string, body?: PreviewTemplateBody, options?: PostOptions): Promise<TemplatePreview>;
  /** Update a template; mail that is queued keeps what it was queued with */
  update(templateId: string, body: UpdateTemplateBody, options?: CallOptions): Promise<Template>;
}

export interface WebhooksCalls {
  /** Have events of the project posted to a URL. The secret is shown once */
  create(body: CreateWebhookBody, options?: PostOptions): Promise<NewWebhook>;
  /** Delete a webhook. Events that wait for it are not delivered any more */
  delete(webhookId: string, options?: CallOptions): Promise<void>;
  /** The delivery log, newest first, kept for 30 days */
  deliveries(webhookId: string, query?: WebhooksDeliveriesQuery, options?: CallOptions): Pages<WebhookDeliveriesPage, WebhookDelivery>;
  /** One webhook */
  get(webhookId: string, options?: CallOptions): Promise<Webhook>;
  /** The webhooks of the project */
  list(query?: PageQuery, options?: CallOptions): Pages<WebhooksPage, Webhook>;
  /** Deliver the events of a time range again, under the same ids */
  replay(webhookId: string, body: ReplayWebhookBody, options?: PostOptions): Promise<ReplayedEvents>;
  /** Replace the secret. The new one is shown once; for 24 hours deliveries are signed with both */
  rotateSecret(webhookId: string, options?: PostOptions): Promise<NewWebhook>;
  /** Deliver an event of type webhook.test once, also while the webhook is off. The delivery log has its outcome */
  test(webhookId: string, options?: PostOptions): Promise<WebhookDelivery>;
  /** Change a webhook, or switch it off and on */
  update(webhookId: string, body: UpdateWebhookBody, options?: CallOptions): Promise<Webhook>;
}

export interface Resources {
  readonly apiKeys: ApiKeysCalls;
  readonly automations: AutomationsCalls;
  readonly campaigns: CampaignsCalls;
  readonly contactLists: ContactListsCalls;
  readonly contacts: ContactsCalls;
  readonly customFields: CustomFieldsCalls;
  readonly domains: DomainsCalls;
  readonly emails: EmailsCalls;
  readonly events: EventsCalls;
  readonly imports: ImportsCalls;
  readonly inbound: InboundCalls;
  readonly mails: MailsCalls;
  readonly migrations: MigrationsCalls;
  readonly projects: ProjectsCalls;
  readonly reports: ReportsCalls;
  readonly senders: SendersCalls;
  readonly stream: StreamCalls;
  readonly suppressionGroups: SuppressionGroupsCalls;
  readonly templates: TemplatesCalls;
  readonly webhooks: WebhooksCalls;
}
