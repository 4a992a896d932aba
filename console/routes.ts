import type { ComponentType } from 'preact';
import { match } from './router.ts';

interface PageModule {
  default: ComponentType<{ params: Record<string, string> }>;
}

export interface Route {
  /** With {names}, which the page gets as `params`. */
  path: string;
  /** Each page is a file of its own that is loaded when it is first opened. */
  page: () => Promise<PageModule>;
}

/** Every page. The most literal path comes first: '/campaigns/new' before '/campaigns/{campaignId}'. */
export const routes: readonly Route[] = [
  { path: '/', page: () => import('./pages/now.tsx') },
  { path: '/health', page: () => import('./pages/health.tsx') },
  { path: '/kit', page: () => import('./pages/kit.tsx') },
  { path: '/campaigns', page: () => import('./pages/campaigns.tsx') },
  { path: '/campaigns/new', page: () => import('./pages/campaign-editor.tsx') },
  { path: '/campaigns/{campaignId}', page: () => import('./pages/campaign/page.tsx') },
  { path: '/campaigns/{campaignId}/edit', page: () => import('./pages/campaign-editor.tsx') },
  { path: '/automations', page: () => import('./pages/automations.tsx') },
  { path: '/automations/{automationId}', page: () => import('./pages/automation.tsx') },
  { path: '/contacts', page: () => import('./pages/contacts.tsx') },
  { path: '/domains', page: () => import('./pages/domains.tsx') },
  { path: '/emails', page: () => import('./pages/emails.tsx') },
  { path: '/forms', page: () => import('./pages/forms.tsx') },
  { path: '/forms/new', page: () => import('./pages/form.tsx') },
  { path: '/forms/{formId}', page: () => import('./pages/form.tsx') },
  { path: '/keys', page: () => import('./pages/keys.tsx') },
  { path: '/imports', page: () => import('./pages/imports.tsx') },
  { path: '/inbound', page: () => import('./pages/inbound.tsx') },
  { path: '/inbound/{threadId}', page: () => import('./pages/inbound/thread.tsx') },
  { path: '/lists', page: () => import('./pages/lists.tsx') },
  { path: '/lists/new', page: () => import('./pages/list.tsx') },
  { path: '/lists/{listId}', page: () => import('./pages/list.tsx') },
  { path: '/members', page: () => import('./pages/members.tsx') },
  { path: '/migrations', page: () => import('./pages/migrations.tsx') },
  { path: '/migrations/{migrationId}', page: () => import('./pages/migration.tsx') },
  { path: '/reports', page: () => import('./pages/reports.tsx') },
  { path: '/settings', page: () => import('./pages/settings.tsx') },
  { path: '/suppressions', page: () => import('./pages/suppressions.tsx') },
  { path: '/suppressions/groups', page: () => import('./pages/suppressions/groups.tsx') },
  { path: '/templates', page: () => import('./pages/templates.tsx') },
  { path: '/templates/{templateId}', page: () => import('./pages/template.tsx') },
  { path: '/webhooks', page: () => import('./pages/webhooks.tsx') },
];

export function findRoute(path: string): { route: Route; params: Record<string, string> } | null {
  for (const route of routes) {
    const params = match(route.path, path);
    if (params) return { route, params };
  }
  return null;
}

/** While a page has no file, nothing leads to it. */
export function hasPage(path: string): boolean {
  return findRoute(path) !== null;
}
