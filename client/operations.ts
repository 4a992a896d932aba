// Written by `npm run openapi` from the endpoint table. A test holds it fresh.

export interface Operation {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** With {names} in braces, which are the first arguments of the call. */
  readonly path: string;
  /** page: the answer holds `pagination`, and its list under `entries`. upload: the body is a file. */
  readonly kind: 'json' | 'page' | 'stream' | 'download' | 'upload';
  readonly entries?: string;
  /** Whether the next argument is the body, or the query. */
  readonly takes?: 'body' | 'query';
  /** The field of the answer that is shown once: the answer to a repeat has it no more. */
  readonly secret?: string;
}

/** Resource, verb and the request that it makes. */
export const operations = {
  apiKeys: {
    create: { method: 'POST', path: '/v1/account/projects/{projectId}/api-keys', kind: 'json', takes: 'body', secret: 'key' },
    delete: { method: 'DELETE', path: '/v1/account/api-keys/{apiKeyId}', kind: 'json' },
    list: { method: 'GET', path: '/v1/account/projects/{projectId}/api-keys', kind: 'page', entries: 'apiKeys' },
  },
  automations: {
    activate: { method: 'POST', path: '/v1/automations/{automationId}/activate', kind: 'json' },
    archive: { method: 'POST', path: '/v1/automations/{automationId}/archive', kind: 'json' },
    create: { method: 'POST', path: '/v1/automations', kind: 'json', takes: 'body' },
    delete: { method: 'DELETE', path: '/v1/automations/{automationId}', kind: 'json' },
    enrollments: { method: 'GET', path: '/v1/automations/{automationId}/enrollments', kind: 'page', entries: 'enrollments', takes: 'query' },
    get: { method: 'GET', path: '/v1/automations/{automationId}', kind: 'json' },
    list: { method: 'GET', path: '/v1/automations', kind: 'page', entries: 'automations', takes: 'query' },
    pause: { method: 'POST', path: '/v1/automations/{automationId}/pause', kind: 'json' },
    resume: { method: 'POST', path: '/v1/automations/{automationId}/resume', kind: 'json' },
    simulate: { method: 'POST', path: '/v1/automations/{automationId}/simulate', kind: 'json', takes: 'body' },
    update: { method: 'PATCH', path: '/v1/automations/{automationId}', kind: 'json', takes: 'body' },
  },
  campaigns: {
    abort: { method: 'POST', path: '/v1/campaigns/{campaignId}/abort', kind: 'json' },
    analytics: { method: 'GET', path: '/v1/campaigns/{campaignId}/analytics', kind: 'json' },
    create: { method: 'POST', path: '/v1/campaigns', kind: 'json', takes: 'body' },
    delete: { method: 'DELETE', path: '/v1/campaigns/{campaignId}', kind: 'json' },
    duplicate: { method: 'POST', path: '/v1/campaigns/{campaignId}/duplicate', kind: 'json', takes: 'body' },
    exportPeople: { method: 'GET', path: '/v1/campaigns/{campaignId}/people/export', kind: 'download', takes: 'query' },
    get: { method: 'GET', path: '/v1/campaigns/{campaignId}', kind: 'json' },
    list: { method: 'GET', path: '/v1/campaigns', kind: 'page', entries: 'campaigns', takes: 'query' },
    pause: { method: 'POST', path: '/v1/campaigns/{campaignId}/pause', kind: 'json' },
    people: { method: 'GET', path: '/v1/campaigns/{campaignId}/people', kind: 'page', entries: 'people', takes: 'query' },
    progress: { method: 'GET', path: '/v1/campaigns/{campaignId}/progress', kind: 'json' },
    recipient: { method: 'GET', path: '/v1/campaigns/{campaignId}/recipients/{contactId}', kind: 'json' },
    recipients: { method: 'GET', path: '/v1/campaigns/{campaignId}/recipients', kind: 'page', entries: 'recipients', takes: 'query' },
    reconcile: { method: 'GET', path: '/v1/campaigns/{campaignId}/reconcile', kind: 'json' },
    resume: { method: 'POST', path: '/v1/campaigns/{campaignId}/resume', kind: 'json' },
    retry: { method: 'POST', path: '/v1/campaigns/{campaignId}/retry', kind: 'json', takes: 'body' },
    test: { method: 'POST', path: '/v1/campaigns/{campaignId}/test', kind: 'json', takes: 'body' },
    update: { method: 'PATCH', path: '/v1/campaigns/{campaignId}', kind: 'json', takes: 'body' },
    watch: { method: 'GET', path: '/v1/campaigns/{campaignId}/events', kind: 'stream' },
  },
  contactLists: {
    addContacts: { method: 'POST', path: '/v1/contact-lists/contacts/bulk-add', kind: 'json', takes: 'body' },
    create: { method: 'POST', path: '/v1/contact-lists', kind: 'json', takes: 'body' },
    delete: { method: 'DELETE', path: '/v1/contact-lists/{contactListId}', kind: 'json' },
    get: { method: 'GET', path: '/v1/contact-lists/{contactListId}', kind: 'json' },
    list: { method: 'GET', path: '/v1/contact-lists', kind: 'page', entries: 'lists', takes: 'query' },
    preview: { method: 'POST', path: '/v1/contact-lists/preview', kind: 'json', takes: 'body' },
    removeContacts: { method: 'POST', path: '/v1/contact-lists/{contactListId}/contacts/remove', kind: 'json', takes: 'body' },
    searchContacts: { method: 'POST', path: '/v1/contact-lists/contacts/search', kind: 'page', entries: 'contacts', takes: 'body' },
    update: { method: 'PATCH', path: '/v1/contact-lists/{contactListId}', kind: 'json', takes: 'body' },
  },
  contacts: {
    activity: { method: 'GET', path: '/v1/contacts/{contactId}/activity', kind: 'json', takes: 'query' },
    bulkUpdate: { method: 'POST', path: '/v1/contacts/bulk-update', kind: 'json', takes: 'body' },
    create: { method: 'POST', path: '/v1/contacts', kind: 'json', takes: 'body' },
    delete: { method: 'DELETE', path: '/v1/contacts/{contactId}', kind: 'json' },
    deleteByEmail: { method: 'POST', path: '/v1/contacts/remove', kind: 'json', takes: 'body' },
    deleteByUserId: { method: 'DELETE', path: '/v1/contacts/email/userId/{userId}', kind: 'json' },
    export: { method: 'GET', path: '/v1/contacts/export', kind: 'download', takes: 'query' },
    findByEmail: { method: 'POST', path: '/v1/contacts/search/emails', kind: 'json', takes: 'body' },
    get: { method: 'GET', path: '/v1/contacts/{contactId}', kind: 'json' },
    import: { method: 'POST', path: '/v1/contacts/import', kind: 'upload', takes: 'query' },
    list: { method: 'GET', path: '/v1/contacts', kind: 'page', entries: 'contacts', takes: 'query' },
    unsubscribeGroups: { method: 'GET', path: '/v1/contacts/{contactId}/unsubscribe-groups', kind: 'page', entries: 'groups' },
    update: { method: 'PATCH', path: '/v1/contacts/{contactId}', kind: 'json', takes: 'body' },
    upsert: { method: 'POST', path: '/v1/contacts/email', kind: 'json', takes: 'body' },
  },
  customFields: {
    create: { method: 'POST', path: '/v1/custom-fields', kind: 'json', takes: 'body' },
    delete: { method: 'DELETE', path: '/v1/custom-fields/{customFieldId}', kind: 'json' },
    get: { method: 'GET', path: '/v1/custom-fields/{customFieldId}', kind: 'json' },
    list: { method: 'GET', path: '/v1/custom-fields', kind: 'page', entries: 'customFields', takes: 'query' },
    update: { method: 'PATCH', path: '/v1/custom-fields/{customFieldId}', kind: 'json', takes: 'body' },
  },
  domains: {
    create: { method: 'POST', path: '/v1/domains', kind: 'json', takes: 'body' },
    delete: { method: 'DELETE', path: '/v1/domains/{domainId}', kind: 'json' },
    disableInbound: { method: 'POST', path: '/v1/domains/{domainId}/inbound/disable', kind: 'json' },
    enableInbound: { method: 'POST', path: '/v1/domains/{domainId}/inbound/enable', kind: 'json' },
    get: { method: 'GET', path: '/v1/domains/{domainId}', kind: 'json' },
    list: { method: 'GET', path: '/v1/domains', kind: 'page', entries: 'domains', takes: 'query' },
    update: { method: 'PATCH', path: '/v1/domains/{domainId}', kind: 'json', takes: 'body' },
    verify: { method: 'POST', path: '/v1/domains/{domainId}/verify', kind: 'json' },
  },
  emails: {
    get: { method: 'GET', path: '/v1/emails/{emailId}', kind: 'json' },
    list: { method: 'GET', path: '/v1/emails', kind: 'page', entries: 'emails', takes: 'query' },
  },
  events: {
    create: { method: 'POST', path: '/v1/events', kind: 'json', takes: 'body' },
    delete: { method: 'DELETE', path: '/v1/events/{eventId}', kind: 'json' },
    get: { method: 'GET', path: '/v1/events/{eventId}', kind: 'json' },
    list: { method: 'GET', path: '/v1/events', kind: 'page', entries: 'events', takes: 'query' },
    send: { method: 'POST', path: '/v1/events/send', kind: 'json', takes: 'body' },
    update: { method: 'PATCH', path: '/v1/events/{eventId}', kind: 'json', takes: 'body' },
  },
  imports: {
    errors: { method: 'GET', path: '/v1/contacts/imports/{importId}/errors', kind: 'download', takes: 'query' },
    get: { method: 'GET', path: '/v1/contacts/imports/{importId}', kind: 'json' },
  },
  inbound: {
    attachment: { method: 'GET', path: '/v1/inbound/messages/{inboundId}/attachments/{ref}', kind: 'json' },
    get: { method: 'GET', path: '/v1/inbound/messages/{inboundId}', kind: 'json' },
    list: { method: 'GET', path: '/v1/inbound/messages', kind: 'page', entries: 'items', takes: 'query' },
    reply: { method: 'POST', path: '/v1/inbound/messages/{inboundId}/reply', kind: 'json', takes: 'body' },
  },
  mails: {
    bulk: { method: 'POST', path: '/v1/mails/bulk', kind: 'json', takes: 'body' },
    send: { method: 'POST', path: '/v1/mails/send', kind: 'json', takes: 'body' },
  },
  migrations: {
    cancel: { method: 'POST', path: '/v1/migrations/{migrationId}/cancel', kind: 'json' },
    get: { method: 'GET', path: '/v1/migrations/{migrationId}', kind: 'json' },
    groupProviderA: { method: 'POST', path: '/v1/migrations/providerA/providerA-unsubscribe-group', kind: 'json', takes: 'body' },
    list: { method: 'GET', path: '/v1/migrations', kind: 'page', entries: 'migrations', takes: 'query' },
    planProviderA: { method: 'POST', path: '/v1/migrations/providerA/plan', kind: 'json', takes: 'body' },
    planProviderB: { method: 'POST', path: '/v1/migrations/providerB/plan', kind: 'json', takes: 'body' },
    retry: { method: 'POST', path: '/v1/migrations/{migrationId}/retry', kind: 'json', takes: 'body' },
    skip: { method: 'POST', path: '/v1/migrations/{migrationId}/skip', kind: 'json', takes: 'body' },
    startProviderA: { method: 'POST', path: '/v1/migrations/providerA/migrate', kind: 'json', takes: 'body' },
    startProviderB: { method: 'POST', path: '/v1/migrations/providerB/migrate', kind: 'json', takes: 'body' },
    templatesProviderA: { method: 'POST', path: '/v1/migrations/providerA/providerA-template', kind: 'json', takes: 'body' },
    templatesProviderB: { method: 'POST', path: '/v1/migrations/providerB/template', kind: 'json', takes: 'body' },
    watch: { method: 'GET', path: '/v1/migrations/{migrationId}/events', kind: 'stream' },
  },
  projects: {
    create: { method: 'POST', path: '/v1/account/projects', kind: 'json', takes: 'body' },
    delete: { method: 'DELETE', path: '/v1/account/projects/{projectId}', kind: 'json' },
    get: { method: 'GET', path: '/v1/account/projects/{projectId}', kind: 'json' },
    list: { method: 'GET', path: '/v1/account/projects', kind: 'page', entries: 'projects', takes: 'query' },
    update: { method: 'PATCH', path: '/v1/account/projects/{projectId}', kind: 'json', takes: 'body' },
  },
  reports: {
    providers: { method: 'GET', path: '/v1/reports/providers', kind: 'json', takes: 'query' },
    reputation: { method: 'GET', path: '/v1/reports/reputation', kind: 'json' },
    series: { method: 'GET', path: '/v1/reports/series', kind: 'json', takes: 'query' },
  },
  senders: {
    create: { method: 'POST', path: '/v1/senders', kind: 'json', takes: 'body' },
    delete: { method: 'DELETE', path: '/v1/senders/{senderId}', kind: 'json' },
    get: { method: 'GET', path: '/v1/senders/{senderId}', kind: 'json' },
    list: { method: 'GET', path: '/v1/senders', kind: 'page', entries: 'senders', takes: 'query' },
    update: { method: 'PATCH', path: '/v1/senders/{senderId}', kind: 'json', takes: 'body' },
  },
  stream: {
    open: { method: 'GET', path: '/v1/stream', kind: 'stream', takes: 'query' },
  },
  suppressionGroups: {
    create: { method: 'POST', path: '/v1/suppression-groups', kind: 'json', takes: 'body' },
    delete: { method: 'DELETE', path: '/v1/suppression-groups/{groupId}', kind: 'json' },
    exportEntries: { method: 'GET', path: '/v1/suppression-groups/entries/export', kind: 'download', takes: 'query' },
    get: { method: 'GET', path: '/v1/suppression-groups/{groupId}', kind: 'json' },
    list: { method: 'GET', path: '/v1/suppression-groups', kind: 'page', entries: 'groups', takes: 'query' },
    searchEntries: { method: 'POST', path: '/v1/suppression-groups/entries', kind: 'page', entries: 'entries', takes: 'body' },
    suppress: { method: 'POST', path: '/v1/suppression-groups/emails/suppress', kind: 'json', takes: 'body' },
    unsuppress: { method: 'POST', path: '/v1/suppression-groups/emails/unsuppress', kind: 'json', takes: 'body' },
    update: { method: 'PATCH', path: '/v1/suppression-groups/{groupId}', kind: 'json', takes: 'body' },
  },
  templates: {
    create: { method: 'POST', path: '/v1/templates', kind: 'json', takes: 'body' },
    delete: { method: 'DELETE', path: '/v1/templates/{templateId}', kind: 'json' },
    get: { method: 'GET', path: '/v1/templates/{templateId}', kind: 'json' },
    list: { method: 'GET', path: '/v1/templates', kind: 'page', entries: 'templates', takes: 'query' },
    preview: { method: 'POST', path: '/v1/templates/{templateId}/preview', kind: 'json', takes: 'body' },
    update: { method: 'PATCH', path: '/v1/templates/{templateId}', kind: 'json', takes: 'body' },
  },
  webhooks: {
    create: { method: 'POST', path: '/v1/webhooks', kind: 'json', takes: 'body', secret: 'secret' },
    delete: { method: 'DELETE', path: '/v1/webhooks/{webhookId}', kind: 'json' },
    deliveries: { method: 'GET', path: '/v1/webhooks/{webhookId}/deliveries', kind: 'page', entries: 'deliveries', takes: 'query' },
    get: { method: 'GET', path: '/v1/webhooks/{webhookId}', kind: 'json' },
    list: { method: 'GET', path: '/v1/webhooks', kind: 'page', entries: 'webhooks', takes: 'query' },
    replay: { method: 'POST', path: '/v1/webhooks/{webhookId}/replay', kind: 'json', takes: 'body' },
    rotateSecret: { method: 'POST', path: '/v1/webhooks/{webhookId}/rotate-secret', kind: 'json', secret: 'secret' },
    test: { method: 'POST', path: '/v1/webhooks/{webhookId}/test', kind: 'json' },
    update: { method: 'PATCH', path: '/v1/webhooks/{webhookId}', kind: 'json', takes: 'body' },
  },
} as const satisfies Record<string, Record<string, Operation>>;
