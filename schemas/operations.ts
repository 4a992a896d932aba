/** The scope of a project key: `full` is every operation, `send` and `read` are those that name them below. Admin keys have none. */
export const SCOPES = ['full', 'send', 'read'] as const;
export type Scope = (typeof SCOPES)[number];

/** Of operations that are tools of the MCP server (api/mcp). */
export interface ToolFacts {
  readOnlyHint: boolean;
  /** Whether it may overwrite, end or send something. */
  destructiveHint: boolean;
  /** Left out: made of the operation's name. */
  name?: string;
  title?: string;
  /** For the agent, behind the summary of the endpoint. */
  note?: string;
}

/** At most; an agent reads all their descriptions before each conversation. */
export const TOOLS_MAX = 40;

const reads = { readOnlyHint: true, destructiveHint: false } as const;
const changes = { readOnlyHint: false, destructiveHint: true } as const;

interface OperationFacts {
  /** The other scopes than `full` whose keys may call it. Empty too where no project key is taken: admin keys only, or public. */
  scopes: readonly Exclude<Scope, 'full'>[];
  tool?: ToolFacts;
}

/**
 * Every operation of the interface, as a user of the client says it: resource and verb. Each is one endpoint of api/routes/, and its
 * operationId. `read`: operations that change nothing and take no key of another provider. `send`: sending mail, and reading the
 * mail that the key sent.
 */
const table = {
  'projects.list': { scopes: [] },
  'projects.create': { scopes: [] },
  'projects.get': { scopes: [] },
  'projects.update': { scopes: [] },
  'projects.delete': { scopes: [] },
  'apiKeys.list': { scopes: [] },
  'apiKeys.create': { scopes: [] },
  'apiKeys.delete': { scopes: [] },

  'automations.create': { scopes: [] },
  'automations.list': { scopes: ['read'], tool: reads },
  'automations.get': { scopes: ['read'] },
  'automations.update': { scopes: [] },
  'automations.delete': { scopes: [] },
  'automations.activate': { scopes: [], tool: changes },
  'automations.pause': { scopes: [], tool: changes },
  'automations.resume': { scopes: [] },
  'automations.archive': { scopes: [] },
  'automations.simulate': { scopes: ['read'], tool: { ...reads, name: 'simulate', title: 'Simulate an automation' } },
  'automations.enrollments': { scopes: ['read'] },
  'automations.links': { scopes: ['read'] },

  'campaigns.create': {
    scopes: [],
    tool: { ...changes, note: 'It stays a draft unless sendNow, scheduledAt or publish is given.' },
  },
  'campaigns.list': { scopes: ['read'], tool: reads },
  'campaigns.get': { scopes: ['read'], tool: reads },
  'campaigns.update': { scopes: [], tool: { ...changes, note: 'sendNow, scheduledAt or publish send a draft out.' } },
  'campaigns.delete': { scopes: [] },
  'campaigns.duplicate': { scopes: [] },
  'campaigns.pause': { scopes: [], tool: changes },
  'campaigns.resume': { scopes: [], tool: changes },
  'campaigns.abort': { scopes: [] },
  'campaigns.retry': { scopes: [], tool: changes },
  'campaigns.test': { scopes: [], tool: changes },
  'campaigns.analytics': { scopes: ['read'], tool: reads },
  'campaigns.progress': { scopes: ['read'], tool: reads },
  'campaigns.watch': { scopes: ['read'] },
  'campaigns.reconcile': { scopes: ['read'], tool: { ...reads, name: 'reconcile', title: 'Recount a campaign' } },
  'campaigns.recipients': { scopes: ['read'], tool: reads },
  'campaigns.recipient': {
    scopes: ['read'],
    tool: { ...reads, name: 'why', title: 'Why a person got a campaign, or not' },
  },
  'campaigns.people': { scopes: ['read'] },
  'campaigns.links': { scopes: ['read'] },
  'campaigns.exportPeople': { scopes: ['read'] },

  'contacts.upsert': { scopes: [], tool: changes },
  'contacts.create': { scopes: [] },
  'contacts.list': { scopes: ['read'], tool: reads },
  'contacts.get': { scopes: ['read'] },
  'contacts.update': { scopes: [] },
  'contacts.delete': { scopes: [] },
  'contacts.deleteByEmail': { scopes: [] },
  'contacts.deleteByUserId': { scopes: [] },
  'contacts.bulkUpdate': { scopes: [] },
  'contacts.findByEmail': { scopes: ['read'] },
  'contacts.unsubscribeGroups': { scopes: ['read'] },
  'contacts.activity': { scopes: ['read'] },
  'contacts.import': { scopes: [] },
  'contacts.export': { scopes: ['read'] },
  'imports.get': { scopes: ['read'] },
  'imports.errors': { scopes: ['read'] },

  'contactLists.create': { scopes: [] },
  'contactLists.list': { scopes: ['read'], tool: reads },
  'contactLists.preview': { scopes: ['read'] },
  'contactLists.get': { scopes: ['read'] },
  'contactLists.update': { scopes: [] },
  'contactLists.delete': { scopes: [] },
  'contactLists.addContacts': { scopes: [] },
  'contactLists.removeContacts': { scopes: [] },
  'contactLists.searchContacts': { scopes: ['read'] },

  'customFields.create': { scopes: [] },
  'customFields.list': { scopes: ['read'] },
  'customFields.get': { scopes: ['read'] },
  'customFields.update': { scopes: [] },
  'customFields.delete': { scopes: [] },

  'domains.create': { scopes: [] },
  'domains.list': { scopes: ['read'] },
  'domains.get': { scopes: ['read'] },
  'domains.update': { scopes: [] },
  'domains.delete': { scopes: [] },
  'domains.verify': { scopes: [] },
  'domains.enableInbound': { scopes: [] },
  'domains.disableInbound': { scopes: [] },

  'emails.list': { scopes: ['send', 'read'], tool: reads },
  'emails.get': {
    scopes: ['send', 'read'],
    tool: { ...reads, note: 'Says why this mail arrived or not: its timeline with the words of the mail server.' },
  },

  'events.send': { scopes: [], tool: changes },
  'events.create': { scopes: [] },
  'events.list': { scopes: ['read'] },
  'events.get': { scopes: ['read'] },
  'events.update': { scopes: [] },
  'events.delete': { scopes: [] },

  'inbound.list': { scopes: ['read'], tool: reads },
  'inbound.get': { scopes: ['read'], tool: reads },
  'inbound.attachment': { scopes: ['read'] },
  'inbound.reply': { scopes: ['send'], tool: changes },

  /** Every key may speak to the MCP server, which offers the tools of its scope. */
  'mcp.call': { scopes: ['send', 'read'] },

  'mails.send': { scopes: ['send'], tool: changes },
  'mails.bulk': { scopes: ['send'], tool: changes },

  'migrations.planProviderA': { scopes: [] },
  'migrations.startProviderA': { scopes: [] },
  'migrations.templatesProviderA': { scopes: [] },
  'migrations.groupProviderA': { scopes: [] },
  'migrations.planProviderB': { scopes: [] },
  'migrations.startProviderB': { scopes: [] },
  'migrations.templatesProviderB': { scopes: [] },
  'migrations.list': { scopes: ['read'], tool: reads },
  'migrations.get': { scopes: ['read'], tool: reads },
  'migrations.watch': { scopes: ['read'] },
  'migrations.retry': { scopes: [], tool: changes },
  'migrations.skip': { scopes: [] },
  'migrations.cancel': { scopes: [] },

  'reports.series': { scopes: ['read'] },
  'reports.providers': { scopes: ['read'] },
  'reports.reputation': { scopes: ['read'] },

  'senders.create': { scopes: [] },
  'senders.list': { scopes: ['read'], tool: reads },
  'senders.get': { scopes: ['read'] },
  'senders.update': { scopes: [] },
  'senders.delete': { scopes: [] },

  'stream.open': { scopes: ['read'] },

  'suppressionGroups.create': { scopes: [] },
  'suppressionGroups.list': { scopes: ['read'] },
  'suppressionGroups.get': { scopes: ['read'] },
  'suppressionGroups.update': { scopes: [] },
  'suppressionGroups.delete': { scopes: [] },
  'suppressionGroups.suppress': { scopes: [], tool: changes },
  'suppressionGroups.unsuppress': { scopes: [] },
  'suppressionGroups.searchEntries': { scopes: ['read'], tool: reads },
  'suppressionGroups.exportEntries': { scopes: ['read'] },

  'templates.create': { scopes: [] },
  'templates.list': { scopes: ['read'], tool: reads },
  'templates.get': { scopes: ['read'], tool: reads },
  'templates.update': { scopes: [], tool: changes },
  'templates.delete': { scopes: [] },
  'templates.preview': { scopes: ['read'], tool: reads },
  'templates.links': { scopes: ['read'] },

  'webhooks.create': { scopes: [] },
  'webhooks.list': { scopes: ['read'], tool: reads },
  'webhooks.get': { scopes: ['read'] },
  'webhooks.update': { scopes: [] },
  'webhooks.delete': { scopes: [] },
  'webhooks.deliveries': { scopes: ['read'], tool: reads },
  'webhooks.replay': { scopes: [] },
  'webhooks.rotateSecret': { scopes: [] },
  'webhooks.test': { scopes: [] },

  'public.openPixel': { scopes: [] },
  'public.trackedLink': { scopes: [] },
  'public.unsubscribePage': { scopes: [] },
  'public.unsubscribe': { scopes: [] },
  'public.picture': { scopes: [] },
  'public.inboundAttachment': { scopes: [] },

  'system.live': { scopes: [] },
  'system.ready': { scopes: [] },
  'system.metrics': { scopes: [] },
  'system.openapi': { scopes: [] },
  'system.docs': { scopes: [] },
  'system.docsFile': { scopes: [] },
} as const satisfies Record<string, OperationFacts>;

export type OperationName = keyof typeof table;
export const operations: Readonly<Record<OperationName, OperationFacts>> = table;
export const operationNames = Object.keys(table) as OperationName[];

/** Whether a key of this scope may call the operation. */
export function isInScope(scope: Scope, name: OperationName): boolean {
  return scope === 'full' || operations[name].scopes.includes(scope);
}
