// Written by `npm run openapi` from the endpoint table. A test holds it fresh.
import type { Download } from './calls/downloads.ts';
import type { Pages } from './calls/pages.ts';
import type { StreamOptions } from './calls/streams.ts';
import type { CallOptions, PostOptions } from './calls/transport.ts';
import type { Uploadable } from './calls/uploads.ts';
import type { AcceptedImport, AddContactsBody, AddedContacts, ApiKey, ApiKeysPage, Automation, AutomationLinks, AutomationsDiscardDraftQuery, AutomationsEnrollmentsQuery, AutomationsGetQuery, AutomationsListQuery, AutomationsPage, BatchMailBody, Brand, BrandPreview, BulkMailBody, BulkUpdateContactsBody, BulkUpdatedContacts, Campaign, CampaignAnalytics, CampaignAudienceBody, CampaignLinks, CampaignPeoplePage, CampaignPerson, CampaignProgress, CampaignRates, CampaignReasons, CampaignRecipient, CampaignRecipientsPage, CampaignReconciliation, CampaignVariants, CampaignWinnerBody, CampaignsExportPeopleQuery, CampaignsListQuery, CampaignsPage, CampaignsPeopleQuery, CampaignsRecipientsQuery, CancelEmailsBody, CancelledEmails, Consent, ConsentsPage, Contact, ContactActivity, ContactBody, ContactImport, ContactImportPreview, ContactImportsPage, ContactList, ContactListPreview, ContactListsListQuery, ContactListsPage, ContactsActivityQuery, ContactsExportQuery, ContactsImportQuery, ContactsListQuery, ContactsPage, ContactsPreviewImportQuery, ConvertTemplateBody, ConvertedTemplate, CountedAudience, CreateApiKeyBody, CreateAutomationBody, CreateCampaignBody, CreateContactListBody, CreateCustomFieldBody, CreateCustomFieldsBody, CreateDomainBody, CreateEventBody, CreateFormBody, CreateLayoutBody, CreateMemberBody, CreateProjectBody, CreateSenderBody, CreateSessionBody, CreateSnippetBody, CreateSuppressionGroupBody, CreateTemplateBody, CreateWebhookBody, CreatedCustomFields, CurrentSession, CustomField, CustomFieldsPage, DeleteContactsByEmailBody, DeletedContacts, Domain, DomainsListQuery, DomainsPage, DuplicateCampaignBody, Email, EmailSummary, EmailsListQuery, EmailsPage, EndedSessions, EnrollBody, Enrollment, EnrollmentJob, EnrollmentsPage, EventDefinition, EventDefinitionsPage, EventRecord, EventsListQuery, EventsRecordsQuery, FindContactsByEmailBody, Form, FormPreview, FormsPage, FoundContacts, HealthDetails, ImportsErrorsQuery, ImportsListQuery, InboundAttachmentLink, InboundListQuery, InboundMessage, InboundMessagesPage, InboundPreview, InboundPreviewQuery, LayoutsGetQuery, LayoutsListQuery, LayoutsPage, LayoutsTouchedQuery, ListContact, ListContactsPage, MailPart, Media, MediaListQuery, MediaPage, Member, MembersPage, MigrateGroupBody, MigrateTemplatesBody, MigratedGroup, MigratedTemplates, Migration, MigrationsListQuery, MigrationsPage, NewApiKey, NewWebhook, NewestEventRecords, PageQuery, PlanMigrationBody, PlanOfProviderA, PlanOfProviderB, PreviewBrandBody, PreviewCampaignBody, PreviewContactListBody, PreviewDraftBody, PreviewFormBody, PreviewTemplateBody, Project, ProjectNow, ProjectsPage, ProvidersReport, PublishAutomationBody, PublishTemplateBody, PublishedAutomation, QueuedBatch, QueuedBulk, QueuedMail, QueuedReply, QueuedTest, RecipientStory, RemoveContactsBody, RemovedContacts, RenderTemplateBody, RenderedContent, RenderedEmail, ReplayWebhookBody, ReplayedEvents, ReplyBody, ReportsNowQuery, ReportsProvidersQuery, ReportsSeriesQuery, Republication, RepublishBody, ReputationReport, RequestSignInLinkBody, RestoreTemplateBody, RetryCampaignBody, RetryMigrationBody, SearchListContactsBody, SearchSuppressionsBody, SeenEvents, SendEventBody, SendMailBody, Sender, SendersListQuery, SendersPage, Series, Session, SessionsPage, SimulateAutomationBody, Simulation, SkipPhaseBody, SnippetsGetQuery, SnippetsListQuery, SnippetsPage, SnippetsTouchedQuery, StartMigrationABody, StartMigrationBBody, StartedMigration, Starters, StreamEvent, StreamOpenQuery, SuppressBody, SuppressedEmails, Suppression, SuppressionGroup, SuppressionGroupsExportEntriesQuery, SuppressionGroupsListQuery, SuppressionGroupsPage, SuppressionsPage, Template, TemplateLinks, TemplatePreview, TemplateVersion, TemplateVersionsPage, TemplatesDeleteTranslationQuery, TemplatesExportTranslationsQuery, TemplatesGetQuery, TemplatesImportTranslationsQuery, TemplatesListQuery, TemplatesPage, TemplatesStartersQuery, TemplatesTranslationQuery, TemplatesTranslationsQuery, TestCampaignBody, TestTemplateBody, Translation, TranslationBody, Translations, UnsubscribeGroup, UnsubscribeGroupsPage, UnsuppressBody, UnsuppressedEmails, UpdateAutomationBody, UpdateBrandBody, UpdateCampaignBody, UpdateContactBody, UpdateContactListBody, UpdateCustomFieldBody, UpdateDomainBody, UpdateEmailBody, UpdateEventBody, UpdateFormBody, UpdateLayoutBody, UpdateMemberBody, UpdateProjectBody, UpdateSenderBody, UpdateSnippetBody, UpdateSuppressionGroupBody, UpdateTemplateBody, UpdateWebhookBody, UpdatedBrand, Webhook, WebhookDeliveriesPage, WebhookDelivery, WebhooksDeliveriesQuery, WebhooksPage } from './types.ts';

export interface ApiKeysCalls {
  /** Create a project key, which is shown only once */
  create(projectId: string, body: CreateApiKeyBody, options?: PostOptions): Promise<NewApiKey>;
  /** Revoke a key; it stops working within five seconds */
  delete(apiKeyId: string, options?: CallOptions): Promise<void>;
  /** List the keys of a project */
  list(projectId: string, options?: CallOptions): Pages<ApiKeysPage, ApiKey>;
}

export interface AutomationsCalls {
  /** Activate an automation, so that contacts enter it */
  activate(automationId: string, options?: PostOptions): Promise<Automation>;
  /** Archive an automation for good; its enrollments end */
  archive(automationId: string, options?: PostOptions): Promise<Automation>;
  /** Create an automation, and activate it when `active` is true */
  create(body: CreateAutomationBody, options?: PostOptions): Promise<Automation>;
  /** Delete an automation that is not active; its enrollments end */
  delete(automationId: string, options?: CallOptions): Promise<void>;
  /** Discard the draft of an automation; what runs stays as it is */
  discardDraft(automationId: string, query?: AutomationsDiscardDraftQuery, options?: CallOptions): Promise<void>;
  /** Enter up to 10,000 contacts, or all of a list or a segment, into an active automation */
  enroll(automationId: string, body?: EnrollBody, options?: PostOptions): Promise<EnrollmentJob>;
  /** Get the progress of entering contacts into an automation */
  enrollmentJob(automationId: string, jobId: string, options?: CallOptions): Promise<EnrollmentJob>;
  /** List the enrollments of an automation, each with its step, the end of its wait and its history */
  enrollments(automationId: string, query?: AutomationsEnrollmentsQuery, options?: CallOptions): Pages<EnrollmentsPage, Enrollment>;
  /** Get an automation with its statistics and the number of contacts that wait to enter, or its draft */
  get(automationId: string, query?: AutomationsGetQuery, options?: CallOptions): Promise<Automation>;
  /** Count the clicks on each link in the mails of an automation, by step */
  links(automationId: string, options?: CallOptions): Promise<AutomationLinks>;
  /** List automations, newest first */
  list(query?: AutomationsListQuery, options?: CallOptions): Pages<AutomationsPage, Automation>;
  /** Pause an automation: no contact enters, and enrolled contacts wait at their next step */
  pause(automationId: string, options?: PostOptions): Promise<Automation>;
  /** Publish the draft of an automation: it becomes the version that contacts enter */
  publish(automationId: string, body?: PublishAutomationBody, options?: PostOptions): Promise<PublishedAutomation>;
  /** Let a person leave an automation now, without their later mails */
  removeEnrollment(automationId: string, enrollmentId: string, options?: CallOptions): Promise<void>;
  /** Resume a paused automation */
  resume(automationId: string, options?: PostOptions): Promise<Automation>;
  /** Simulate the way of a contact through an automation, on a virtual clock and without sending */
  simulate(automationId: string, body?: SimulateAutomationBody, options?: PostOptions): Promise<Simulation>;
  /** Update a draft or paused automation, or with `draft` the draft of its next version */
  update(automationId: string, body: UpdateAutomationBody, options?: CallOptions): Promise<Automation>;
}

export interface BrandCalls {
  /** Get the brand of the project, which content blocks name */
  get(options?: CallOptions): Promise<Brand>;
  /** List the templates that a brand would change, without saving it */
  preview(body: PreviewBrandBody, options?: PostOptions): Promise<BrandPreview>;
  /** Change the brand, and publish templates that name it again */
  update(body: UpdateBrandBody, options?: CallOptions): Promise<UpdatedBrand>;
}

export interface CampaignsCalls {
  /** Abort a campaign for good; recipients without mail stay pending */
  abort(campaignId: string, options?: PostOptions): Promise<Campaign>;
  /** Get the counts and rates of a campaign, as last refreshed */
  analytics(campaignId: string, options?: CallOptions): Promise<CampaignAnalytics>;
  /** Count the contacts that a campaign to these lists would go to now */
  audience(body: CampaignAudienceBody, options?: PostOptions): Promise<CountedAudience>;
  /** Create a campaign */
  create(body: CreateCampaignBody, options?: PostOptions): Promise<Campaign>;
  /** Delete a campaign that is not being sent */
  delete(campaignId: string, options?: CallOptions): Promise<void>;
  /** Copy a campaign as a draft, for the same audience or for the recipients who did not open it */
  duplicate(campaignId: string, body?: DuplicateCampaignBody, options?: PostOptions): Promise<Campaign>;
  /** Download all contacts behind a figure of a campaign */
  exportPeople(campaignId: string, query: CampaignsExportPeopleQuery, options?: CallOptions): Promise<Download>;
  /** Get a campaign */
  get(campaignId: string, options?: CallOptions): Promise<Campaign>;
  /** Count the clicks on each link of a campaign */
  links(campaignId: string, options?: CallOptions): Promise<CampaignLinks>;
  /** List campaigns, newest first */
  list(query?: CampaignsListQuery, options?: CallOptions): Pages<CampaignsPage, Campaign>;
  /** Pause a campaign; the answer comes when no message is in flight */
  pause(campaignId: string, options?: PostOptions): Promise<Campaign>;
  /** List the contacts behind a figure of a campaign */
  people(campaignId: string, query: CampaignsPeopleQuery, options?: CallOptions): Pages<CampaignPeoplePage, CampaignPerson>;
  /** Show the mail of a campaign as a contact would get it */
  preview(campaignId: string, body?: PreviewCampaignBody, options?: PostOptions): Promise<TemplatePreview>;
  /** Get the current counts of a campaign by state, from the ledger */
  progress(campaignId: string, options?: CallOptions): Promise<CampaignProgress>;
  /** Get the mails, opens and clicks of a campaign in the last 15 minutes, in steps of five seconds */
  rates(campaignId: string, options?: CallOptions): Promise<CampaignRates>;
  /** Count recipients by the reason why they did not get the mail, or not yet */
  reasons(campaignId: string, options?: CallOptions): Promise<CampaignReasons>;
  /** Get the reason why a contact got the mail of a campaign, or did not */
  recipient(campaignId: string, contactId: string, options?: CallOptions): Promise<RecipientStory>;
  /** List the recipients of a campaign, each with the state of its mail */
  recipients(campaignId: string, query?: CampaignsRecipientsQuery, options?: CallOptions): Pages<CampaignRecipientsPage, CampaignRecipient>;
  /** Recount a campaign from the ledger, and compare the stored counts with it */
  reconcile(campaignId: string, options?: CallOptions): Promise<CampaignReconciliation>;
  /** Resume a paused campaign */
  resume(campaignId: string, options?: PostOptions): Promise<Campaign>;
  /** Send the failed and unknown messages of a campaign again */
  retry(campaignId: string, body: RetryCampaignBody, options?: PostOptions): Promise<Campaign>;
  /** Send a test of the campaign, as it is now, to a few addresses */
  test(campaignId: string, body: TestCampaignBody, options?: PostOptions): Promise<QueuedTest>;
  /** Change, publish or reschedule a campaign */
  update(campaignId: string, body: UpdateCampaignBody, options?: CallOptions): Promise<Campaign>;
  /** Compare the variants of a campaign, and see what its test waits for */
  variants(campaignId: string, options?: CallOptions): Promise<CampaignVariants>;
  /** Watch the progress of a campaign as server-sent events, until it is over */
  watch(campaignId: string, options?: StreamOptions): AsyncGenerator<CampaignProgress, void>;
  /** Choose the variant that the rest of the audience gets */
  winner(campaignId: string, body: CampaignWinnerBody, options?: PostOptions): Promise<CampaignVariants>;
}

export interface ContactListsCalls {
  /** Add up to 500 contacts to a list, by email or by id */
  addContacts(body: AddContactsBody, options?: PostOptions): Promise<AddedContacts>;
  /** Create a list, or a segment with filterCriteria */
  create(body: CreateContactListBody, options?: PostOptions): Promise<ContactList>;
  /** Delete a list or a segment; its contacts stay */
  delete(contactListId: string, options?: CallOptions): Promise<void>;
  /** Get a list or a segment; GLOBAL_CONTACT_LIST is the id of the list of all contacts */
  get(contactListId: string, options?: CallOptions): Promise<ContactList>;
  /** List the global list, lists and segments */
  list(query?: ContactListsListQuery, options?: CallOptions): Pages<ContactListsPage, ContactList>;
  /** Count the contacts that match a filter, and show the newest ten of them */
  preview(body: PreviewContactListBody, options?: PostOptions): Promise<ContactListPreview>;
  /** Remove contacts from a list, without deleting them */
  removeContacts(contactListId: string, body?: RemoveContactsBody, options?: PostOptions): Promise<RemovedContacts>;
  /** Search the contacts of a list, a segment or the global list by part of the email */
  searchContacts(body: SearchListContactsBody, options?: PostOptions): Pages<ListContactsPage, ListContact>;
  /** Rename a list, show it on the preference page, or change the filter of a segment */
  update(contactListId: string, body: UpdateContactListBody, options?: CallOptions): Promise<ContactList>;
}

export interface ContactsCalls {
  /** List what a contact did and how it changed, newest first */
  activity(contactId: string, query?: ContactsActivityQuery, options?: CallOptions): Promise<ContactActivity>;
  /** Create or update up to 100 contacts; each succeeds or fails by itself */
  bulkUpdate(body: BulkUpdateContactsBody, options?: PostOptions): Promise<BulkUpdatedContacts>;
  /** List the consents of a contact, newest first */
  consents(contactId: string, query?: PageQuery, options?: CallOptions): Pages<ConsentsPage, Consent>;
  /** Create a contact; an email that exists already is refused */
  create(body: ContactBody, options?: PostOptions): Promise<Contact>;
  /** Download everything that is stored about a person */
  data(contactId: string, options?: CallOptions): Promise<Download>;
  /** Delete a contact */
  delete(contactId: string, options?: CallOptions): Promise<void>;
  /** Delete contacts by email */
  deleteByEmail(body: DeleteContactsByEmailBody | string[], options?: PostOptions): Promise<DeletedContacts>;
  /** Delete all contacts with a userId */
  deleteByUserId(userId: string, options?: CallOptions): Promise<DeletedContacts>;
  /** Download all contacts */
  export(query?: ContactsExportQuery, options?: CallOptions): Promise<Download>;
  /** Find contacts by their emails */
  findByEmail(body: FindContactsByEmailBody | string[], options?: PostOptions): Promise<FoundContacts>;
  /** Get a contact */
  get(contactId: string, options?: CallOptions): Promise<Contact>;
  /** Import contacts from a CSV or NDJSON file of up to 100 MB */
  import(file: Uploadable, query?: ContactsImportQuery, options?: CallOptions): Promise<AcceptedImport>;
  /** List contacts, newest first, or search by part of an email */
  list(query?: ContactsListQuery, options?: CallOptions): Pages<ContactsPage, Contact>;
  /** Count what an import of this file would change, without writing anything */
  previewImport(file: Uploadable, query?: ContactsPreviewImportQuery, options?: CallOptions): Promise<ContactImportPreview>;
  /** List the suppression groups that hold the address of a contact */
  unsubscribeGroups(contactId: string, options?: CallOptions): Pages<UnsubscribeGroupsPage, UnsubscribeGroup>;
  /** Update a contact by id, its email included */
  update(contactId: string, body: UpdateContactBody, options?: CallOptions): Promise<Contact>;
  /** Create a contact, or update the one with this email */
  upsert(body: ContactBody, options?: PostOptions): Promise<Contact>;
}

export interface CustomFieldsCalls {
  /** Declare several fields: all of them or none; a name that is declared already keeps its field */
  bulk(body: CreateCustomFieldsBody, options?: PostOptions): Promise<CreatedCustomFields>;
  /** Declare a field; values written from now on must have its type */
  create(body: CreateCustomFieldBody, options?: PostOptions): Promise<CustomField>;
  /** Delete the declaration of a field; contacts keep their values */
  delete(customFieldId: string, options?: CallOptions): Promise<void>;
  /** Get a declared field */
  get(customFieldId: string, options?: CallOptions): Promise<CustomField>;
  /** List the declared fields, by name */
  list(query?: PageQuery, options?: CallOptions): Pages<CustomFieldsPage, CustomField>;
  /** Change the label, the description or the default value of a declared field; name and type stay */
  update(customFieldId: string, body: UpdateCustomFieldBody, options?: CallOptions): Promise<CustomField>;
}

export interface DomainsCalls {
  /** Add a sending domain; the answer has the DNS records to publish */
  create(body: CreateDomainBody, options?: PostOptions): Promise<Domain>;
  /** Delete a sending domain, with its DKIM key */
  delete(domainId: string, options?: CallOptions): Promise<void>;
  /** Stop receiving mail for a domain */
  disableInbound(domainId: string, options?: PostOptions): Promise<Domain>;
  /** Receive mail for a verified domain; the answer has the MX record to publish */
  enableInbound(domainId: string, options?: PostOptions): Promise<Domain>;
  /** Get a sending domain */
  get(domainId: string, options?: CallOptions): Promise<Domain>;
  /** List sending domains, oldest first */
  list(query?: DomainsListQuery, options?: CallOptions): Pages<DomainsPage, Domain>;
  /** Change who signs the mail of a domain: this service or the relay */
  update(domainId: string, body: UpdateDomainBody, options?: CallOptions): Promise<Domain>;
  /** Check the DNS records of a domain now; a later GET has the result */
  verify(domainId: string, options?: PostOptions): Promise<Domain>;
}

export interface EmailsCalls {
  /** Cancel an email that is not sent yet */
  cancel(emailId: string, options?: PostOptions): Promise<Email>;
  /** Cancel the emails of a bulk or batch call that are not sent yet */
  cancelBatch(body: CancelEmailsBody, options?: PostOptions): Promise<CancelledEmails>;
  /** Show an email as its recipient got it, without tracking */
  content(emailId: string, options?: CallOptions): Promise<RenderedEmail>;
  /** Get an email with its outcome and the reply of the relay */
  get(emailId: string, options?: CallOptions): Promise<Email>;
  /** List emails, newest first */
  list(query?: EmailsListQuery, options?: CallOptions): Pages<EmailsPage, EmailSummary>;
  /** Send a scheduled email at another time */
  update(emailId: string, body: UpdateEmailBody, options?: CallOptions): Promise<Email>;
}

export interface EventsCalls {
  /** Define an event and its properties */
  create(body: CreateEventBody, options?: PostOptions): Promise<EventDefinition>;
  /** Delete an event definition; recorded events stay */
  delete(eventId: string, options?: CallOptions): Promise<void>;
  /** Get an event definition */
  get(eventId: string, options?: CallOptions): Promise<EventDefinition>;
  /** List event definitions, by name */
  list(query?: EventsListQuery, options?: CallOptions): Pages<EventDefinitionsPage, EventDefinition>;
  /** List the newest recorded events of a definition */
  records(eventId: string, query?: EventsRecordsQuery, options?: CallOptions): Promise<NewestEventRecords>;
  /** List the names of custom events of the last 30 days */
  seen(options?: CallOptions): Promise<SeenEvents>;
  /** Record a custom event of a contact */
  send(body: SendEventBody, options?: PostOptions): Promise<EventRecord>;
  /** Change the description or the properties of an event definition */
  update(eventId: string, body: UpdateEventBody, options?: CallOptions): Promise<EventDefinition>;
}

export interface FormsCalls {
  /** Create a form by which people subscribe */
  create(body: CreateFormBody, options?: PostOptions): Promise<Form>;
  /** Delete a form; people who wait for their confirmation can still confirm */
  delete(formId: string, options?: CallOptions): Promise<void>;
  /** Get a form, with what to embed in a page */
  get(formId: string, options?: CallOptions): Promise<Form>;
  /** List forms, newest first */
  list(query?: PageQuery, options?: CallOptions): Pages<FormsPage, Form>;
  /** Show a page of a form that is being written, without saving it */
  preview(body: PreviewFormBody, options?: PostOptions): Promise<FormPreview>;
  /** Update a form; fields, texts and redirects are given whole */
  update(formId: string, body: UpdateFormBody, options?: CallOptions): Promise<Form>;
}

export interface ImportsCalls {
  /** Download the rows of an import that failed, with the reasons */
  errors(importId: string, query?: ImportsErrorsQuery, options?: CallOptions): Promise<Download>;
  /** Get the progress of an import */
  get(importId: string, options?: CallOptions): Promise<ContactImport>;
  /** List imports, newest first */
  list(query?: ImportsListQuery, options?: CallOptions): Pages<ContactImportsPage, ContactImport>;
}

export interface InboundCalls {
  /** Get a link to an attachment, by its index or id; it works for 15 minutes */
  attachment(inboundId: string, ref: string, options?: CallOptions): Promise<InboundAttachmentLink>;
  /** Get an inbound message */
  get(inboundId: string, options?: CallOptions): Promise<InboundMessage>;
  /** List inbound messages, newest first */
  list(query?: InboundListQuery, options?: CallOptions): Pages<InboundMessagesPage, InboundMessage>;
  /** A link to an inbound message as a page of its own, that works for ten minutes */
  preview(inboundId: string, query?: InboundPreviewQuery, options?: CallOptions): Promise<InboundPreview>;
  /** Reply to an inbound message, within its conversation */
  reply(inboundId: string, body?: ReplyBody, options?: PostOptions): Promise<QueuedReply>;
}

export interface LayoutsCalls {
  /** Create a layout, the frame of mails; {{{content}}}, or a block of type content, is the place of the mail */
  create(body: CreateLayoutBody, options?: PostOptions): Promise<MailPart>;
  /** Delete a layout that nothing uses */
  delete(layoutId: string, options?: CallOptions): Promise<void>;
  /** Get a layout, or one of its versions, with what uses it */
  get(layoutId: string, query?: LayoutsGetQuery, options?: CallOptions): Promise<MailPart>;
  /** List layouts, newest first */
  list(query?: LayoutsListQuery, options?: CallOptions): Pages<LayoutsPage, MailPart>;
  /** Publish the newest draft of a layout, for templates that are saved or published from now on */
  publish(layoutId: string, body: PublishTemplateBody, options?: PostOptions): Promise<MailPart>;
  /** Save the content of an earlier version of a layout as the newest draft */
  restore(layoutId: string, body: RestoreTemplateBody, options?: PostOptions): Promise<MailPart>;
  /** List the templates that a version of a layout, or its draft, would change if they were published again */
  touched(layoutId: string, query?: LayoutsTouchedQuery, options?: CallOptions): Promise<BrandPreview>;
  /** Update a layout, at once or as a draft; templates keep the version that they were published with */
  update(layoutId: string, body: UpdateLayoutBody, options?: CallOptions): Promise<MailPart>;
  /** List the versions of a layout, newest first */
  versions(layoutId: string, query?: PageQuery, options?: CallOptions): Pages<TemplateVersionsPage, TemplateVersion>;
}

export interface MailsCalls {
  /** Queue up to 100 different emails */
  batch(body: BatchMailBody, options?: PostOptions): Promise<QueuedBatch>;
  /** Queue an email to up to 100 recipients, each with its own data */
  bulk(body: BulkMailBody, options?: PostOptions): Promise<QueuedBulk>;
  /** Queue an email to one recipient */
  send(body: SendMailBody, options?: PostOptions): Promise<QueuedMail>;
}

export interface MediaCalls {
  /** Delete a picture that no template or automation shows */
  delete(mediaId: string, options?: CallOptions): Promise<void>;
  /** List the pictures of the project, newest first */
  list(query?: MediaListQuery, options?: CallOptions): Pages<MediaPage, Media>;
  /** Upload a picture for mails: PNG, JPEG, GIF or WebP of up to 5 MB */
  upload(file: Uploadable, options?: CallOptions): Promise<Media>;
}

export interface MembersCalls {
  /** Add a member, who may then sign in to the console */
  create(body: CreateMemberBody, options?: PostOptions): Promise<Member>;
  /** Remove a member, whose access ends within five seconds; what the member made stays */
  delete(memberId: string, options?: CallOptions): Promise<void>;
  /** Get a member of the organization */
  get(memberId: string, options?: CallOptions): Promise<Member>;
  /** List the members of the organization with their roles */
  list(query?: PageQuery, options?: CallOptions): Pages<MembersPage, Member>;
  /** Change the role of a member, within five seconds everywhere */
  update(memberId: string, body: UpdateMemberBody, options?: CallOptions): Promise<Member>;
}

export interface MigrationsCalls {
  /** Cancel a migration; everything migrated so far stays */
  cancel(migrationId: string, options?: PostOptions): Promise<Migration>;
  /** Get a migration with its phases, and its report when it is over */
  get(migrationId: string, options?: CallOptions): Promise<Migration>;
  /** Migrate one unsubscribe group of provider A at once, with its addresses if you want */
  groupProviderA(body: MigrateGroupBody, options?: PostOptions): Promise<MigratedGroup>;
  /** List migrations, newest first */
  list(query?: MigrationsListQuery, options?: CallOptions): Pages<MigrationsPage, Migration>;
  /** Preview a migration from provider A, and check its key */
  planProviderA(body: PlanMigrationBody, options?: PostOptions): Promise<PlanOfProviderA>;
  /** Preview a migration from provider B, and check its key */
  planProviderB(body: PlanMigrationBody, options?: PostOptions): Promise<PlanOfProviderB>;
  /** Continue a migration that needs attention, failed or was cancelled, where it stopped or from a phase */
  retry(migrationId: string, body?: RetryMigrationBody, options?: PostOptions): Promise<Migration>;
  /** Skip the phase that needs attention, and continue with the next one */
  skip(migrationId: string, body?: SkipPhaseBody, options?: PostOptions): Promise<Migration>;
  /** Start a migration from provider A in the background */
  startProviderA(body: StartMigrationABody, options?: PostOptions): Promise<StartedMigration>;
  /** Start a migration from provider B in the background */
  startProviderB(body: StartMigrationBBody, options?: PostOptions): Promise<StartedMigration>;
  /** Migrate selected templates of provider A at once */
  templatesProviderA(body: MigrateTemplatesBody, options?: PostOptions): Promise<MigratedTemplates>;
  /** Migrate selected templates of provider B at once */
  templatesProviderB(body: MigrateTemplatesBody, options?: PostOptions): Promise<MigratedTemplates>;
  /** Watch a migration as server-sent events */
  watch(migrationId: string, options?: StreamOptions): AsyncGenerator<Migration, void>;
}

export interface ProjectsCalls {
  /** Create a project */
  create(body: CreateProjectBody, options?: PostOptions): Promise<Project>;
  /** Delete a project; its keys stop working at once */
  delete(projectId: string, options?: CallOptions): Promise<void>;
  /** Get a project */
  get(projectId: string, options?: CallOptions): Promise<Project>;
  /** List the projects of the organization */
  list(query?: PageQuery, options?: CallOptions): Pages<ProjectsPage, Project>;
  /** Change a project: its name, its tracking defaults, and the look, language and sender of its public pages */
  update(projectId: string, body: UpdateProjectBody, options?: CallOptions): Promise<Project>;
}

export interface ReportsCalls {
  /** Get the state of servers, processes and waiting jobs */
  health(options?: CallOptions): Promise<HealthDetails>;
  /** Get rates, lanes, running campaigns, the outcomes of today and everything that needs attention */
  now(query?: ReportsNowQuery, options?: CallOptions): Promise<ProjectNow>;
  /** Count outcomes by mailbox provider */
  providers(query?: ReportsProvidersQuery, options?: CallOptions): Promise<ProvidersReport>;
  /** Compare bounces and complaints with the limits of mailbox providers */
  reputation(options?: CallOptions): Promise<ReputationReport>;
  /** Count the mail of a project by hour or day */
  series(query?: ReportsSeriesQuery, options?: CallOptions): Promise<Series>;
}

export interface SendersCalls {
  /** Create a sender on a verified domain */
  create(body: CreateSenderBody, options?: PostOptions): Promise<Sender>;
  /** Delete a sender; mail that is queued is still sent */
  delete(senderId: string, options?: CallOptions): Promise<void>;
  /** Get a sender */
  get(senderId: string, options?: CallOptions): Promise<Sender>;
  /** List senders, oldest first; all of them without page and limit */
  list(query?: SendersListQuery, options?: CallOptions): Pages<SendersPage, Sender>;
  /** Update a sender */
  update(senderId: string, body: UpdateSenderBody, options?: CallOptions): Promise<Sender>;
}

export interface SessionCalls {
  /** Sign in with the token of a link. The answer sets the cookie of a new session */
  create(body: CreateSessionBody, options?: PostOptions): Promise<CurrentSession>;
  /** Sign out */
  delete(options?: CallOptions): Promise<void>;
  /** Read the session, with its organizations and roles */
  get(options?: CallOptions): Promise<CurrentSession>;
  /** Have a sign-in link mailed. The answer is the same for an address that is unknown */
  requestLink(body: RequestSignInLinkBody, options?: PostOptions): Promise<void>;
}

export interface SessionsCalls {
  /** End a session; it stops within five seconds */
  delete(sessionId: string, options?: CallOptions): Promise<void>;
  /** End all sessions of the person but this one */
  deleteOthers(options?: CallOptions): Promise<EndedSessions>;
  /** The sessions of the person who is signed in, the newest first */
  list(query?: PageQuery, options?: CallOptions): Pages<SessionsPage, Session>;
}

export interface SnippetsCalls {
  /** Create a snippet, which mails name as {{> name}} or in a block of type snippet */
  create(body: CreateSnippetBody, options?: PostOptions): Promise<MailPart>;
  /** Delete a snippet that nothing uses */
  delete(snippetName: string, options?: CallOptions): Promise<void>;
  /** Get a snippet, or one of its versions, with what uses it */
  get(snippetName: string, query?: SnippetsGetQuery, options?: CallOptions): Promise<MailPart>;
  /** List snippets, newest first */
  list(query?: SnippetsListQuery, options?: CallOptions): Pages<SnippetsPage, MailPart>;
  /** Publish the newest draft of a snippet, for templates that are saved or published from now on */
  publish(snippetName: string, body: PublishTemplateBody, options?: PostOptions): Promise<MailPart>;
  /** Save the content of an earlier version of a snippet as the newest draft */
  restore(snippetName: string, body: RestoreTemplateBody, options?: PostOptions): Promise<MailPart>;
  /** List the templates that a version of a snippet, or its draft, would change if they were published again */
  touched(snippetName: string, query?: SnippetsTouchedQuery, options?: CallOptions): Promise<BrandPreview>;
  /** Update a snippet, at once or as a draft; templates keep the version that they were published with */
  update(snippetName: string, body: UpdateSnippetBody, options?: CallOptions): Promise<MailPart>;
  /** List the versions of a snippet, newest first */
  versions(snippetName: string, query?: PageQuery, options?: CallOptions): Pages<TemplateVersionsPage, TemplateVersion>;
}

export interface StreamCalls {
  /** Stream the events of the project as server-sent events, from now on or after Last-Event-ID */
  open(query?: StreamOpenQuery, options?: StreamOptions): AsyncGenerator<StreamEvent, void>;
}

export interface SuppressionGroupsCalls {
  /** Create a suppression group; people unsubscribe from each group separately */
  create(body: CreateSuppressionGroupBody, options?: PostOptions): Promise<SuppressionGroup>;
  /** Delete a suppression group with its entries */
  delete(groupId: string, options?: CallOptions): Promise<void>;
  /** Download all suppression entries */
  exportEntries(query?: SuppressionGroupsExportEntriesQuery, options?: CallOptions): Promise<Download>;
  /** Get a suppression group */
  get(groupId: string, options?: CallOptions): Promise<SuppressionGroup>;
  /** List suppression groups */
  list(query?: SuppressionGroupsListQuery, options?: CallOptions): Pages<SuppressionGroupsPage, SuppressionGroup>;
  /** Search suppression entries, newest first */
  searchEntries(body: SearchSuppressionsBody, options?: PostOptions): Pages<SuppressionsPage, Suppression>;
  /** Suppress addresses in a group, in the default, the global or the marketing one */
  suppress(body: SuppressBody, options?: PostOptions): Promise<SuppressedEmails>;
  /** Release addresses from a group, from the default, the global or the marketing one */
  unsuppress(body: UnsuppressBody, options?: PostOptions): Promise<UnsuppressedEmails>;
  /** Change name or description of a suppression group, or show it on the preference page */
  update(groupId: string, body: UpdateSuppressionGroupBody, options?: CallOptions): Promise<SuppressionGroup>;
}

export interface TemplatesCalls {
  /** Make content blocks of HTML or MJML, with a note for each line that they do not have; nothing is saved */
  convert(body: ConvertTemplateBody, options?: PostOptions): Promise<ConvertedTemplate>;
  /** Create a template; one with a syntax error is refused with the number of the line */
  create(body: CreateTemplateBody, options?: PostOptions): Promise<Template>;
  /** Delete a template that no campaign before its start and no active automation uses */
  delete(templateId: string, options?: CallOptions): Promise<void>;
  /** Remove a language from the draft of a template */
  deleteTranslation(templateId: string, language: string, query?: TemplatesDeleteTranslationQuery, options?: CallOptions): Promise<void>;
  /** Download the texts of a template with its languages as CSV, to be translated and imported again */
  exportTranslations(templateId: string, query?: TemplatesExportTranslationsQuery, options?: CallOptions): Promise<Download>;
  /** Get a template as it is published, or one of its versions */
  get(templateId: string, query?: TemplatesGetQuery, options?: CallOptions): Promise<Template>;
  /** Save the languages of such a file as the draft of a template, or nothing where a line is at fault */
  importTranslations(templateId: string, file: Uploadable, query?: TemplatesImportTranslationsQuery, options?: CallOptions): Promise<Translations>;
  /** Count the clicks on each link of a template, in all mail made from it */
  links(templateId: string, options?: CallOptions): Promise<TemplateLinks>;
  /** List templates, newest first */
  list(query?: TemplatesListQuery, options?: CallOptions): Pages<TemplatesPage, Template>;
  /** Render a template with data, without sending it */
  preview(templateId: string, body?: PreviewTemplateBody, options?: PostOptions): Promise<TemplatePreview>;
  /** Render a template that is being written, without saving it */
  previewDraft(body: PreviewDraftBody, options?: PostOptions): Promise<TemplatePreview>;
  /** Publish the newest draft of a template; what is sent from now on is made of it */
  publish(templateId: string, body: PublishTemplateBody, options?: PostOptions): Promise<Template>;
  /** Compile content blocks to HTML and text, without saving them */
  render(body: RenderTemplateBody, options?: PostOptions): Promise<RenderedContent>;
  /** Get the progress of publishing templates again */
  republication(republicationId: string, options?: CallOptions): Promise<Republication>;
  /** Publish templates again, with their layouts, snippets and the brand as they are now */
  republish(body: RepublishBody, options?: PostOptions): Promise<Republication>;
  /** Save the content of an earlier version as the newest draft */
  restore(templateId: string, body: RestoreTemplateBody, options?: PostOptions): Promise<Template>;
  /** List twelve mails to begin with, as content blocks */
  starters(query?: TemplatesStartersQuery, options?: CallOptions): Promise<Starters>;
  /** Send a template to a few addresses, with [Test] before its subject */
  test(templateId: string, body: TestTemplateBody, options?: PostOptions): Promise<QueuedTest>;
  /** Save a template in one language as its draft; what is left out is that of the base */
  translate(templateId: string, language: string, body: TranslationBody, options?: CallOptions): Promise<Translation>;
  /** Get a template in one language, with the texts of the base */
  translation(templateId: string, language: string, query?: TemplatesTranslationQuery, options?: CallOptions): Promise<Translation>;
  /** List the languages of a template, with what is missing in each or older than the base */
  translations(templateId: string, query?: TemplatesTranslationsQuery, options?: CallOptions): Promise<Translations>;
  /** Update a template, at once or as a draft; mail that is queued keeps the old version */
  update(templateId: string, body: UpdateTemplateBody, options?: CallOptions): Promise<Template>;
  /** List the versions of a template, newest first */
  versions(templateId: string, query?: PageQuery, options?: CallOptions): Pages<TemplateVersionsPage, TemplateVersion>;
}

export interface WebhooksCalls {
  /** Create a webhook, which posts events of the project to a URL; its secret is shown only once */
  create(body: CreateWebhookBody, options?: PostOptions): Promise<NewWebhook>;
  /** Delete a webhook; waiting deliveries are dropped */
  delete(webhookId: string, options?: CallOptions): Promise<void>;
  /** List the deliveries of the last 30 days, newest first */
  deliveries(webhookId: string, query?: WebhooksDeliveriesQuery, options?: CallOptions): Pages<WebhookDeliveriesPage, WebhookDelivery>;
  /** Get a webhook */
  get(webhookId: string, options?: CallOptions): Promise<Webhook>;
  /** List the webhooks of the project */
  list(query?: PageQuery, options?: CallOptions): Pages<WebhooksPage, Webhook>;
  /** Deliver events again, those of a time range or single ones, with the same ids */
  replay(webhookId: string, body?: ReplayWebhookBody, options?: PostOptions): Promise<ReplayedEvents>;
  /** Replace the secret of a webhook; the new one is shown only once, and both sign deliveries for 24 hours */
  rotateSecret(webhookId: string, options?: PostOptions): Promise<NewWebhook>;
  /** Deliver an event of type webhook.test once, also while the webhook is off. The delivery log has its outcome */
  test(webhookId: string, options?: PostOptions): Promise<WebhookDelivery>;
  /** Update a webhook, or turn it on or off */
  update(webhookId: string, body: UpdateWebhookBody, options?: CallOptions): Promise<Webhook>;
}

export interface Resources {
  readonly apiKeys: ApiKeysCalls;
  readonly automations: AutomationsCalls;
  readonly brand: BrandCalls;
  readonly campaigns: CampaignsCalls;
  readonly contactLists: ContactListsCalls;
  readonly contacts: ContactsCalls;
  readonly customFields: CustomFieldsCalls;
  readonly domains: DomainsCalls;
  readonly emails: EmailsCalls;
  readonly events: EventsCalls;
  readonly forms: FormsCalls;
  readonly imports: ImportsCalls;
  readonly inbound: InboundCalls;
  readonly layouts: LayoutsCalls;
  readonly mails: MailsCalls;
  readonly media: MediaCalls;
  readonly members: MembersCalls;
  readonly migrations: MigrationsCalls;
  readonly projects: ProjectsCalls;
  readonly reports: ReportsCalls;
  readonly senders: SendersCalls;
  readonly session: SessionCalls;
  readonly sessions: SessionsCalls;
  readonly snippets: SnippetsCalls;
  readonly stream: StreamCalls;
  readonly suppressionGroups: SuppressionGroupsCalls;
  readonly templates: TemplatesCalls;
  readonly webhooks: WebhooksCalls;
}
