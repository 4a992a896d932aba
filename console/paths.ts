/** Every page, with {names} that the page gets as `params`. The most literal comes first: '/campaigns/new' before '/campaigns/{campaignId}'. */
export const patterns = [
  '/',
  '/health',
  '/campaigns',
  '/campaigns/new',
  '/campaigns/{campaignId}',
  '/campaigns/{campaignId}/edit',
  '/automations',
  '/automations/{automationId}',
  '/automations/{automationId}/edit',
  '/contacts',
  '/domains',
  '/emails',
  '/forms',
  '/forms/new',
  '/forms/{formId}',
  '/keys',
  '/imports',
  '/inbound',
  '/inbound/{threadId}',
  '/lists',
  '/lists/new',
  '/lists/{listId}',
  '/members',
  '/migrations',
  '/migrations/{migrationId}',
  '/reports',
  '/settings',
  '/settings/senders',
  '/settings/fields',
  '/settings/events',
  '/suppressions',
  '/suppressions/groups',
  '/templates',
  '/templates/brand',
  '/templates/layouts',
  '/templates/layouts/{partId}',
  '/templates/snippets',
  '/templates/snippets/{partId}',
  '/templates/{templateId}',
  '/templates/{templateId}/languages',
  '/webhooks',
] as const;

export type Pattern = (typeof patterns)[number];

type Filled<P extends string> = P extends `${infer Before}{${string}}${infer After}`
  ? `${Before}${string}${Filled<After>}`
  : P;

/** The path of a page that there is: a link to another one does not compile. */
export type Path = Filled<Pattern>;
