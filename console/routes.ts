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
  '/': () => import('./pages/now.tsx'),
  '/health': () => import('./pages/health.tsx'),
  '/kit': () => import('./pages/kit.tsx'),
  '/campaigns': () => import('./pages/campaigns.tsx'),
  '/campaigns/new': () => import('./pages/campaign-editor.tsx'),
  '/campaigns/{campaignId}': () => import('./pages/campaign/page.tsx'),
  '/campaigns/{campaignId}/edit': () => import('./pages/campaign-editor.tsx'),
  '/automations': () => import('./pages/automations.tsx'),
  '/automations/{automationId}': () => import('./pages/automation.tsx'),
  '/contacts': () => import('./pages/contacts.tsx'),
  '/domains': () => import('./pages/domains.tsx'),
  '/emails': () => import('./pages/emails.tsx'),
  '/forms': () => import('./pages/forms.tsx'),
  '/forms/new': () => import('./pages/form.tsx'),
  '/forms/{formId}': () => import('./pages/form.tsx'),
  '/keys': () => import('./pages/keys.tsx'),
  '/imports': () => import('./pages/imports.tsx'),
  '/inbound': () => import('./pages/inbound.tsx'),
  '/inbound/{threadId}': () => import('./pages/inbound/thread.tsx'),
  '/lists': () => import('./pages/lists.tsx'),
  '/lists/new': () => import('./pages/list.tsx'),
  '/lists/{listId}': () => import('./pages/list.tsx'),
  '/members': () => import('./pages/members.tsx'),
  '/migrations': () => import('./pages/migrations.tsx'),
  '/migrations/{migrationId}': () => import('./pages/migration.tsx'),
  '/reports': () => import('./pages/reports.tsx'),
  '/settings': () => import('./pages/settings.tsx'),
  '/settings/senders': () => import('./pages/settings/senders.tsx'),
  '/settings/fields': () => import('./pages/settings/fields.tsx'),
  '/settings/events': () => import('./pages/settings/events.tsx'),
  '/suppressions': () => import('./pages/suppressions.tsx'),
  '/suppressions/groups': () => import('./pages/suppressions/groups.tsx'),
  '/templates': () => import('./pages/templates.tsx'),
  '/templates/{templateId}': () => import('./pages/template.tsx'),
  '/webhooks': () => import('./pages/webhooks.tsx'),
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
