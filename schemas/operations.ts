/** The scope of a project key: `full` is every operation, `send` and `read` are those that name them below. Admin keys have none. */
export const SCOPES = ['full', 'send', 'read'] as const;
export type Scope = (typeof SCOPES)[number];

/** The roles of members, from the least to everything. Each includes the ones before it. */
export const ROLES = ['viewer', 'author', 'editor', 'owner'] as const;
export type Role = (typeof ROLES)[number];

/** Of operations that are tools of the MCP server (api/mcp). */
export interface ToolOptions {
  readOnlyHint: boolean;
  /** Whether it may overwrite, end or send something. */
  destructiveHint: boolean;
  /** Left out: made of the operation's name. */
  name?: string;
  title?: string;
  /** For the agent, behind the summary of the endpoint. */
  note?: string;
  /** Arguments that the tool sets itself, and does not take. */
  fixed?: Readonly<Record<string, unknown>>;
  /** Arguments of which the tool takes one: together they would publish a template that other mail is made of. */
  either?: readonly string[];
  /** Long arguments that another tool describes, with a description each. */
  brief?: Readonly<Record<string, string>>;
}

/** At most; an agent reads all their descriptions before each conversation. */
export const TOOLS_MAX = 40;

const reads = { readOnlyHint: true, destructiveHint: false } as const;
const changes = { readOnlyHint: false, destructiveHint: true } as const;
const AS_IN_TEMPLATES = { content: 'Content blocks, as templates_update takes them.' } as const;
const CONTENT = ['templateId', 'htmlTemplate', 'content'] as const;

interface OperationFacts {
  /** The least role of a member who may call it with a session. null: sessions are not taken. Authors are judged by effect too: schemas/author-rules.ts. */
  role: Role | null;
  /** The other scopes than `full` whose keys may call it. Empty too where no project key is taken: admin keys only, or public. */
  scopes: readonly Exclude<Scope, 'full'>[];
  tool?: ToolOptions;
}

/**
 * Every operation of the interface, as a user of the client says it: resource and verb. Each is one endpoint of api/routes/, and its
 * operationId. `read`: operations that change nothing and take no key of another provider. `send`: sending mail, and reading,
 * rescheduling and cancelling the mail that the key sent. viewer: operations that change nothing. author: preparing what an editor publishes. owner: members, keys,
 * domains, and answers with a secret.
 */
const table = {
  'projects.list': { role: 'viewer', scopes: [] },
  'projects.create': { role: 'owner', scopes: [] },
  'projects.get': { role: 'viewer', scopes: [] },
  'projects.update': { role: 'owner', scopes: [] },
  'projects.delete': { role: 'owner', scopes: [] },
  'members.list': { role: 'owner', scopes: [] },
  'members.get': { role: 'owner', scopes: [] },
  'members.create': { role: 'owner', scopes: [] },
  'members.update': { role: 'owner', scopes: [] },
  'members.delete': { role: 'owner', scopes: [] },
  'apiKeys.list': { role: 'owner', scopes: [] },
  'apiKeys.create': { role: 'owner', scopes: [] },
  'apiKeys.delete': { role: 'owner', scopes: [] },

  'automations.create': { role: 'author', scopes: [] },
  'automations.list': { role: 'viewer', scopes: ['read'], tool: reads },
  'automations.get': { role: 'viewer', scopes: ['read'] },
  'automations.update': { role: 'author', scopes: [] },
  'automations.delete': { role: 'editor', scopes: [] },
  'automations.activate': { role: 'editor', scopes: [], tool: changes },
  'automations.pause': { role: 'editor', scopes: [], tool: changes },
  'automations.resume': { role: 'editor', scopes: [] },
  'automations.archive': { role: 'editor', scopes: [] },
  'automations.simulate': {
    role: 'viewer',
    scopes: ['read'],
    tool: { ...reads, name: 'simulate', title: 'Simulate an automation' },
  },
  'automations.enrollments': { role: 'viewer', scopes: ['read'] },
  'automations.publish': { role: 'editor', scopes: [] },
  'automations.discardDraft': { role: 'author', scopes: [] },
  'automations.enroll': { role: 'editor', scopes: [] },
  'automations.enrollmentJob': { role: 'viewer', scopes: ['read'] },
  'automations.removeEnrollment': { role: 'editor', scopes: [] },
  'automations.links': { role: 'viewer', scopes: ['read'] },

  'campaigns.create': {
    role: 'author',
    scopes: [],
    tool: {
      ...changes,
      either: CONTENT,
      brief: AS_IN_TEMPLATES,
      note: 'It stays a draft unless sendNow, scheduledAt or publish is given.',
    },
  },
  'campaigns.audience': { role: 'viewer', scopes: ['read'] },
  'campaigns.list': { role: 'viewer', scopes: ['read'], tool: reads },
  'campaigns.get': { role: 'viewer', scopes: ['read'], tool: reads },
  'campaigns.update': {
    role: 'author',
    scopes: [],
    tool: {
      ...changes,
      either: CONTENT,
      brief: AS_IN_TEMPLATES,
      note: 'sendNow, scheduledAt or publish send a draft out.',
    },
  },
  'campaigns.delete': { role: 'editor', scopes: [] },
  'campaigns.duplicate': { role: 'author', scopes: [] },
  'campaigns.pause': { role: 'editor', scopes: [], tool: changes },
  'campaigns.resume': { role: 'editor', scopes: [], tool: changes },
  'campaigns.abort': { role: 'editor', scopes: [] },
  'campaigns.retry': { role: 'editor', scopes: [], tool: changes },
  'campaigns.preview': { role: 'viewer', scopes: ['read'] },
  'campaigns.test': { role: 'author', scopes: [], tool: changes },
  'campaigns.analytics': { role: 'viewer', scopes: ['read'], tool: reads },
  'campaigns.progress': { role: 'viewer', scopes: ['read'], tool: reads },
  'campaigns.watch': { role: 'viewer', scopes: ['read'] },
  'campaigns.reconcile': {
    role: 'viewer',
    scopes: ['read'],
    tool: { ...reads, name: 'reconcile', title: 'Recount a campaign' },
  },
  'campaigns.rates': { role: 'viewer', scopes: ['read'] },
  'campaigns.reasons': { role: 'viewer', scopes: ['read'] },
  'campaigns.recipients': { role: 'viewer', scopes: ['read'], tool: reads },
  'campaigns.recipient': {
    role: 'viewer',
    scopes: ['read'],
    tool: { ...reads, name: 'why', title: 'Why a person got a campaign, or not' },
  },
  'campaigns.variants': { role: 'viewer', scopes: ['read'] },
  'campaigns.winner': { role: 'editor', scopes: [] },
  'campaigns.people': { role: 'viewer', scopes: ['read'] },
  'campaigns.links': { role: 'viewer', scopes: ['read'] },
  'campaigns.exportPeople': { role: 'viewer', scopes: ['read'] },

  'contacts.upsert': { role: 'editor', scopes: [], tool: changes },
  'contacts.create': { role: 'editor', scopes: [] },
  'contacts.list': { role: 'viewer', scopes: ['read'], tool: reads },
  'contacts.get': { role: 'viewer', scopes: ['read'] },
  'contacts.update': { role: 'editor', scopes: [] },
  'contacts.delete': { role: 'editor', scopes: [] },
  'contacts.deleteByEmail': { role: 'editor', scopes: [] },
  'contacts.deleteByUserId': { role: 'editor', scopes: [] },
  'contacts.bulkUpdate': { role: 'author', scopes: [] },
  'contacts.findByEmail': { role: 'viewer', scopes: ['read'] },
  'contacts.unsubscribeGroups': { role: 'viewer', scopes: ['read'] },
  'contacts.data': { role: 'editor', scopes: [] },
  'contacts.activity': { role: 'viewer', scopes: ['read'] },
  'contacts.consents': { role: 'viewer', scopes: ['read'] },
  'contacts.import': { role: 'author', scopes: [] },
  'contacts.previewImport': { role: 'author', scopes: [] },
  'contacts.export': { role: 'viewer', scopes: ['read'] },
  'imports.list': { role: 'viewer', scopes: ['read'] },
  'imports.get': { role: 'viewer', scopes: ['read'] },
  'imports.errors': { role: 'viewer', scopes: ['read'] },

  'contactLists.create': { role: 'author', scopes: [] },
  'contactLists.list': { role: 'viewer', scopes: ['read'], tool: reads },
  'contactLists.preview': { role: 'viewer', scopes: ['read'] },
  'contactLists.get': { role: 'viewer', scopes: ['read'] },
  'contactLists.update': { role: 'editor', scopes: [] },
  'contactLists.delete': { role: 'editor', scopes: [] },
  'contactLists.addContacts': { role: 'editor', scopes: [] },
  'contactLists.removeContacts': { role: 'editor', scopes: [] },
  'contactLists.searchContacts': { role: 'viewer', scopes: ['read'] },

  'customFields.create': { role: 'editor', scopes: [] },
  'customFields.bulk': { role: 'editor', scopes: [] },
  'customFields.list': { role: 'viewer', scopes: ['read'] },
  'customFields.get': { role: 'viewer', scopes: ['read'] },
  'customFields.update': { role: 'editor', scopes: [] },
  'customFields.delete': { role: 'editor', scopes: [] },

  'domains.create': { role: 'owner', scopes: [] },
  'domains.list': { role: 'viewer', scopes: ['read'] },
  'domains.get': { role: 'viewer', scopes: ['read'] },
  'domains.update': { role: 'owner', scopes: [] },
  'domains.delete': { role: 'owner', scopes: [] },
  'domains.verify': { role: 'owner', scopes: [] },
  'domains.enableInbound': { role: 'owner', scopes: [] },
  'domains.disableInbound': { role: 'owner', scopes: [] },

  'emails.list': { role: 'viewer', scopes: ['send', 'read'], tool: reads },
  'emails.get': {
    role: 'viewer',
    scopes: ['send', 'read'],
    tool: { ...reads, note: 'Says why this mail arrived or not: its timeline with the words of the mail server.' },
  },
  'emails.content': { role: 'viewer', scopes: ['send', 'read'] },
  'emails.update': { role: 'editor', scopes: ['send'] },
  'emails.cancel': { role: 'editor', scopes: ['send'] },
  'emails.cancelBatch': { role: 'editor', scopes: ['send'] },

  'events.send': { role: 'editor', scopes: [], tool: changes },
  'events.create': { role: 'editor', scopes: [] },
  'events.list': { role: 'viewer', scopes: ['read'] },
  'events.seen': { role: 'viewer', scopes: ['read'] },
  'events.get': { role: 'viewer', scopes: ['read'] },
  'events.records': { role: 'viewer', scopes: ['read'] },
  'events.update': { role: 'editor', scopes: [] },
  'events.delete': { role: 'editor', scopes: [] },

  'forms.create': { role: 'editor', scopes: [] },
  'forms.list': { role: 'viewer', scopes: ['read'] },
  'forms.get': { role: 'viewer', scopes: ['read'] },
  'forms.preview': { role: 'viewer', scopes: ['read'] },
  'forms.update': { role: 'editor', scopes: [] },
  'forms.delete': { role: 'editor', scopes: [] },

  'inbound.list': { role: 'viewer', scopes: ['read'], tool: reads },
  'inbound.get': { role: 'viewer', scopes: ['read'], tool: reads },
  'inbound.attachment': { role: 'viewer', scopes: ['read'] },
  'inbound.preview': { role: 'viewer', scopes: ['read'] },
  'inbound.reply': { role: 'editor', scopes: ['send'], tool: changes },

  'media.upload': { role: 'author', scopes: [] },
  'media.list': { role: 'viewer', scopes: ['read'] },
  'media.delete': { role: 'editor', scopes: [] },

  /** Every key may speak to the MCP server, which offers the tools of its scope. */
  'mcp.call': { role: null, scopes: ['send', 'read'] },

  'mails.send': { role: 'editor', scopes: ['send'], tool: changes },
  'mails.bulk': { role: 'editor', scopes: ['send'], tool: changes },
  'mails.batch': { role: 'editor', scopes: ['send'] },

  'migrations.planProviderA': { role: 'editor', scopes: [] },
  'migrations.startProviderA': { role: 'editor', scopes: [] },
  'migrations.templatesProviderA': { role: 'editor', scopes: [] },
  'migrations.groupProviderA': { role: 'editor', scopes: [] },
  'migrations.planProviderB': { role: 'editor', scopes: [] },
  'migrations.startProviderB': { role: 'editor', scopes: [] },
  'migrations.templatesProviderB': { role: 'editor', scopes: [] },
  'migrations.list': { role: 'viewer', scopes: ['read'], tool: reads },
  'migrations.get': { role: 'viewer', scopes: ['read'], tool: reads },
  'migrations.watch': { role: 'viewer', scopes: ['read'] },
  'migrations.retry': { role: 'editor', scopes: [], tool: changes },
  'migrations.skip': { role: 'editor', scopes: [] },
  'migrations.cancel': { role: 'editor', scopes: [] },

  'reports.now': { role: 'viewer', scopes: ['read'] },
  'reports.health': { role: 'viewer', scopes: ['read'] },
  'reports.series': { role: 'viewer', scopes: ['read'] },
  'reports.providers': { role: 'viewer', scopes: ['read'] },
  'reports.reputation': { role: 'viewer', scopes: ['read'] },

  'senders.create': { role: 'editor', scopes: [] },
  'senders.list': { role: 'viewer', scopes: ['read'], tool: reads },
  'senders.get': { role: 'viewer', scopes: ['read'] },
  'senders.update': { role: 'editor', scopes: [] },
  'senders.delete': { role: 'editor', scopes: [] },

  'session.requestLink': { role: null, scopes: [] },
  'session.create': { role: null, scopes: [] },
  'session.get': { role: 'viewer', scopes: [] },
  'session.delete': { role: 'viewer', scopes: [] },
  'sessions.list': { role: 'viewer', scopes: [] },
  'sessions.deleteOthers': { role: 'viewer', scopes: [] },
  'sessions.delete': { role: 'viewer', scopes: [] },

  'stream.open': { role: 'viewer', scopes: ['read'] },

  'suppressionGroups.create': { role: 'editor', scopes: [] },
  'suppressionGroups.list': { role: 'viewer', scopes: ['read'] },
  'suppressionGroups.get': { role: 'viewer', scopes: ['read'] },
  'suppressionGroups.update': { role: 'editor', scopes: [] },
  'suppressionGroups.delete': { role: 'editor', scopes: [] },
  'suppressionGroups.suppress': { role: 'editor', scopes: [], tool: changes },
  'suppressionGroups.unsuppress': { role: 'editor', scopes: [] },
  'suppressionGroups.searchEntries': { role: 'viewer', scopes: ['read'], tool: reads },
  'suppressionGroups.exportEntries': { role: 'viewer', scopes: ['read'] },

  'templates.create': { role: 'author', scopes: [] },
  'templates.list': { role: 'viewer', scopes: ['read'], tool: reads },
  'templates.starters': { role: 'viewer', scopes: ['read'] },
  'templates.get': { role: 'viewer', scopes: ['read'], tool: reads },
  'templates.update': {
    role: 'author',
    scopes: [],
    tool: { ...changes, fixed: { draft: true }, note: 'It is saved as a draft, which a person publishes.' },
  },
  'templates.versions': { role: 'viewer', scopes: ['read'] },
  'templates.publish': { role: 'editor', scopes: [] },
  'templates.restore': { role: 'author', scopes: [] },
  'templates.delete': { role: 'editor', scopes: [] },
  'templates.republish': { role: 'editor', scopes: [] },
  'templates.republication': { role: 'viewer', scopes: ['read'] },
  'templates.preview': { role: 'viewer', scopes: ['read'], tool: reads },
  'templates.previewDraft': { role: 'viewer', scopes: ['read'] },
  'templates.render': { role: 'viewer', scopes: ['read'] },
  'templates.convert': { role: 'viewer', scopes: ['read'] },
  'templates.test': { role: 'author', scopes: [] },
  'templates.translations': { role: 'viewer', scopes: ['read'] },
  'templates.translation': { role: 'viewer', scopes: ['read'] },
  'templates.translate': { role: 'author', scopes: [] },
  'templates.exportTranslations': { role: 'viewer', scopes: ['read'] },
  'templates.importTranslations': { role: 'author', scopes: [] },
  'templates.deleteTranslation': { role: 'author', scopes: [] },
  'templates.links': { role: 'viewer', scopes: ['read'] },
  'layouts.create': { role: 'author', scopes: [] },
  'layouts.list': { role: 'viewer', scopes: ['read'] },
  'layouts.get': { role: 'viewer', scopes: ['read'] },
  'layouts.update': { role: 'author', scopes: [] },
  'layouts.delete': { role: 'editor', scopes: [] },
  'layouts.versions': { role: 'viewer', scopes: ['read'] },
  'layouts.publish': { role: 'editor', scopes: [] },
  'layouts.touched': { role: 'viewer', scopes: ['read'] },
  'layouts.restore': { role: 'author', scopes: [] },
  'snippets.create': { role: 'author', scopes: [] },
  'snippets.list': { role: 'viewer', scopes: ['read'] },
  'snippets.get': { role: 'viewer', scopes: ['read'] },
  'snippets.update': { role: 'author', scopes: [] },
  'snippets.delete': { role: 'editor', scopes: [] },
  'snippets.versions': { role: 'viewer', scopes: ['read'] },
  'snippets.publish': { role: 'editor', scopes: [] },
  'snippets.touched': { role: 'viewer', scopes: ['read'] },
  'snippets.restore': { role: 'author', scopes: [] },
  'brand.get': { role: 'viewer', scopes: ['read'] },
  'brand.update': { role: 'editor', scopes: [] },
  'brand.preview': { role: 'viewer', scopes: ['read'] },

  'webhooks.create': { role: 'owner', scopes: [] },
  'webhooks.list': { role: 'viewer', scopes: ['read'], tool: reads },
  'webhooks.get': { role: 'viewer', scopes: ['read'] },
  'webhooks.update': { role: 'editor', scopes: [] },
  'webhooks.delete': { role: 'editor', scopes: [] },
  'webhooks.deliveries': { role: 'viewer', scopes: ['read'], tool: reads },
  'webhooks.replay': { role: 'editor', scopes: [] },
  'webhooks.rotateSecret': { role: 'owner', scopes: [] },
  'webhooks.test': { role: 'editor', scopes: [] },

  'public.openPixel': { role: null, scopes: [] },
  'public.trackedLink': { role: null, scopes: [] },
  'public.unsubscribePage': { role: null, scopes: [] },
  'public.unsubscribe': { role: null, scopes: [] },
  'public.preferencesPage': { role: null, scopes: [] },
  'public.savePreferences': { role: null, scopes: [] },
  'public.viewInBrowser': { role: null, scopes: [] },
  'public.requestData': { role: null, scopes: [] },
  'public.dataPage': { role: null, scopes: [] },
  'public.downloadData': { role: null, scopes: [] },
  'public.signInPage': { role: null, scopes: [] },
  'public.signIn': { role: null, scopes: [] },
  'public.formPage': { role: null, scopes: [] },
  'public.submitForm': { role: null, scopes: [] },
  'public.formPreflight': { role: null, scopes: [] },
  'public.confirmPage': { role: null, scopes: [] },
  'public.confirm': { role: null, scopes: [] },
  'public.picture': { role: null, scopes: [] },
  'public.inboundAttachment': { role: null, scopes: [] },
  'public.preview': { role: null, scopes: [] },

  'system.live': { role: null, scopes: [] },
  'system.ready': { role: null, scopes: [] },
  'system.metrics': { role: null, scopes: [] },
  'system.openapi': { role: null, scopes: [] },
  'system.docs': { role: null, scopes: [] },
  'system.docsFile': { role: null, scopes: [] },
} as const satisfies Record<string, OperationFacts>;

export type OperationName = keyof typeof table;
export const operations: Readonly<Record<OperationName, OperationFacts>> = table;
export const operationNames = Object.keys(table) as OperationName[];

/** Whether a key of this scope may call the operation. */
export function isInScope(scope: Scope, name: OperationName): boolean {
  return scope === 'full' || operations[name].scopes.includes(scope);
}

/** Whether a member with this role may call the operation with a session. */
export function isInRole(role: Role, name: OperationName): boolean {
  const { role: least } = operations[name];
  return least !== null && ROLES.indexOf(role) >= ROLES.indexOf(least);
}
