import type { ComponentType } from 'preact';
import { type Pattern, patterns } from './paths.ts';
import { match } from './router.ts';

interface PageModule {
  default: ComponentType<{ params: Record<string, string> }>;
}

export interface Route {
  path: Pattern;
  page: () => Promise<PageModule>;
}

/** Each page is a file of its own that is loaded when it is first opened. */
const pages: Record<Pattern, Route['page']> = {
  '/': () => import('./pages/now/now.tsx'),
  '/health': () => import('./pages/health.tsx'),
  '/campaigns': () => import('./pages/campaigns/campaigns.tsx'),
  '/campaigns/new': () => import('./pages/campaigns/editor/campaign-editor.tsx'),
  '/campaigns/{campaignId}': () => import('./pages/campaigns/campaign/page.tsx'),
  '/campaigns/{campaignId}/edit': () => import('./pages/campaigns/editor/campaign-editor.tsx'),
  '/automations': () => import('./pages/automations/automations.tsx'),
  '/automations/{automationId}': () => import('./pages/automations/automation.tsx'),
  '/automations/{automationId}/edit': () => import('./pages/automations/edit/editor.tsx'),
  '/contacts': () => import('./pages/contacts/contacts.tsx'),
  '/domains': () => import('./pages/domains.tsx'),
  '/emails': () => import('./pages/emails/emails.tsx'),
  '/forms': () => import('./pages/forms/forms.tsx'),
  '/forms/new': () => import('./pages/forms/form.tsx'),
  '/forms/{formId}': () => import('./pages/forms/form.tsx'),
  '/keys': () => import('./pages/keys.tsx'),
  '/imports': () => import('./pages/imports/imports.tsx'),
  '/inbound': () => import('./pages/inbound/inbound.tsx'),
  '/inbound/{threadId}': () => import('./pages/inbound/thread.tsx'),
  '/lists': () => import('./pages/lists/lists.tsx'),
  '/lists/new': () => import('./pages/lists/list.tsx'),
  '/lists/{listId}': () => import('./pages/lists/list.tsx'),
  '/members': () => import('./pages/members.tsx'),
  '/migrations': () => import('./pages/migrations/migrations.tsx'),
  '/migrations/{migrationId}': () => import('./pages/migrations/migration.tsx'),
  '/reports': () => import('./pages/reports/reports.tsx'),
  '/settings': () => import('./pages/settings/settings.tsx'),
  '/settings/senders': () => import('./pages/settings/senders.tsx'),
  '/settings/fields': () => import('./pages/settings/fields.tsx'),
  '/settings/events': () => import('./pages/settings/events.tsx'),
  '/suppressions': () => import('./pages/suppressions/suppressions.tsx'),
  '/suppressions/groups': () => import('./pages/suppressions/groups.tsx'),
  '/templates': () => import('./pages/templates/templates.tsx'),
  '/templates/brand': () => import('./pages/templates/brand/page.tsx'),
  '/templates/layouts': () => import('./pages/templates/parts/list.tsx'),
  '/templates/layouts/{partId}': () => import('./pages/templates/parts/part.tsx'),
  '/templates/snippets': () => import('./pages/templates/parts/list.tsx'),
  '/templates/snippets/{partId}': () => import('./pages/templates/parts/part.tsx'),
  '/templates/{templateId}': () => import('./pages/templates/template.tsx'),
  '/templates/{templateId}/languages': () => import('./pages/templates/languages/page.tsx'),
  '/webhooks': () => import('./pages/webhooks/webhooks.tsx'),
};

export function findRoute(path: string): { route: Route; params: Record<string, string> } | null {
  for (const pattern of patterns) {
    const params = match(pattern, path);
    if (params) return { route: { path: pattern, page: pages[pattern] }, params };
  }
  return null;
}

/** While a page has no file, nothing leads to it. */
export function hasPage(path: string): boolean {
  return findRoute(path) !== null;
}
