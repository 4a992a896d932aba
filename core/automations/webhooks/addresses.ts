import type { Project } from '../../base/model.ts';
import { isAllowedUrl } from '../../base/text/urls.ts';
import { webhookOfUrl } from '../../events/step-webhooks.ts';
import { getWebhook } from '../../events/webhooks.ts';
import type { AutomationsDeps } from '../deps.ts';
import type { AutomationStep, AutomationWebhook } from '../model/definition.ts';

/** Names are checked when the step posts: here a URL can only be refused for its text. */
export function addressFaults({ config }: Pick<AutomationsDeps, 'config'>, steps: readonly AutomationStep[]): string[] {
  return webhooksOf(steps).flatMap(({ webhook: { url }, path }) =>
    url === undefined || isAllowedUrl(url, { allow: config.allowPrivateUrls })
      ? []
      : [`${path}/url: must be a public https URL`],
  );
}

/** A step would post to a webhook that is off in vain. */
export async function offFaults(
  { db }: Pick<AutomationsDeps, 'db'>,
  { _id: projectId }: Pick<Project, '_id'>,
  steps: readonly AutomationStep[],
): Promise<string[]> {
  const named = webhooksOf(steps);
  if (named.length === 0) return [];
  const off = await db.webhooks.find({ projectId, isActive: false }, { projection: { _id: 1 } }).toArray();
  const ids = new Set(off.map(({ _id }) => _id.toHexString()));
  return named.flatMap(({ webhook, path }) => {
    const field = webhook.url === undefined ? 'webhookId' : 'url';
    return ids.has(webhookIdOf(projectId, webhook)) ? [`${path}/${field}: its webhook is off; switch it on first`] : [];
  });
}

/** The webhooks that steps name by id, each to be looked for once. */
export function namedWebhooks(deps: AutomationsDeps, project: Pick<Project, '_id'>, steps: readonly AutomationStep[]) {
  const seen = new Set<string>();
  return webhooksOf(steps).flatMap(({ webhook: { webhookId }, path }) => {
    if (webhookId === undefined || seen.has(webhookId)) return [];
    seen.add(webhookId);
    const field = `${path}/webhookId`;
    return [{ field, check: () => getWebhook(deps, project, webhookId, field) }];
  });
}

export function urlsOf(steps: readonly AutomationStep[]): string[] {
  return webhooksOf(steps).flatMap(({ webhook: { url } }) => url ?? []);
}

/** The ids that steps name themselves. */
export function idsOf(steps: readonly AutomationStep[]): string[] {
  return webhooksOf(steps).flatMap(({ webhook: { webhookId } }) => webhookId ?? []);
}

/** Whether a step posts to the webhook, by its id or by its url. */
export function postsTo(
  { projectId, steps }: { projectId: Project['_id']; steps: readonly AutomationStep[] },
  webhookId: string,
): boolean {
  return webhooksOf(steps).some(({ webhook }) => webhookIdOf(projectId, webhook) === webhookId);
}

export function webhookIdOf(
  projectId: Project['_id'],
  { url, webhookId = '' }: Pick<AutomationWebhook, 'url' | 'webhookId'>,
): string {
  return url === undefined ? webhookId : webhookOfUrl(projectId, url).toHexString();
}

function webhooksOf(steps: readonly AutomationStep[]) {
  return steps.flatMap((step, index) =>
    step.type === 'webhook' ? [{ webhook: step.webhook, path: `steps/${index}/webhook` }] : [],
  );
}
