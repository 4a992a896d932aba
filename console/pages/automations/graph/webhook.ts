import type { AutomationStep } from '../../../../client/index.ts';

/** A step that posts an event, in words. Pure. */

type Webhook = NonNullable<AutomationStep['webhook']>;

/** 'Post to hooks.example.com', 'Ask hooks.example.com': the name of the step. */
export function webhookName({ url, wait }: Partial<Webhook>): string {
  return `${wait ? 'Ask' : 'Post to'} ${url && URL.canParse(url) ? new URL(url).host : 'a webhook'}`;
}

/** The address, and the names of the headers, whose values are never shown. */
export function webhookLines({ url, webhookId, headers = [], wait, timeout }: Webhook): Array<[string, string]> {
  return [
    url ? ['posts to', url] : ['posts to webhook', webhookId ?? ''],
    ...(wait ? [['waits', `${timeout?.value ?? 24} ${timeout?.unit ?? 'hours'} at most`] as [string, string]] : []),
    ...headers.map(({ name }): [string, string] => ['with header', name]),
  ];
}
