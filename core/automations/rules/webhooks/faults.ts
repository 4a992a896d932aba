import type { AutomationStep, AutomationWebhook } from '../../model/definition.ts';
import { timeoutFaults } from '../waits.ts';

/** Steps that post an event about the person. */

/** Of every webhook, and those that the connection needs. */
const RESERVED =
  /^(?:content-.*|(?:x-)?webhook-.*|user-agent|host|connection|keep-alive|transfer-encoding|upgrade|te|trailer|expect|proxy-.*)$/i;

type WebhookStep = AutomationStep & { type: 'webhook' };

/** Addresses and ids are checked where the installation and the project are known. */
export function webhookFaults({ webhook, failureStepId }: WebhookStep, step: string): string[] {
  const { url, webhookId, sealedHeaders, wait, timeout } = webhook;
  const path = `${step}/webhook`;
  const faults: string[] = [];
  if (failureStepId && !wait) faults.push(`${step}/failureStepId: belongs to wait: true, so leave it out`);
  if ((url === undefined) === (webhookId === undefined)) faults.push(`${path}: must have either url or webhookId`);
  if (timeout && !wait) faults.push(`${path}/timeout: belongs to wait: true, so leave it out`);
  if (timeout) faults.push(...timeoutFaults(timeout, `${path}/timeout`));
  const seen = new Set<string>();
  for (const [index, name] of (sealedHeaders?.names ?? []).entries()) {
    const place = `${path}/headers/${index}/name`;
    if (RESERVED.test(name)) faults.push(`${place}: belongs to every webhook, so leave it out`);
    if (seen.has(name.toLowerCase())) faults.push(`${place}: is given twice`);
    seen.add(name.toLowerCase());
  }
  return faults;
}

/** The headers of the step before, if it calls the same address: a caller who does not know them cannot send them elsewhere. */
export function storedHeaders(
  { stepId, webhook: { url, webhookId } }: WebhookStep,
  before: readonly AutomationStep[],
): AutomationWebhook['sealedHeaders'] {
  const step = before.find((one) => one.stepId === stepId);
  if (step?.type !== 'webhook') return undefined;
  return step.webhook.url === url && step.webhook.webhookId === webhookId ? step.webhook.sealedHeaders : undefined;
}

export function sameNames(some: readonly string[], others: readonly string[]): boolean {
  const sorted = [some, others].map((names) => names.map((name) => name.toLowerCase()).sort());
  return String(sorted[0]) === String(sorted[1]);
}
