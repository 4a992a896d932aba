import { ids, later } from './ids.ts';

/** An example of every body, by the name of its component. */

const from = { email: 'news@example.com', name: 'Example' };
const html = '<p>Hello {{firstName}}, your order {{order}} is on its way.</p>';
const apiKey = 'SG.the-key-of-the-other-provider';

const account = {
  CreateProjectBody: { name: 'Shop', trackingOpen: true, trackingClick: true },
  UpdateProjectBody: {
    trackingOpen: false,
    publicName: 'The Shop',
    logoUrl: 'https://example.com/logo.png',
    color: '#1d4fd8',
    postalAddress: 'The Shop\nMarket Square 1\n10115 Berlin',
    languageProperty: 'language',
    consentAddress: 'shortened',
    frequencyCap: { mails: 3, withinDays: 7, exceptGroupIds: [] },
    publicFrom: { email: 'hello@example.com', name: 'The Shop' },
  },
  CreateMemberBody: { email: 'ada@example.com', role: 'editor' },
  UpdateMemberBody: { role: 'author' },
  RequestSignInLinkBody: { email: 'ada@example.com' },
  CreateSessionBody: { token: 'Jf3kq0cM8mWb5t9ZsVh2xYp7uRn4aLdE6gQo1iTwCvA' },
  CreateApiKeyBody: { name: 'Web server', scope: 'send', domainName: 'example.com' },
};

const mcp = {
  McpMessage: {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'contacts_list', arguments: { search: 'ada' } },
  },
};

const brand = {
  name: 'Example Bakery',
  logoUrl: 'https://example.com/logo.png',
  postalAddress: 'Market 1\nBath',
  colours: { primary: '#7a1fa2', background: '#f2f3f5', paper: '#fdfdfd', text: '#22252a' },
  font: 'sans' as const,
  families: ['Inter'],
  links: [{ label: 'Mastodon', href: 'https://social.example.com/@bakery' }],
  footer: { unsubscribe: 'Unsubscribe', preferences: 'Preferences' },
};

const mails = {
  SendMailBody: {
    to: { email: 'ada@example.org', name: 'Ada' },
    from,
    subject: 'Order {{order}}',
    html,
    dynamicData: { order: '1042' },
    tags: [{ name: 'kind', value: 'order' }],
  },
  BulkMailBody: {
    recipients: [
      { email: 'ada@example.org', dynamicData: { order: '1042' } },
      { email: 'grace@example.org', dynamicData: { order: '1043' } },
    ],
    from,
    subject: 'Order {{order}}',
    html,
  },
  BatchMailBody: {
    mails: [
      { to: { email: 'ada@example.org' }, from, subject: 'Your invoice', html: '<p>Thank you for order 1042.</p>' },
      { to: { email: 'grace@example.org' }, from, subject: 'Your parcel', text: 'It arrives tomorrow.' },
    ],
    mode: 'partial',
  },
  ReplyBody: { from: { email: 'support@example.com', name: 'Support' }, text: 'Thank you, we are looking into it.' },
  CreateSenderBody: { email: 'news@example.com', name: 'Example', replyTo: 'support@example.com' },
  UpdateSenderBody: { name: 'Example News' },
  CreateFormBody: {
    name: 'Newsletter',
    listIds: [ids.list],
    fields: [{ name: 'firstName', label: 'First name', type: 'text' }],
    texts: { title: 'Our newsletter', consent: 'I want the newsletter of Example, once a month.' },
    allowedOrigins: ['https://www.example.com'],
  },
  UpdateFormBody: { isActive: false },
  PreviewFormBody: {
    fields: [{ name: 'firstName', label: 'First name', type: 'text' }],
    texts: { title: 'Our newsletter' },
    page: 'form',
    lang: 'de',
  },
  CreateDomainBody: { domainName: 'example.com' },
  UpdateDomainBody: { dkimSigning: 'relay' },
  CreateTemplateBody: { templateName: 'Order', emailTemplate: html, subject: 'Order {{order}}' },
  CreateLayoutBody: { name: 'News', emailTemplate: '<h1>Example</h1>{{{content}}}{{> footer}}' },
  UpdateLayoutBody: { emailTemplate: '<h1>Example News</h1>{{{content}}}{{> footer}}', draft: true },
  CreateSnippetBody: { name: 'footer', emailTemplate: '<p><a href="{{unsubscribe}}">Unsubscribe</a></p>' },
  UpdateSnippetBody: { description: 'Below every mail' },
  RepublishBody: { layoutId: 'L-0a1b2c3d4e5f60718293' },
  PublishTemplateBody: { version: 4 },
  RestoreTemplateBody: { version: 2, newestVersion: 4 },
  UpdateTemplateBody: { subject: 'Your order {{order}}' },
  TranslationBody: {
    subject: 'Votre commande {{order}}',
    texts: { hello: { spans: 'Bonjour {{firstName default="vous"}}' }, order: { spans: 'Voir la <b>commande</b>' } },
    newestVersion: 4,
  },
  RenderTemplateBody: {
    content: {
      v: 1,
      blocks: [
        {
          id: 'hello',
          type: 'heading',
          level: 1,
          spans: [{ text: 'Hello ' }, { variable: 'firstName', fallback: 'you' }],
        },
        {
          id: 'order',
          type: 'button',
          spans: [{ text: 'See your order' }],
          href: 'https://example.com/?order={{order}}',
        },
        { id: 'end', type: 'footer', unsubscribe: 'Unsubscribe' },
      ],
    },
  },
  ConvertTemplateBody: { from: 'html', source: '<h1>Hello {{firstName}}</h1><p>Your order is on its way.</p>' },
  PreviewBrandBody: brand,
  UpdateBrandBody: { ...brand, templateIds: [ids.template] },
  PreviewDraftBody: {
    emailTemplate: '<p>Hello {{firstName}}{{#if coupon}}, here is {{coupon}}{{/if}}</p>',
    subject: 'Order {{order}}',
    dynamicData: { order: '1042' },
    contactId: ids.contact,
  },
  PreviewCampaignBody: { email: 'ada@example.org' },
  TestTemplateBody: {
    emails: ['me@example.com'],
    from: { email: 'hello@example.com' },
    dynamicData: { order: '1042' },
  },
  PreviewTemplateBody: { dynamicData: { firstName: 'Ada', order: '1042' } },
};

const campaigns = {
  CampaignAudienceBody: { toLists: [ids.list], excludeLists: [ids.other], unsubscribeGroupId: ids.group },
  CreateCampaignBody: {
    name: 'March news',
    subject: 'News of March',
    from,
    htmlTemplate: '<p>Hello {{firstName}}</p><p><a href="{{unsubscribe}}">Unsubscribe</a></p>',
    toLists: [ids.list],
    publish: true,
    sendNow: true,
  },
  UpdateEmailBody: { scheduledAt: '2026-03-03T08:00:00+01:00' },
  CancelEmailsBody: { batchId: '2f1c9a50-7c34-4f0e-9f63-0a8f5f7f4b1d' },
  UpdateCampaignBody: { subject: 'News of March, and a present' },
  DuplicateCampaignBody: { to: 'notOpened' },
  TestCampaignBody: { emails: ['editor@example.com'] },
  RetryCampaignBody: { states: ['failed'] },
  CampaignWinnerBody: { variantId: 'B' },
};

const contacts = {
  ContactBody: {
    email: 'ada@example.org',
    firstName: 'Ada',
    contactProperties: { plan: 'pro' },
    listIds: [ids.list],
    consent: {
      text: 'Yes, send me the monthly news. I can unsubscribe at any time.',
      askedAt: '2026-03-02T09:29:12.000Z',
      networkAddress: '203.0.113.77',
    },
  },
  UpdateContactBody: { lastName: 'Lovelace', contactProperties: { plan: null } },
  BulkUpdateContactsBody: {
    contacts: [{ email: 'ada@example.org', firstName: 'Ada' }, { email: 'grace@example.org' }],
    runWorkflow: false,
  },
  FindContactsByEmailBody: { emails: ['ada@example.org', 'grace@example.org'] },
  DeleteContactsByEmailBody: { emails: ['ada@example.org'] },
  CreateContactListBody: { name: 'Readers', description: 'Readers of the monthly news' },
  PreviewContactListBody: {
    filterCriteria: {
      logicalOperator: 'AND',
      groups: [
        { field: 'contactProperties.plan', operator: 'equals', value: 'team' },
        { behaviour: 'humanOpened', operator: 'at_least', count: 2, withinDays: 90 },
        { behaviour: 'clicked', operator: 'never', withinDays: 90 },
      ],
    },
  },
  UpdateContactListBody: { name: 'Readers of the news' },
  AddContactsBody: { contactListId: ids.list, emails: ['ada@example.org', 'grace@example.org'] },
  RemoveContactsBody: { emails: ['grace@example.org'] },
  SearchListContactsBody: { contactListId: 'GLOBAL_CONTACT_LIST', email: 'example.org', page: 1, limit: 20 },
  CreateCustomFieldBody: { fieldName: 'plan', fieldType: 'string', defaultValue: 'free' },
  CreateCustomFieldsBody: {
    customFields: [
      { fieldName: 'plan', fieldType: 'string' },
      { fieldName: 'renewsAt', fieldType: 'date', label: 'Renews at' },
    ],
  },
  UpdateCustomFieldBody: { label: 'Plan', description: 'What the customer pays for' },
  SuppressBody: { emails: ['grace@example.org'], reason: 'MANUAL', isGlobal: true },
  UnsuppressBody: { emails: ['grace@example.org'], isGlobal: true },
  SearchSuppressionsBody: { reason: 'BOUNCE', page: 1, limit: 20 },
  CreateSuppressionGroupBody: { name: 'Monthly news', description: 'One mail a month' },
  UpdateSuppressionGroupBody: { description: 'One mail a month, and two in December' },
};

const automations = {
  CreateAutomationBody: {
    name: 'Welcome',
    entryCriteria: { type: 'contact_created' },
    steps: [
      { type: 'wait', delay: { value: 1, unit: 'hours' } },
      { type: 'email', email: { htmlTemplate: '<p>Welcome, {{firstName}}</p>', subject: 'Welcome' } },
    ],
    active: false,
  },
  UpdateAutomationBody: { name: 'Welcome, new customers', reentry: { afterDays: 90 }, existing: 'keep' },
  PublishAutomationBody: { existing: 'move', draftRevision: 3 },
  EnrollBody: { emails: ['ada@example.org', 'grace@example.org'] },
  SimulateAutomationBody: {
    contact: { email: 'ada@example.org', firstName: 'Ada' },
    changes: [{ at: '2026-03-03T09:30:00.000Z', contactProperties: { plan: 'pro' } }],
    from: '2026-03-02T09:30:00.000Z',
  },
  CreateEventBody: {
    eventName: 'order_paid',
    description: 'A customer paid',
    properties: [{ propertyName: 'amount', type: 'number' }],
  },
  UpdateEventBody: { description: 'A customer paid an order' },
  SendEventBody: { eventName: 'order_paid', email: 'ada@example.org', eventProperties: { amount: 49.9 } },
};

const migrations = {
  PlanMigrationBody: { apiKey },
  StartMigrationABody: {
    apiKey,
    migrateAll: true,
    customFieldMappings: [{ providerAFieldName: 'Plan', fieldName: 'plan', fieldType: 'string' }],
  },
  StartMigrationBBody: { apiKey: 're_the-key-of-the-other-provider', migrateAll: true },
  MigrateTemplatesBody: { apiKey, templateIds: ['d-4a1c'], onExistUpdateHTML: true },
  MigrateGroupBody: { apiKey, unsubscribeGroupId: 27_310, addEmailsInSuppression: true },
  RetryMigrationBody: { fromPhase: 'contacts' },
  SkipPhaseBody: { reason: 'The templates will be made by hand.' },
};

const webhooks = {
  CreateWebhookBody: { url: 'https://hooks.example.com/everpost', events: ['email.bounced', 'email.spam_reported'] },
  UpdateWebhookBody: { isActive: true },
  ReplayWebhookBody: { from: '2026-03-02T09:00:00.000Z', to: later },
};

export const bodyExamples: Record<string, unknown> = {
  ...account,
  ...mails,
  ...campaigns,
  ...contacts,
  ...automations,
  ...migrations,
  ...webhooks,
  ...mcp,
};
