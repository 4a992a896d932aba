/** The scope of a project key: `full` is every operation, `send` and `read` are those that name them below. Admin keys have none. */
export const SCOPES = ['full', 'send', 'read'] as const;
export type Scope = (typeof SCOPES)[number];

/** Of operations that are tools of the MCP server. */
interface ToolFacts {
  readOnlyHint: boolean;
  destructiveHint: boolean;
}

export interface OperationFacts {
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
  'automations.list': { scopes: ['read'] },
  'automations.get': { scopes: ['read'] },
  'automations.update': { scopes: [] },
  'automations.delete': { scopes: [] },
  'automations.activate': { scopes: [] },
  'automations.pause': { scopes: [] },
  'automations.resume': { scopes: [] },
  'automations.archive': { scopes: [] },
  'automations.simulate': { scopes: ['read'] },
  'automations.enrollments': { scopes: ['read'] },

  'campaigns.create': { scopes: [] },
  'campaigns.list': { scopes: ['read'] },
  'campaigns.get': { scopes: ['read'] },
  'campaigns.update': { scopes: [] },
  'campaigns.delete': { scopes: [] },
  'campaigns.duplicate': { scopes: [] },
  'campaigns.pause': { scopes: [] },
  'campaigns.resume': { scopes: [] },
  'campaigns.abort': { scopes: [] },
  'campaigns.retry': { scopes: [] },
  'campaigns.test': { scopes: [] },
  'campaigns.analytics': { scopes: ['read'] },
  'campaigns.progress': { scopes: ['read'] },
  'campaigns.watch': { scopes: ['read'] },
  'campaigns.reconcile': { scopes: ['read'] },
  'campaigns.recipients': { scopes: ['read'] },
  'campaigns.recipient': { scopes: ['read'] },
  'campaigns.people': { scopes: ['read'] },
  'campaigns.exportPeople': { scopes: ['read'] },

  'contacts.upsert': { scopes: [] },
  'contacts.create': { scopes: [] },
  'contacts.list': { scopes: ['read'] },
  'contacts.get': { scopes: ['read'] },
  'contacts.update': { scopes: [] },
  'contacts.delete': { scopes: [] },
  'contacts.deleteByEmail': { scopes: [] },
  'contacts.deleteByUserId': { scopes: [] },
  'contacts.bulkUpdate': { scopes: [] },
  'contacts.findByEmail': { scopes: ['read'] },
  'contacts.unsubscribeGroups': { scopes: ['read'] },
  'contacts.import': { scopes: [] },
  'contacts.export': { scopes: ['read'] },
  'imports.get': { scopes: ['read'] },
  'imports.errors': { scopes: ['read'] },

  'contactLists.create': { scopes: [] },
  'contactLists.preview': { scopes: ['read'] },
  'contactLists.list': { scopes: ['read'] },
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

  'emails.list': { scopes: ['send', 'read'] },
  'emails.get': { scopes: ['send', 'read'] },

  'events.send': { scopes: [] },
  'events.create': { scopes: [] },
  'events.list': { scopes: ['read'] },
  'events.get': { scopes: ['read'] },
  'events.update': { scopes: [] },
  'events.delete': { scopes: [] },

  'inbound.list': { scopes: ['read'] },
  'inbound.get': { scopes: ['read'] },
  'inbound.attachment': { scopes: ['read'] },
  'inbound.reply': { scopes: ['send'] },

  'mails.send': { scopes: ['send'] },
  'mails.bulk': { scopes: ['send'] },

  'migrations.planProviderA': { scopes: [] },
  'migrations.startProviderA': { scopes: [] },
  'migrations.templatesProviderA': { scopes: [] },
  'migrations.groupProviderA': { scopes: [] },
  'migrations.planProviderB': { scopes: [] },
  'migrations.startProviderB': { scopes: [] },
  'migrations.templatesProviderB': { scopes: [] },
  'migrations.list': { scopes: ['read'] },
  'migrations.get': { scopes: ['read'] },
  'migrations.watch': { scopes: ['read'] },
  'migrations.retry': { scopes: [] },
  'migrations.skip': { scopes: [] },
  'migrations.cancel': { scopes: [] },

  'reports.series': { scopes: ['read'] },
  'reports.providers': { scopes: ['read'] },
  'reports.reputation': { scopes: ['read'] },

  'senders.create': { scopes: [] },
  'senders.list': { scopes: ['read'] },
  'senders.get': { scopes: ['read'] },
  'senders.update': { scopes: [] },
  'senders.delete': { scopes: [] },

  'stream.open': { scopes: ['read'] },

  'suppressionGroups.create': { scopes: [] },
  'suppressionGroups.list': { scopes: ['read'] },
  'suppressionGroups.get': { scopes: ['read'] },
  'suppressionGroups.update': { scopes: [] },
  'suppressionGroups.delete': { scopes: [] },
  'suppressionGroups.suppress': { scopes: [] },
  'suppressionGroups.unsuppress': { scopes: [] },
  'suppressionGroups.searchEntries': { scopes: ['read'] },
  'suppressionGroups.exportEntries': { scopes: ['read'] },

  'templates.create': { scopes: [] },
  'templates.list': { scopes: ['read'] },
  'templates.get': { scopes: ['read'] },
  'templates.update': { scopes: [] },
  'templates.delete': { scopes: [] },
  'templates.preview': { scopes: ['read'] },

  'webhooks.create': { scopes: [] },
  'webhooks.list': { scopes: ['read'] },
  'webhooks.get': { scopes: ['read'] },
  'webhooks.update': { scopes: [] },
  'webhooks.delete': { scopes: [] },
  'webhooks.deliveries': { scopes: ['read'] },
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
